"""A body that follows markers: here points at the joints of a clip, as a motion capture system might see them."""
import json

import numpy as np

import cutis
from _pictures import draw, folder

human = cutis.Character.builtin("human")
clip = human.clips[0].name
times = human.times(clip, frames=3)
names = [n for n, bone in zip(human.joint_names, human.is_bone) if bone]
seen = human.sample(clip, times)[..., :3, 3][:, human.is_bone]
places = {"markers": {name: {"bone": name, "offset": [0, 0, 0]} for name in names}}
(folder / "map.json").write_text(json.dumps(places))
markers = cutis.Markers(human, seen, names=names, rate=30, map_file=folder / "map.json", solver={"resolution": 1000})
shapes = [frame.positions for frame in markers]
assert np.isfinite(shapes).all()
draw("markers", shapes, human.faces, titles=[f"{clip}, {time:.2f} s" for time in times])
