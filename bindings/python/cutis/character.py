"""Characters and rigs."""
from __future__ import annotations

import ctypes
import json
from ctypes import byref, c_size_t
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _abi, _arrays
from ._abi import BadArgument
from .context import Context, default_context


class Clip(NamedTuple):
    name: str
    start: float  #: seconds
    end: float


class Mesh(NamedTuple):
    name: str
    first_vertex: int
    vertices: int
    first_triangle: int
    triangles: int


class Character(_abi.Handle):
    """A mesh (or several), a skeleton, weights and clips, at the rest pose and in scene space: metres, +Y up.

    Made by load(), builtin(), from_bytes(), from_arrays() or from_dict()."""

    _kind = "character"

    def __init__(self, make: Any, context: Optional[Context]) -> None:
        self.context = context or default_context()
        self.context._finish(lambda: super(Character, self).__init__(make))

    # ---- making ----

    @classmethod
    def load(cls, file: Any, *, context: Optional[Context] = None, **options: Any) -> "Character":
        """.glb .gltf .vrm .fbx .dae .obj .ply .off, or "builtin:NAME". Options: ignore_weights, attached."""
        c = context or default_context()
        return cls(lambda out: _abi.call("cutis_character_load", c._handle, _abi.text(file), _abi.options(options), out), c)

    @classmethod
    def builtin(cls, name: str, *, context: Optional[Context] = None) -> "Character":
        """"cylinder", "arm", "hand", "human", "cylinder:12000"."""
        c = context or default_context()
        return cls(lambda out: _abi.call("cutis_character_builtin", c._handle, _abi.text(name), out), c)

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "memory", *, context: Optional[Context] = None,
                   **options: Any) -> "Character":
        """The bytes of a .glb, .gltf or .vrm."""
        c = context or default_context()
        return cls(lambda out: _abi.call("cutis_character_from_memory", c._handle, data, len(data), _abi.text(name),
                                         _abi.options(options), out), c)

    @classmethod
    def from_arrays(cls, vertices: Any, faces: Any, joint_names: Sequence[str], parents: Any, rest: Any,
                    weights: Any = None, weight_joints: Any = None, *, normals: Any = None, default_pose: Any = None,
                    is_bone: Any = None, name: str = "arrays", context: Optional[Context] = None) -> "Character":
        """vertices (n,3), faces (m,3), parents (J,) before their children with -1 for none, rest (J,4,4): the joints'
        frames in the scene. weights: (n,J) dense, or (n,k) with weight_joints (n,k); None: none yet (make_weights()).
        default_pose: (J,10), see sample(kind="trs"). is_bone: (J,), False where a joint only carries transforms."""
        c = context or default_context()
        v = _arrays.points(vertices, "vertices")
        f = np.ascontiguousarray(faces)
        if f.ndim != 2 or f.shape[1:] != (3,) or not np.issubdtype(f.dtype, np.integer):
            raise BadArgument(f"faces: have shape {f.shape} of {f.dtype}; they must be (m, 3) whole numbers: triangles")
        if f.size and (f.min() < 0 or f.max() >= len(v)):
            raise BadArgument(f"faces: use vertices from {f.min()} to {f.max()}, but there are {len(v)}")
        f = np.ascontiguousarray(f, np.uint32)
        joints = len(joint_names)
        up = _arrays.exact(parents, np.int32, (joints,), "parents")
        frames = _arrays.exact(rest, np.float64, (joints, 4, 4), "rest")
        n = None if normals is None else _arrays.points(normals, "normals", len(v))
        start = None if default_pose is None else _arrays.exact(default_pose, np.float64, (joints, 10), "default_pose")
        bones = None if is_bone is None else _arrays.exact(np.asarray(is_bone, bool), np.uint8, (joints,), "is_bone")
        w, wj = _influences(weights, weight_joints, len(v), joints)
        mesh = _abi.MeshArrays(
            name=_abi.text(name), vertices=len(v), positions=v.ctypes.data, position_stride=v.strides[0],
            normals=_abi.data(n), normal_stride=0 if n is None else n.strides[0], triangles=len(f), corners=f.ctypes.data,
            influences=0 if w is None else w.shape[1], joints=_abi.data(wj), weights=_abi.data(w))
        names = (ctypes.c_char_p * max(joints, 1))(*[_abi.text(j) for j in joint_names])
        arrays = _abi.CharacterArrays(
            name=_abi.text(name), meshes=1, mesh=ctypes.pointer(mesh), joints=joints, joint_names=names,
            parents=up.ctypes.data, rest=frames.ctypes.data, default_pose=_abi.data(start), is_bone=_abi.data(bones))
        return cls(lambda out: _abi.call("cutis_character_from_arrays", c._handle, byref(arrays), out), c)

    @classmethod
    def from_dict(cls, parts: Dict[str, Any], *, context: Optional[Context] = None) -> "Character":
        """What to_dict() gives; "vertices", "faces" and "vertex_normals" are trimesh's names."""
        known = {"vertices", "faces", "vertex_normals", "joint_names", "parents", "rest", "weights", "weight_joints",
                 "default_pose", "is_bone", "name"}
        if unknown := set(parts) - known:
            raise BadArgument(f"{sorted(unknown)[0]!r} is not known; there are {', '.join(sorted(known))}")
        if missing := {"vertices", "faces", "joint_names", "parents", "rest"} - set(parts):
            raise BadArgument(f"{sorted(missing)[0]!r} is missing")
        given = dict(parts)
        normals = given.pop("vertex_normals", None)
        return cls.from_arrays(**given, normals=normals, context=context)

    def to_dict(self) -> Dict[str, Any]:
        """All meshes as one: round trips through from_dict() with the same bits."""
        joints, weights = self.weights if self._counts().influences else (None, None)
        parts = {"name": self.name, "vertices": self.vertices, "faces": self.faces, "vertex_normals": self.normals,
                 "joint_names": self.joint_names, "parents": self.parents, "rest": self.rest,
                 "default_pose": self.default_pose, "is_bone": self.is_bone}
        if weights is not None:
            parts.update(weights=weights, weight_joints=joints)
        return parts

    # ---- what is in it ----

    def _counts(self) -> Any:
        counts = _abi.Counts()
        _abi.call("cutis_character_counts", self._handle, byref(counts))
        return counts

    def describe(self) -> Dict[str, Any]:
        return _abi.call_json("cutis_character_describe", self._handle)

    @property
    def name(self) -> str:
        return self.describe()["name"]

    @property
    def meshes(self) -> List[Mesh]:
        return [Mesh(**m) for m in self.describe()["meshes"]]

    @property
    def clips(self) -> List[Clip]:
        return [Clip(**c) for c in self.describe()["clips"]]

    @property
    def joint_names(self) -> List[str]:
        return [j["name"] for j in self.describe()["joints"]]

    @property
    def vertices(self) -> np.ndarray:
        """(n,3) float32, rest pose."""
        result = np.empty((self._counts().vertices, 3), np.float32)
        _abi.call("cutis_character_vertices", self._handle, len(result), result.ctypes.data, 0, None, 0)
        return result

    @property
    def normals(self) -> np.ndarray:
        """(n,3) float32, rest pose."""
        result = np.empty((self._counts().vertices, 3), np.float32)
        _abi.call("cutis_character_vertices", self._handle, len(result), None, 0, result.ctypes.data, 0)
        return result

    @property
    def faces(self) -> np.ndarray:
        """(m,3) uint32 over the vertices of all meshes."""
        result = np.empty((self._counts().triangles, 3), np.uint32)
        _abi.call("cutis_character_triangles", self._handle, len(result), result.ctypes.data)
        return result

    @property
    def weights(self) -> Tuple[np.ndarray, np.ndarray]:
        """(joints (n,k) uint32, weights (n,k) float32), largest first, the rest 0."""
        counts = self._counts()
        joints = np.zeros((counts.vertices, counts.influences), np.uint32)
        weights = np.zeros((counts.vertices, counts.influences), np.float32)
        _abi.call("cutis_character_weights", self._handle, counts.vertices, counts.influences, joints.ctypes.data,
                  weights.ctypes.data)
        return joints, weights

    @property
    def dense_weights(self) -> np.ndarray:
        """(n,J) float32."""
        joints, weights = self.weights
        result = np.zeros((len(joints), self._counts().joints), np.float32)
        np.add.at(result, (np.arange(len(joints))[:, None], joints), weights)
        return result

    def _joints(self, which: int, shape: Sequence[int], dtype: Any) -> np.ndarray:
        count = self._counts().joints
        result = np.empty((count, *shape), dtype)
        pointers: List[Any] = [None] * 4
        pointers[which] = result.ctypes.data
        _abi.call("cutis_character_joints", self._handle, count, *pointers)
        return result

    @property
    def rest(self) -> np.ndarray:
        """(J,4,4): the joints' frames in the scene at the rest pose."""
        return self._joints(0, (4, 4), np.float64)

    @property
    def default_pose(self) -> np.ndarray:
        """(J,10): what joints have that no clip moves; translation, quaternion x y z w, scale, to the parent."""
        return self._joints(1, (10,), np.float64)

    @property
    def parents(self) -> np.ndarray:
        return self._joints(2, (), np.int32)

    @property
    def is_bone(self) -> np.ndarray:
        return self._joints(3, (), np.uint8).astype(bool)

    # ---- motion ----

    def times(self, clip: str = "", frames: Optional[int] = None, fps: float = 30) -> np.ndarray:
        """`frames` times evenly from the first to the last key, or every 1/fps from the first on: those of `cutis animate`."""
        count = c_size_t()
        given = (self._handle, _abi.text(clip), frames or 0, float(fps))
        _abi.call("cutis_character_times", *given, None, 0, byref(count))
        result = np.empty(count.value)
        _abi.call("cutis_character_times", *given, result.ctypes.data, count.value, byref(count))
        return result

    def sample(self, clip: str = "", times: Union[float, Sequence[float]] = 0.0, kind: str = "world") -> np.ndarray:
        """Poses of a clip: (J,4,4) for one time, (frames,J,4,4) for several. kind "world": frames in the scene; "local": to
        the parents; "trs": (…,J,10), the exact ones."""
        if kind not in _arrays.KINDS:
            raise BadArgument(f"kind: there is no '{kind}'; there are {', '.join(_arrays.KINDS)}")
        moments = np.atleast_1d(np.asarray(times, np.float64))
        joints = self._counts().joints
        result = np.empty((len(moments), joints, *((10,) if kind == "trs" else (4, 4))))
        for i, time in enumerate(moments):
            _abi.call("cutis_character_sample", self._handle, _abi.text(clip), float(time), _arrays.KINDS[kind], joints,
                      result[i].ctypes.data)
        return result if np.ndim(times) > 0 else result[0]

    def add_clip(self, name: str, poses: Any, times: Any = None, fps: float = 30, kind: str = "world") -> None:
        """Poses (frames,J,4,4) as a clip; a clip of that name is replaced."""
        moments = np.arange(len(poses)) / fps if times is None else np.ascontiguousarray(times, np.float64)
        if len(moments) != len(poses):
            raise BadArgument(f"times: there are {len(moments)} for {len(poses)} poses")
        structures, _keep = _arrays.poses(poses, self._counts().joints, kind)
        _abi.call("cutis_character_add_clip", self._handle, _abi.text(name), structures, moments.ctypes.data, len(moments))

    def load_motion(self, file: Any, name: str = "", **options: Any) -> Dict[str, Any]:
        """A .bvh, a .vrma, or a clip (clip="name") of a .glb .gltf .vrm .fbx .dae, retargeted, as a clip. Returns
        {"clip": its name, "joints": which takes which}."""
        out = ctypes.c_char_p()
        self.context._call("cutis_character_load_motion", self.context._handle, self._handle, _abi.text(file),
                           _abi.text(name), _abi.options(options), byref(out))
        return _parsed(out)

    # ---- changing, writing, binding ----

    def make_weights(self, method: str = "heat", **options: Any) -> Dict[str, Any]:
        """New weights: "heat" or "atlas"; options as `cutis options WeightOptions` lists them. Returns the report."""
        out = ctypes.c_char_p()
        self.context._call("cutis_character_make_weights", self.context._handle, self._handle,
                           _abi.options({"method": method, **options}), byref(out))
        return _parsed(out)

    def save(self, file: Any) -> None:
        """As .glb or .gltf."""
        self.context._call("cutis_character_save", self.context._handle, self._handle, _abi.text(file))

    def bind(self, preset: Optional[Dict[str, Any]] = None, **options: Any) -> "Rig":
        """Fields and operators: what every method but lbs and dqs needs. preset: as in docs/formats.md. Options:
        implicit_skin, turn."""
        return Rig._bind(self, preset, options)


