"""Threads, back end, log, progress and cancel."""
from __future__ import annotations

import ctypes
import logging
import threading
from typing import Any, Callable, Optional

from . import _abi

_log = logging.getLogger("cutis")


class Context(_abi.Handle):
    """What work runs on. Results depend neither on `threads` (0: all) nor on `backend`.

    `log(text)`: remarks worth telling; by default the logger "cutis". `progress(stage, done)`: work done in [0,1].
    `cancelled()`: returns True to stop the work; asked at most a hundred times a second, in the thread that called.
    """

    _kind = "context"

    def __init__(self, threads: int = 0, backend: Optional[str] = None, log: Optional[Callable[[str], Any]] = None,
                 progress: Optional[Callable[[str, float], Any]] = None,
                 cancelled: Optional[Callable[[], Any]] = None) -> None:
        options = _abi.options({"threads": threads, "backend": backend})
        super().__init__(lambda out: _abi.call("cutis_context_create", options, out))
        self.log = log or _log.warning
        self.progress = progress
        self.cancelled = cancelled
        self._raised: Optional[BaseException] = None

        # Exceptions cannot pass through C: they stop the work, and are raised when it has returned.
        def heard(function: Callable[[], Any]) -> Any:
            try:
                return function()
            except BaseException as why:  # noqa: BLE001
                self._raised = why
                return None

        def on_log(_user: Any, text: bytes) -> None:
            heard(lambda: self.log(text.decode(errors="replace")))

        def on_progress(_user: Any, stage: bytes, done: float) -> None:
            if self.progress is not None:
                heard(lambda: self.progress(stage.decode(errors="replace"), done))

        def on_cancelled(_user: Any) -> int:
            stop = self.cancelled is not None and heard(self.cancelled)
            return 1 if stop or self._raised is not None or _abi.interrupts.noted else 0

        self._callbacks = _abi.Callbacks(user=None, log=_abi.LOG(on_log), progress=_abi.PROGRESS(on_progress),
                                         cancelled=_abi.CANCELLED(on_cancelled))
        _abi.call("cutis_context_set_callbacks", self._handle, ctypes.byref(self._callbacks))

    def cancel(self, on: bool = True) -> None:
        """Stops whatever is at work with this context, from any thread, until cancel(False)."""
        _abi.call("cutis_context_cancel", self._handle, int(on))

    def _call(self, function: str, *arguments: Any) -> int:
        return self._finish(lambda: _abi.call(function, *arguments))

    def _finish(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        finally:
            if self._raised is not None:
                why, self._raised = self._raised, None
                raise why


_default: Optional[Context] = None
_lock = threading.Lock()


def default_context() -> Context:
    """The one that is used where none is given: all cores, the logger "cutis"."""
    global _default
    with _lock:
        if _default is None:
            _default = Context()
        return _default
