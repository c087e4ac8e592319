"""Cutis gives a character its skin over time: a mesh, a skeleton and a motion in; the deformed mesh out, frame by frame, with
folds that touch instead of passing through each other.

    import cutis
    hand = cutis.Character.builtin("hand")
    frames = cutis.animate(hand, "fist", frames=12)     # (12, n, 3) float32

Metres, radians, seconds; right-handed, +Y up. Meshes are V (n,3) and F (m,3), poses (frames, joints, 4, 4) of column vectors,
results (frames, n, 3) float32. The numbers are those of the program `cutis`, to the bit.
"""
from ._abi import (BadArgument, BadCharacter, BadFile, BadHandle, Busy, Cancelled, Error, InputOutput, OutOfMemory, call_json,
                   version)
from .character import Character, Clip, Mesh, Rig
from .context import Context, default_context
from .measure import Field, FieldSamples, Markers, Metrics, Writer
from .solver import STATES, Frame, Solver, State, animate

__version__ = version()


def option_tables() -> dict:
    """Every option with its kind, unit, range, default and help, by the struct that it is of."""
    return call_json("cutis_option_tables")


__all__ = [
    "BadArgument", "BadCharacter", "BadFile", "BadHandle", "Busy", "Cancelled", "Character", "Clip", "Context", "Error",
    "Field", "FieldSamples", "Frame", "InputOutput", "Markers", "Mesh", "Metrics", "OutOfMemory", "Rig", "STATES", "Solver",
    "State", "Writer", "animate", "default_context", "option_tables", "version",
]
