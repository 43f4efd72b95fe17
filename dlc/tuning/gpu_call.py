"""A call of a library in a trial on a GPU: prepared and enqueued as ``cuda_calls.c`` does it."""

import ctypes
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int32, c_uint32, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from dlc.errors import ArtifactError
from dlc.runtime.gpu_driver import Driver, Handle
from dlc.scratch import ScratchFolder
from dlc.tuning.calling import RefusedCallError, required

_CAPTURE_RELAXED = 2
"""``CU_STREAM_CAPTURE_MODE_RELAXED``: a library may load code at its first launch."""


class _CallRow(ctypes.Structure):
    """``dlc_call`` of ``cuda_program.h``."""

    _fields_: ClassVar = [
        ("library", c_uint32),
        ("given", c_void_p),
        ("algorithm", c_int32),
        ("buffer_count", c_uint32),
        ("buffers", POINTER(c_uint32)),
        ("has_workspace", c_uint32),
        ("prepare", CFUNCTYPE(c_char_p, c_void_p, c_int32, POINTER(c_void_p), POINTER(c_void_p))),
        ("enqueue", CFUNCTYPE(c_char_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
        ("release", CFUNCTYPE(None, c_void_p)),
        ("close", CFUNCTYPE(None, c_void_p)),
    ]


@dataclass(frozen=True)
class PreparedCall:
    """A call that its library has taken."""

    row: Any
    state: c_void_p

    def launch(self, driver: Driver, stream: Handle, places: Sequence[int]) -> None:
        """Enqueue it. places: the addresses of the kernel's buffers. Raises ArtifactError."""
        row = self.row
        taken = [places[number] for number in row.buffers[: row.buffer_count]]
        buffers = (c_void_p * max(1, len(taken)))(*taken)
        workspace = Handle(places[-1] if row.has_workspace else None)
        mode = ctypes.c_int(_CAPTURE_RELAXED)
        driver("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
        try:
            reason = row.enqueue(row.given, self.state, stream, buffers, workspace)
        finally:
            driver("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
        if reason is not None:
            raise ArtifactError(f"the library says: {reason.decode(errors='replace')}")


@dataclass(frozen=True)
class OpenedCall:
    """A call whose library is open. Its algorithms share a state, and run one after the other."""

    row: Any
    shared: c_void_p
    state: c_void_p

    def prepared(self, algorithm: int) -> PreparedCall:
        """Prepare the call for the current GPU by one of the algorithms of its library.

        Raises RefusedCallError where the library does not take it.
        """
        to = ctypes.byref(self.shared), ctypes.byref(self.state)
        reason = self.row.prepare(self.row.given, algorithm, *to)
        if reason is not None:
            text = reason.decode(errors="replace")
            raise RefusedCallError(f"the library does not take the call: {text}")
        return PreparedCall(self.row, self.state)

    def close(self) -> None:
        """Give back all that was prepared."""
        if self.state.value:
            self.row.release(self.state)
        if self.shared.value:
            self.row.close(self.shared)


@contextmanager
def opened_call(code: bytes) -> Generator[OpenedCall]:
    """Open the library of a call (``call_code``). Raises UncallableError where it is missing."""
    with ScratchFolder("dlc-tune-") as folder:
        path = Path(folder, "call.so")
        path.write_bytes(code)
        trial = ctypes.CDLL(str(path))
    with required(trial):
        row = POINTER(_CallRow).in_dll(trial, "dlc_trial_call").contents
        call = OpenedCall(row, c_void_p(), c_void_p())
        try:
            yield call
        finally:
            call.close()


class LastCall:
    """Keeps the call of the last program open: the next one is often by another algorithm."""

    def __init__(self, kept: ExitStack):
        """kept: closes it."""
        self._code = b""
        self._call: OpenedCall | None = None
        self._kept = ExitStack()
        kept.callback(lambda: self._kept.close())

    def opened(self, code: bytes) -> OpenedCall:
        """Return a call, opened before the last one is closed: its library may be the same.

        Raises UncallableError.
        """
        if self._call is None or self._code != code:
            kept = ExitStack()
            call = kept.enter_context(opened_call(code))
            self._kept.close()
            self._code, self._call, self._kept = code, call, kept
        return self._call
