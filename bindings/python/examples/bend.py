"""A tube that bends: every method side by side."""
import cutis
from _pictures import draw

tube = cutis.Character.builtin("cylinder")
rig = tube.bind()
methods = ["lbs", "dqs", "implicit", "tracking"]
shapes = [cutis.Solver(rig, method).play_all("bend", frames=7)[3] for method in methods]
draw("bend", shapes, tube.faces, titles=methods)
