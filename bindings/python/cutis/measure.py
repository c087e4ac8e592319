"""Quality of shapes, the field of the posed body, markers, files of animations."""
from __future__ import annotations

import ctypes
import json
from ctypes import byref, c_size_t
from typing import Any, Dict, Iterator, NamedTuple, Optional, Sequence

import numpy as np

from . import _abi, _arrays
from ._abi import BadArgument
from .character import Character, Rig
from .context import Context
from .solver import Frame


class Metrics(_abi.Handle):
    """Intersections, folds, roughness, stretch, volume, … of shapes of a character; docs/algorithms/metrics.md.

    Options: intersections, overlap, per_vertex."""

    _kind = "metrics"

    def __init__(self, character: Character, *, context: Optional[Context] = None, **options: Any) -> None:
        self.context = context or character.context
        self.count = character._counts().vertices
        self.context._finish(lambda: super(Metrics, self).__init__(
            lambda out: _abi.call("cutis_metrics_create", self.context._handle, character._handle, _abi.options(options), out)))

    def measure(self, positions: Any = None, *, dqs: Any = None, residuals: Any = None) -> Dict[str, Any]:
        """Of a shape (n,3); None: the rest pose. dqs: dual quaternion skinning in the same pose, for scars and tears."""
        out = ctypes.c_char_p()
        if positions is None:
            self.context._call("cutis_metrics_measure", self._handle, None, byref(out))
        else:
            p = _arrays.points(positions, "positions", self.count)
            d = None if dqs is None else _arrays.points(dqs, "dqs", self.count)
            r = None if residuals is None else _arrays.exact(residuals, np.float32, (self.count,), "residuals")
            shape = _abi.Shape(vertices=self.count, positions=p.ctypes.data, position_stride=p.strides[0], dqs=_abi.data(d),
                               dqs_stride=0 if d is None else d.strides[0], residuals=_abi.data(r))
            self.context._call("cutis_metrics_measure", self._handle, byref(shape), byref(out))
        return json.loads(out.value.decode())

    def vertices(self, name: str) -> np.ndarray:
        """Of the last shape, with per_vertex=True: "stretch", "roughness", "intersects", "overlaps", "scars", "pokes", "tears"."""
        result = np.empty(self.count, np.float32)
        _abi.call("cutis_metrics_vertices", self._handle, _abi.text(name), self.count, result.ctypes.data)
        return result


class FieldSamples(NamedTuple):
    values: np.ndarray  #: (n,) 0 outside all supports, 0.5 on the skin, towards 1 inside
    distances: np.ndarray  #: (n,) metres to the skin, to first order, negative inside; NaN far outside
    gradients: np.ndarray  #: (n,3) of the value, inward
    joints: np.ndarray  #: (n,) whose part is felt most; -1 far outside


class Field(_abi.Handle):
    """The implicit skin of a posed rig, at points."""

    _kind = "field"

    def __init__(self, rig: Rig, *, context: Optional[Context] = None) -> None:
        self.context = context or rig.context
        self._joints = rig.joints
        super().__init__(lambda out: _abi.call("cutis_field_create", self.context._handle, rig._handle, out))

    def set_pose(self, pose: Any = None, *, kind: str = "world") -> None:
        """None: the rest pose."""
        if pose is None:
            _abi.call("cutis_field_set_pose", self._handle, None)
            return
        structure, _keep = _arrays.pose(pose, self._joints, kind)
        _abi.call("cutis_field_set_pose", self._handle, byref(structure))

    def evaluate(self, points: Any) -> FieldSamples:
        p = _arrays.points(points, "points")
        n = len(p)
        result = FieldSamples(np.empty(n, np.float32), np.empty(n, np.float32), np.empty((n, 3), np.float32),
                              np.empty(n, np.int32))
        self.context._call("cutis_field_evaluate", self._handle, n, p.ctypes.data, p.strides[0],
                           *[a.ctypes.data for a in result])
        return result


class Markers(_abi.Handle):
    """A character driven by a take of markers. take: a file (.c3d .trc .bvh .json), or positions (frames,markers,3) with
    `names` and `rate`; NaN where a marker was not seen. Iterates Frames; `pose` is the skeleton's, (J,10).

    Options: solver={...}, targets={...}, take={...}, rate, fit."""

    _kind = "markers"

    def __init__(self, character: Character, take: Any, *, names: Optional[Sequence[str]] = None, rate: float = 0,
                 map_file: Any = None, context: Optional[Context] = None, **options: Any) -> None:
        self.context = context or character.context
        counts = character._counts()
        self._vertices, self._joints = counts.vertices, counts.joints
        self.pose: Optional[np.ndarray] = None
        count = c_size_t()
        file, arrays = _abi.text(take) if not isinstance(take, np.ndarray) else None, None
        if file is None:
            if take.ndim != 3 or take.shape[2] != 3 or names is None or len(names) != take.shape[1]:
                raise BadArgument(f"take: has shape {take.shape}; it must be (frames, markers, 3), with as many names")
            positions = np.ascontiguousarray(take, np.float64)
            texts = (ctypes.c_char_p * len(names))(*[_abi.text(n) for n in names])
            arrays = byref(_abi.TakeArrays(name=b"take", rate=float(rate), frames=len(take), markers=len(names),
                                           marker_names=texts, positions=positions.ctypes.data))
        elif rate:
            options["rate"] = rate
        self.context._finish(lambda: super(Markers, self).__init__(
            lambda out: _abi.call("cutis_markers_create", self.context._handle, character._handle, file, arrays,
                                  _abi.text(map_file), _abi.options(options), out, byref(count))))
        self.frames = count.value

    def __len__(self) -> int:
        return self.frames

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        frame = Frame()
        frame.positions = np.empty((self._vertices, 3), np.float32)
        frame.normals = np.empty((self._vertices, 3), np.float32)
        frame.touch = frame.depth = frame.residuals = frame.states = None
        pose = np.empty((self._joints, 10))
        into = _abi.FrameStruct(vertices=self._vertices, positions=frame.positions.ctypes.data,
                                normals=frame.normals.ctypes.data)
        if self.context._call("cutis_markers_next", self._handle, byref(into), pose.ctypes.data, self._joints) == _abi.END:
            raise StopIteration
        frame.time, frame.milliseconds, frame.nonfinite = into.time, into.milliseconds, into.nonfinite
        frame.certified, frame.out_of_time = False, False
        self.pose = pose
        return frame


class Writer(_abi.Handle):
    """A file of frames: .glb .gltf .pc2 .mdd .usda .obj .ply. Complete when finish() returns, or when the `with` block ends
    without an exception; else there is none."""

    _kind = "writer"

    def __init__(self, file: Any, character: Character, times: Any, clip: str = "clip") -> None:
        self.context = character.context
        self._vertices = character._counts().vertices
        moments = np.ascontiguousarray(times, np.float64)
        self._finished = False
        self.context._finish(lambda: super(Writer, self).__init__(
            lambda out: _abi.call("cutis_writer_create", self.context._handle, character._handle, _abi.text(file),
                                  _abi.text(clip), moments.ctypes.data, len(moments), out)))

    def add(self, positions: Any, normals: Any) -> None:
        p = _arrays.points(positions, "positions", self._vertices)
        n = _arrays.points(normals, "normals", self._vertices)
        self.context._call("cutis_writer_add", self._handle, self._vertices, p.ctypes.data, p.strides[0], n.ctypes.data,
                           n.strides[0])

    def finish(self) -> None:
        self.context._call("cutis_writer_finish", self._handle)
        self._finished = True

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None and not self._finished:
            self.finish()
        self.close()
