"""libcutis_c.so (cutis/cutis_c.h) through ctypes: structures, functions, errors. Nothing else in the package sees ctypes'
function pointers."""
from __future__ import annotations

import ctypes
import json
import os
import pathlib
import signal
import threading
import weakref
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int, c_int32, c_size_t, c_uint8, c_uint32, c_void_p
from typing import Any, Callable, Optional

ABI_VERSION = 1


class Error(Exception):
    """What went wrong, in one sentence: the place, what is wrong, what to do. `code` is the status of the C interface."""

    code = 10


class BadFile(Error):
    """A file that cannot be read."""

    code = 2


class BadCharacter(Error):
    """Readable, but not a usable character."""

    code = 3


class BadArgument(Error, ValueError):
    """An option, a name, a size or a number that does not fit."""

    code = 4


class InputOutput(Error, OSError):
    """The system refused to read or write."""

    code = 5


class Cancelled(Error):
    """The work was stopped."""

    code = 6


class BadHandle(Error, ValueError):
    """Something that was closed."""

    code = 7


class Busy(Error):
    """Another thread works with it."""

    code = 8


class OutOfMemory(Error, MemoryError):
    """There is not enough memory."""

    code = 9


_ERRORS = {e.code: e for e in (BadFile, BadCharacter, BadArgument, InputOutput, Cancelled, BadHandle, Busy, OutOfMemory)}
END = 1

LOG = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)
PROGRESS = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_double)
CANCELLED = ctypes.CFUNCTYPE(c_int, c_void_p)


class _Sized(ctypes.Structure):
    def __init__(self, **members: Any) -> None:
        super().__init__(struct_size=ctypes.sizeof(type(self)), **members)


class Callbacks(_Sized):
    _fields_ = [("struct_size", c_size_t), ("user", c_void_p), ("log", LOG), ("progress", PROGRESS), ("cancelled", CANCELLED)]


class MeshArrays(_Sized):
    _fields_ = [
        ("struct_size", c_size_t), ("name", c_char_p), ("vertices", c_size_t), ("positions", c_void_p),
        ("position_stride", c_size_t), ("normals", c_void_p), ("normal_stride", c_size_t), ("triangles", c_size_t),
        ("corners", c_void_p), ("influences", c_size_t), ("joints", c_void_p), ("weights", c_void_p),
    ]


class CharacterArrays(_Sized):
    _fields_ = [
        ("struct_size", c_size_t), ("name", c_char_p), ("meshes", c_size_t), ("mesh", POINTER(MeshArrays)),
        ("joints", c_size_t), ("joint_names", POINTER(c_char_p)), ("parents", c_void_p), ("rest", c_void_p),
        ("default_pose", c_void_p), ("is_bone", c_void_p),
    ]


class Counts(_Sized):
    _fields_ = [("struct_size", c_size_t)] + [
        (name, c_size_t) for name in ("vertices", "triangles", "meshes", "joints", "clips", "influences")]


class PoseStruct(_Sized):
    _fields_ = [("struct_size", c_size_t), ("kind", c_int), ("joints", c_size_t), ("values", c_void_p), ("time", c_double)]


class FrameStruct(_Sized):
    _fields_ = [
        ("struct_size", c_size_t), ("vertices", c_size_t), ("positions", c_void_p), ("position_stride", c_size_t),
        ("normals", c_void_p), ("normal_stride", c_size_t), ("touch", c_void_p), ("depth", c_void_p),
        ("residuals", c_void_p), ("states", c_void_p), ("time", c_double), ("milliseconds", c_double),
        ("nonfinite", c_size_t), ("certified", c_int), ("out_of_time", c_int),
    ]


class Shape(_Sized):
    _fields_ = [
        ("struct_size", c_size_t), ("vertices", c_size_t), ("positions", c_void_p), ("position_stride", c_size_t),
        ("dqs", c_void_p), ("dqs_stride", c_size_t), ("residuals", c_void_p),
    ]


class TakeArrays(_Sized):
    _fields_ = [
        ("struct_size", c_size_t), ("name", c_char_p), ("rate", c_double), ("frames", c_size_t), ("markers", c_size_t),
        ("marker_names", POINTER(c_char_p)), ("positions", c_void_p),
    ]


