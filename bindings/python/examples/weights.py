"""Weights for a mesh that has none: arrays in, weights out."""
import numpy as np

import cutis
from _pictures import draw

arm = cutis.Character.builtin("arm")
parts = arm.to_dict()
del parts["weights"], parts["weight_joints"]
bare = cutis.Character.from_dict(parts)
titles, colors = [], []
for method in ("heat", "atlas"):
    report = bare.make_weights(method)
    dense = bare.dense_weights
    bone = int(np.argmax((dense > 0.5).sum(axis=0)))
    titles.append(f"{method}: {bare.joint_names[bone]}, {report['weighted_bones']} bones")
    colors.append(dense[:, bone])
draw("weights", [arm.vertices] * 2, arm.faces, colors=colors, titles=titles)
