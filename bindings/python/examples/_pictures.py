"""Drawing for the examples, with matplotlib where it is there."""
import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")


def draw(name, shapes, faces, view=(0, 1), colors=None, titles=None):
    """Shapes (n,3) side by side, seen along the remaining axis, shaded by their faces' normals. colors: (n,) in [0,1] each."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
        from matplotlib.collections import PolyCollection
    except ImportError:
        print(f"{name}: matplotlib is not there; no picture")
        return
    right, up = view
    depth = 3 - right - up
    toward = np.linalg.det(np.eye(3)[[right, up, depth]])  # right-handed: the eye is on the positive side
    figure, axes = pyplot.subplots(1, len(shapes), figsize=(3.2 * len(shapes), 3.4), squeeze=False)
    for i, (axis, shape) in enumerate(zip(axes[0], shapes)):
        corners = shape[faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-20)
        light = np.clip(0.35 + 0.65 * normals @ np.array([0.4, 0.6, 0.69])[np.argsort([right, up, depth])], 0.1, 1)
        shown = np.flatnonzero(toward * normals[:, depth] > 0)
        shown = shown[np.argsort(toward * corners[shown, :, depth].mean(axis=1))]
        paint = np.array([0.93, 0.74, 0.62])[None, :] * light[shown, None]
        if colors is not None:
            amount = colors[i][faces[shown]].mean(axis=1)[:, None]
            paint = paint * (1 - amount) + np.array([0.85, 0.05, 0.05]) * amount
        axis.add_collection(PolyCollection(corners[shown][:, :, [right, up]], facecolors=paint, edgecolors=paint, linewidths=0.2))
        axis.set_aspect("equal")
        axis.autoscale()
        axis.axis("off")
        if titles is not None:
            axis.set_title(titles[i], fontsize=9)
    figure.tight_layout()
    figure.savefig(folder / f"{name}.png", dpi=110)
    print(f"{name}.png")