_H, _S, _N, _T = c_void_p, c_char_p, c_size_t, POINTER(c_char_p)  # handle, text, count, text out
_O = POINTER(c_void_p)  # handle out
_F, _P = POINTER(FrameStruct), POINTER(PoseStruct)
_FUNCTIONS = {
    "cutis_option_tables": [_T],
    "cutis_controllers": [_T],
    "cutis_context_create": [_S, _O],
    "cutis_context_set_callbacks": [_H, POINTER(Callbacks)],
    "cutis_context_cancel": [_H, c_int],
    "cutis_context_destroy": [_H],
    "cutis_character_from_arrays": [_H, POINTER(CharacterArrays), _O],
    "cutis_character_from_memory": [_H, c_char_p, _N, _S, _S, _O],
    "cutis_character_builtin": [_H, _S, _O],
    "cutis_character_load": [_H, _S, _S, _O],
    "cutis_character_save": [_H, _H, _S],
    "cutis_character_counts": [_H, POINTER(Counts)],
    "cutis_character_describe": [_H, _T],
    "cutis_character_vertices": [_H, _N, c_void_p, _N, c_void_p, _N],
    "cutis_character_triangles": [_H, _N, c_void_p],
    "cutis_character_weights": [_H, _N, _N, c_void_p, c_void_p],
    "cutis_character_joints": [_H, _N, c_void_p, c_void_p, c_void_p, c_void_p],
    "cutis_character_make_weights": [_H, _H, _S, _T],
    "cutis_character_roles": [_H, _H, _S, _N, c_void_p],
    "cutis_character_destroy": [_H],
    "cutis_character_sample": [_H, _S, c_double, c_int, _N, c_void_p],
    "cutis_character_times": [_H, _S, c_int, c_double, c_void_p, _N, POINTER(c_size_t)],
    "cutis_character_add_clip": [_H, _S, _P, c_void_p, _N],
    "cutis_character_load_motion": [_H, _H, _S, _S, _S, _T],
    "cutis_rig_bind": [_H, _H, _S, _O, _T],
    "cutis_rig_bind_again": [_H, _H, _S, _O, _T],
    "cutis_rig_load": [_H, _S, _O],
    "cutis_rig_from_memory": [_H, c_char_p, _N, _O],
    "cutis_rig_save": [_H, _S],
    "cutis_rig_to_memory": [_H, c_void_p, _N, POINTER(c_size_t)],
    "cutis_rig_destroy": [_H],
    "cutis_solver_create": [_H, _H, _S, _O],
    "cutis_solver_solve": [_H, _P, _F],
    "cutis_solver_solve_clip": [_H, _S, c_double, _F],
    "cutis_solver_seek": [_H, _P, _F],
    "cutis_solver_reset": [_H],
    "cutis_solver_foresee": [_H, _P, _N],
    "cutis_solver_begin": [_H, _S, c_void_p, _N],
    "cutis_solver_next": [_H, _F],
    "cutis_solver_save": [_H, _O],
    "cutis_solver_restore": [_H, _H],
    "cutis_state_destroy": [_H],
    "cutis_solver_report": [_H, _T],
    "cutis_solver_options": [_H, _T],
    "cutis_solver_destroy": [_H],
    "cutis_metrics_create": [_H, _H, _S, _O],
    "cutis_metrics_measure": [_H, POINTER(Shape), _T],
    "cutis_metrics_vertices": [_H, _S, _N, c_void_p],
    "cutis_metrics_destroy": [_H],
    "cutis_field_create": [_H, _H, _O],
    "cutis_field_set_pose": [_H, _P],
    "cutis_field_evaluate": [_H, _N, c_void_p, _N, c_void_p, c_void_p, c_void_p, c_void_p],
    "cutis_field_bounds": [_H, c_void_p],
    "cutis_field_surface": [_H, c_double, c_double, POINTER(c_size_t), POINTER(c_size_t)],
    "cutis_field_surface_arrays": [_H, _N, c_void_p, c_void_p, c_void_p, _N, c_void_p],
    "cutis_field_destroy": [_H],
    "cutis_writer_create": [_H, _H, _S, _S, c_void_p, _N, _O],
    "cutis_writer_add": [_H, _N, c_void_p, _N, c_void_p, _N],
    "cutis_writer_finish": [_H],
    "cutis_writer_destroy": [_H],
    "cutis_markers_create": [_H, _H, _S, POINTER(TakeArrays), _S, _S, _O, POINTER(c_size_t)],
    "cutis_markers_next": [_H, _F, c_void_p, _N],
    "cutis_markers_destroy": [_H],
    "cutis_editor_create": [_H, _H, _S, _O, _T],
    "cutis_editor_stand": [_H, _P],
    "cutis_editor_pin": [_H, _N, c_int],
    "cutis_editor_pull": [_H, _N, c_void_p],
    "cutis_editor_pose": [_H, _N, c_void_p, _T],
    "cutis_editor_control_mesh": [_H, POINTER(c_size_t), c_void_p, POINTER(c_size_t), c_void_p],
    "cutis_editor_destroy": [_H],
}


