"""How good a shape is, and where it is not."""
import cutis
from _pictures import draw

tube = cutis.Character.builtin("cylinder")
rig = tube.bind()
metrics = cutis.Metrics(tube, per_vertex=True)
shapes, colors, titles = [], [], []
for method in ("lbs", "tracking"):
    shape = cutis.Solver(rig, method).play_all("bend", frames=7)[3]
    report = metrics.measure(shape)
    print(f"{method}: {report['intersecting_pairs']:.0f} pairs of triangles intersect, {report['folds']:.0f} folds, "
          f"volume {report['volume_change']:+.1%}")
    shapes.append(shape)
    colors.append(metrics.vertices("intersects"))
    titles.append(f"{method}: {report['intersecting_pairs']:.0f} intersecting pairs")
draw("measure", shapes, tube.faces, colors=colors, titles=titles)
