"""Poses in, deformed meshes out."""
from __future__ import annotations

from ctypes import byref
from typing import Any, Callable, Dict, Iterator, Optional, Union

import numpy as np

from . import _abi, _arrays
from ._abi import BadArgument
from .character import Character, Rig
from .context import Context


class Frame:
    """One deformed mesh: arrays that are the caller's own, or new ones."""

    __slots__ = ("positions", "normals", "touch", "depth", "residuals", "states", "time", "milliseconds", "nonfinite",
                 "certified", "out_of_time")
    positions: np.ndarray  #: (n,3) float32, scene space
    normals: Optional[np.ndarray]
    touch: Optional[np.ndarray]  #: (n,) 1 touches other skin, 0 free
    depth: Optional[np.ndarray]  #: (n,) metres pressed in
    residuals: Optional[np.ndarray]
    states: Optional[np.ndarray]  #: (n,) see STATES
    time: float
    milliseconds: float  #: the solver's own
    nonfinite: int  #: vertices kept at their last good place
    certified: bool  #: with contact: nothing intersects that need not
    out_of_time: bool


STATES = ("rigid", "converged", "contact", "flat", "outside", "limit")


class State(_abi.Handle):
    """What a solver remembers: Solver.save() and restore()."""

    _kind = "state"


class Solver(_abi.Handle):
    """One character over time.

        solver = cutis.Solver(rig, method="tracking")
        for frame in solver.play("walk"):
            frame.positions

    Options as `cutis options SolveOptions` lists them; tracking={...} and implicit={...} hold those of the methods."""

    _kind = "solver"

    def __init__(self, rig: Rig, method: Optional[str] = None, *, context: Optional[Context] = None, **options: Any) -> None:
        self.rig = rig
        self.context = context or rig.context
        text = _abi.options({"method": method, **options})
        self.context._finish(lambda: super(Solver, self).__init__(
            lambda out: _abi.call("cutis_solver_create", self.context._handle, rig._handle, text, out)))

    def _frame(self, out: Optional[np.ndarray], normals: Union[bool, np.ndarray], extra: bool) -> tuple:
        n = self.rig.vertices
        frame = Frame()
        frame.positions = _arrays.out_points(out, "out", n)
        if isinstance(normals, np.ndarray):
            frame.normals = _arrays.out_points(normals, "normals", n)
        else:
            frame.normals = np.empty((n, 3), np.float32) if normals else None
        frame.touch = np.empty(n, np.float32) if extra else None
        frame.depth = np.empty(n, np.float32) if extra else None
        frame.residuals = np.empty(n, np.float32) if extra else None
        frame.states = np.empty(n, np.uint8) if extra else None
        into = _abi.FrameStruct(
            vertices=n, positions=frame.positions.ctypes.data, position_stride=frame.positions.strides[0],
            normals=_abi.data(frame.normals), normal_stride=0 if frame.normals is None else frame.normals.strides[0],
            touch=_abi.data(frame.touch), depth=_abi.data(frame.depth), residuals=_abi.data(frame.residuals),
            states=_abi.data(frame.states))
        return frame, into

    def _solved(self, frame: Frame, into: Any) -> Frame:
        frame.time, frame.milliseconds, frame.nonfinite = into.time, into.milliseconds, into.nonfinite
        frame.certified, frame.out_of_time = bool(into.certified), bool(into.out_of_time)
        return frame

    def solve(self, pose: Any = None, *, kind: str = "world", time: float = 0.0, out: Optional[np.ndarray] = None,
              normals: Union[bool, np.ndarray] = False, extra: bool = False) -> Frame:
        """Deforms the character to `pose`, from the last frame on. pose: (J,4,4), see Character.sample(); None: the default
        pose. out, normals: float32 buffers (n,3) of your own, any stride from row to row. extra: also touch, depth,
        residuals and states."""
        structure, _keep = _arrays.pose(pose, self.rig.joints, kind, time)
        frame, into = self._frame(out, normals, extra)
        self.context._call("cutis_solver_solve", self._handle, byref(structure), byref(into))
        return self._solved(frame, into)

    def seek(self, pose: Any = None, *, kind: str = "world", time: float = 0.0, out: Optional[np.ndarray] = None,
             normals: Union[bool, np.ndarray] = False, extra: bool = False) -> Frame:
        """From rest along a fixed path: the result depends on the pose alone, and solve() goes on from there."""
        structure, _keep = _arrays.pose(pose, self.rig.joints, kind, time)
        frame, into = self._frame(out, normals, extra)
        self.context._call("cutis_solver_seek", self._handle, byref(structure), byref(into))
        return self._solved(frame, into)

    def solve_clip(self, clip: str, time: float, *, out: Optional[np.ndarray] = None,
                   normals: Union[bool, np.ndarray] = False, extra: bool = False) -> Frame:
        """The pose of a clip at a time, from the last frame on."""
        frame, into = self._frame(out, normals, extra)
        self.context._call("cutis_solver_solve_clip", self._handle, _abi.text(clip), float(time), byref(into))
        return self._solved(frame, into)

    def foresee(self, poses: Any, times: Any = None, *, kind: str = "world") -> None:
        """The poses (frames,J,4,4) that will be asked for, 30 a second or denser; play() does it by itself."""
        structures, _keep = _arrays.poses(poses, self.rig.joints, kind, times)
        self.context._call("cutis_solver_foresee", self._handle, structures, len(structures))

    def play(self, clip: Union[str, np.ndarray] = "", *, frames: Optional[int] = None, fps: float = 30, times: Any = None,
             out: Optional[np.ndarray] = None, normals: bool = False, extra: bool = False, kind: str = "world",
             progress: Optional[Callable[[float], Any]] = None) -> Iterator[Frame]:
        """The frames of a clip, as `cutis animate` makes them, to the bit. clip: its name, or poses (frames,J,4,4) at `times`
        or `fps`. out: (frames,n,3), to be filled. progress(done): after every frame, in [0,1]."""
        if not isinstance(clip, str):
            poses = np.asarray(clip)
            moments = np.arange(len(poses)) / fps if times is None else np.ascontiguousarray(times, np.float64)
            self.rig.character.add_clip("poses given to play()", poses, moments, kind=kind)
            clip = "poses given to play()"
        elif times is not None:
            moments = np.ascontiguousarray(times, np.float64)
        else:
            moments = self.rig.character.times(clip, frames, fps)
        if out is not None and (out.shape != (len(moments), self.rig.vertices, 3)):
            raise BadArgument(f"out: has shape {out.shape}; it must be ({len(moments)}, {self.rig.vertices}, 3)")
        return self._play(clip, moments, out, normals, extra, progress)

    def _play(self, clip: str, moments: np.ndarray, out: Optional[np.ndarray], normals: bool, extra: bool,
              progress: Optional[Callable[[float], Any]]) -> Iterator[Frame]:
        self.context._call("cutis_solver_begin", self._handle, _abi.text(clip), moments.ctypes.data, len(moments))
        for i in range(len(moments)):
            frame, into = self._frame(None if out is None else out[i], normals, extra)
            self.context._call("cutis_solver_next", self._handle, byref(into))
            if progress is not None:
                progress((i + 1) / len(moments))
            yield self._solved(frame, into)

    def play_all(self, clip: Union[str, np.ndarray] = "", **options: Any) -> np.ndarray:
        """All frames of play() as one array (frames,n,3) float32."""
        if "out" not in options:
            if not isinstance(clip, str):
                count = len(clip)
            elif options.get("times") is not None:
                count = len(options["times"])
            else:
                count = len(self.rig.character.times(clip, options.get("frames"), options.get("fps", 30)))
            options["out"] = np.empty((count, self.rig.vertices, 3), np.float32)
        for _ in self.play(clip, **options):
            pass
        return options["out"]

    def reset(self) -> None:
        """Forgets all earlier frames."""
        _abi.call("cutis_solver_reset", self._handle)

    def save(self) -> State:
        """To continue from here later, with the same bits."""
        return State(lambda out: _abi.call("cutis_solver_save", self._handle, out))

    def restore(self, state: State) -> None:
        _abi.call("cutis_solver_restore", self._handle, state._handle)

    @property
    def report(self) -> Dict[str, Any]:
        """About the last frame: states, residuals, contact, milliseconds."""
        return _abi.call_json("cutis_solver_report", self._handle)

    @property
    def options(self) -> Dict[str, Any]:
        """All options in force."""
        return _abi.call_json("cutis_solver_options", self._handle)


def animate(character: Character, clip: str = "", method: Optional[str] = None, *, frames: Optional[int] = None,
            fps: float = 30, preset: Optional[Dict[str, Any]] = None, **options: Any) -> np.ndarray:
    """The first thing to try: a clip of a character as (frames,n,3) float32."""
    return Solver(character.bind(preset), method, **options).play_all(clip, frames=frames, fps=fps)