def _open() -> ctypes.CDLL:
    """The library beside this file (a wheel, the add-on), the one that CUTIS_LIBRARY names, or the system's."""
    beside = pathlib.Path(__file__).parent / "lib" / "libcutis_c.so.1"
    name = os.environ.get("CUTIS_LIBRARY") or (str(beside) if beside.exists() else "libcutis_c.so.1")
    try:
        library = ctypes.CDLL(name)
    except OSError as why:
        raise ImportError(
            f"{name} cannot be loaded ({why}); install the wheel, or set CUTIS_LIBRARY to libcutis_c.so.1") from why
    for function in ("cutis_version", "cutis_last_error"):
        getattr(library, function).restype = c_char_p
    library.cutis_status_name.restype = c_char_p
    if (version := library.cutis_abi_version()) != ABI_VERSION:
        raise ImportError(f"{name} has version {version} of the C interface; this package needs {ABI_VERSION}")
    for function, arguments in _FUNCTIONS.items():
        pointer = getattr(library, function)
        pointer.argtypes, pointer.restype = arguments, c_int
    return library


library = _open()


def version() -> str:
    return library.cutis_version().decode()


def text(value: Any) -> Optional[bytes]:
    """A name or a path for the library; None stays none."""
    return None if value is None else os.fsencode(os.fspath(value)) if isinstance(value, os.PathLike) else str(value).encode()


def options(values: dict) -> bytes:
    return json.dumps({k: v for k, v in values.items() if v is not None}).encode()


class _Interrupts:
    """While C runs in the main thread Ctrl-C is noted, and heard of afterwards: the library asks every 10 ms."""

    def __init__(self) -> None:
        self.noted = False
        self._depth = 0
        self._before: Any = None

    def note(self, _signal: int, _frame: Any) -> None:
        self.noted = True

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        self._depth += 1
        if self._depth == 1:
            before = signal.getsignal(signal.SIGINT)
            self._before = before if callable(before) else None
            if self._before is not None:
                signal.signal(signal.SIGINT, self.note)

    def __exit__(self, *_: Any) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        self._depth -= 1
        if self._depth > 0 or self._before is None:
            return
        signal.signal(signal.SIGINT, self._before)
        if self.noted:
            self.noted = False
            self._before(signal.SIGINT, None)


interrupts = _Interrupts()


def call(function: str, *arguments: Any) -> int:
    """Calls it without Python's lock; raises what its status means. Returns 0, or END."""
    with interrupts:
        status = getattr(library, function)(*arguments)
        if status in (0, END):
            return status
        sentence = library.cutis_last_error().decode(errors="replace")
    raise _ERRORS.get(status, Error)(sentence)


def call_json(function: str, *arguments: Any) -> Any:
    """The last argument of the function is the text that it returns."""
    out = c_char_p()
    call(function, *arguments, byref(out))
    return json.loads(out.value.decode())


class Handle:
    """Something of the library's. It goes with this object, or with close(); then it is refused."""

    _kind = ""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        handle = c_void_p()
        make(byref(handle))
        self._handle = handle
        self._finalizer = weakref.finalize(self, _destroy, self._kind, handle.value)

    def close(self) -> None:
        """Frees it now. Using it afterwards raises BadHandle."""
        self._finalizer()

    def __enter__(self):  # type: ignore[no-untyped-def]
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _destroy(kind: str, value: int) -> None:
    getattr(library, f"cutis_{kind}_destroy")(value)


def data(array: Any) -> Optional[int]:
    return None if array is None else array.ctypes.data


__all__ = [n for n in dir() if not n.startswith("_")]