def _parsed(out: Any) -> Dict[str, Any]:
    return json.loads(out.value.decode())


def _influences(weights: Any, joints: Any, vertices: int, count: int) -> Tuple[Optional[np.ndarray], Optional[np.ndarray]]:
    if weights is None:
        return None, None
    w = np.ascontiguousarray(weights, np.float32)
    if w.ndim != 2 or len(w) != vertices:
        raise BadArgument(f"weights: have shape {w.shape}; they must be ({vertices}, influences), or ({vertices}, {count})")
    if joints is not None:
        return w, _arrays.exact(joints, np.uint32, w.shape, "weight_joints")
    if w.shape[1] != count:
        raise BadArgument(f"weights: have {w.shape[1]} columns for {count} joints; give weight_joints with them")
    most = max(int((w != 0).sum(axis=1).max(initial=0)), 1)
    order = np.argsort(-w, axis=1, kind="stable")[:, :most]
    return np.ascontiguousarray(np.take_along_axis(w, order, 1)), np.ascontiguousarray(order, np.uint32)


class Rig(_abi.Handle):
    """A character, frozen for solvers; any number of them share it. `report`: how it was bound, None when it was loaded."""

    _kind = "rig"

    def __init__(self, make: Any, character: Character) -> None:
        self.character = character
        self.context = character.context
        self.report: Optional[Dict[str, Any]] = None
        counts = character._counts()
        self.vertices, self.joints = counts.vertices, counts.joints
        self.context._finish(lambda: super(Rig, self).__init__(make))

    @classmethod
    def _bind(cls, character: Character, preset: Optional[Dict[str, Any]], options: Dict[str, Any]) -> "Rig":
        out = ctypes.c_char_p()
        text = _abi.options({**options, "preset": preset})
        rig = cls(lambda handle: _abi.call("cutis_rig_bind", character.context._handle, character._handle, text, handle,
                                           byref(out)), character)
        rig.report = _parsed(out)
        return rig

    @classmethod
    def load(cls, file: Any, character: Character) -> "Rig":
        return cls(lambda out: _abi.call("cutis_rig_load", character._handle, _abi.text(file), out), character)

    @classmethod
    def from_bytes(cls, data: bytes, character: Character) -> "Rig":
        return cls(lambda out: _abi.call("cutis_rig_from_memory", character._handle, data, len(data), out), character)

    def save(self, file: Any) -> None:
        _abi.call("cutis_rig_save", self._handle, _abi.text(file))

    def to_bytes(self) -> bytes:
        size = c_size_t()
        _abi.call("cutis_rig_to_memory", self._handle, None, 0, byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        _abi.call("cutis_rig_to_memory", self._handle, buffer, size.value, byref(size))
        return buffer.raw
