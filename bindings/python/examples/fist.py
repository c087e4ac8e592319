"""A hand that closes, frame by frame, with a progress bar."""
import sys

import cutis
from _pictures import draw

hand = cutis.Character.builtin("hand")
solver = cutis.Solver(hand.bind())
frames = solver.play_all("fist", frames=9, progress=lambda done: print(f"\r{done:4.0%}", end="", file=sys.stderr))
print(file=sys.stderr)
draw("fist", frames[[0, 2, 4]], hand.faces, titles=["0 s", "0.5 s", "1 s"])
