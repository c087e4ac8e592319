"""Numpy arrays for the library: checked here, so that what is wrong is said in the words of whoever gave it."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from . import _abi
from ._abi import BadArgument

KINDS = {"trs": 0, "local": 1, "world": 2}


def points(array: Any, name: str, count: Optional[int] = None) -> np.ndarray:
    """(n, 3) float32 whose rows lie anywhere: copied only where it is not that."""
    result = np.asarray(array, dtype=np.float32)
    if result.ndim != 2 or result.shape[1] != 3 or (count is not None and len(result) != count):
        raise BadArgument(f"{name}: has shape {np.shape(array)}; it must be ({'n' if count is None else count}, 3)")
    if result.strides[1] != 4 or result.strides[0] < 12:
        result = np.ascontiguousarray(result)
    return result


def out_points(array: Optional[np.ndarray], name: str, count: int) -> np.ndarray:
    """A buffer of the caller's, as it is; a new one for None."""
    if array is None:
        return np.empty((count, 3), np.float32)
    if (not isinstance(array, np.ndarray) or array.dtype != np.float32 or array.shape != (count, 3)
            or array.strides[1] != 4 or array.strides[0] < 12 or not array.flags.writeable):
        raise BadArgument(f"{name}: must be a writable float32 array of shape ({count}, 3) with packed rows")
    return array


def exact(array: Any, dtype: Any, shape: Sequence[int], name: str) -> np.ndarray:
    result = np.ascontiguousarray(array, dtype=dtype)
    if result.shape != tuple(shape):
        raise BadArgument(f"{name}: has shape {np.shape(array)}; it must be {tuple(shape)}")
    return result


def pose(values: Any, joints: int, kind: str, time: float = 0.0) -> tuple:
    """The structure, and the array that it points into."""
    if kind not in KINDS:
        raise BadArgument(f"kind: there is no '{kind}'; there are {', '.join(KINDS)}")
    if values is None:
        return _abi.PoseStruct(kind=KINDS[kind], joints=joints, values=None, time=time), None
    array = exact(values, np.float64, (joints, 10) if kind == "trs" else (joints, 4, 4), "pose")
    return _abi.PoseStruct(kind=KINDS[kind], joints=joints, values=array.ctypes.data, time=time), array


def poses(values: Any, joints: int, kind: str, times: Optional[Sequence[float]] = None) -> tuple:
    """(frames, joints, 4, 4), or (frames, joints, 10), as a list of structures, and the array that they point into."""
    if kind not in KINDS:
        raise BadArgument(f"kind: there is no '{kind}'; there are {', '.join(KINDS)}")
    inner = (10,) if kind == "trs" else (4, 4)
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 2 + len(inner) or array.shape[1:] != (joints, *inner):
        raise BadArgument(f"poses: have shape {np.shape(values)}; it must be (frames, {joints}, {', '.join(map(str, inner))})")
    structures = (_abi.PoseStruct * len(array))()
    for i in range(len(array)):
        structures[i] = _abi.PoseStruct(kind=KINDS[kind], joints=joints, values=array[i].ctypes.data,
                                        time=0.0 if times is None else float(times[i]))
    return structures, array
