"""A call of a library in a trial on a GPU: prepared and enqueued as ``cuda_calls.c`` does it."""

import ctypes
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_uint32, c_void_p
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
        ("buffer_count", c_uint32),
        ("buffers", POINTER(c_uint32)),
        ("has_workspace", c_uint32),
        ("prepare", CFUNCTYPE(c_char_p, c_void_p, POINTER(c_void_p), POINTER(c_void_p))),
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


@contextmanager
def prepared(code: bytes) -> Generator[PreparedCall]:
    """Open the library of a call (``call_code``) and prepare that for the current GPU.

    Raises UncallableError where the library is missing, RefusedCallError where it does not take the
    call.
    """
    with ScratchFolder("dlc-tune-") as folder:
        path = Path(folder, "call.so")
        path.write_bytes(code)
        trial = ctypes.CDLL(str(path))
    with required(trial):
        row = POINTER(_CallRow).in_dll(trial, "dlc_trial_call").contents
        shared, state = c_void_p(), c_void_p()
        try:
            reason = row.prepare(row.given, ctypes.byref(shared), ctypes.byref(state))
            if reason is not None:
                text = reason.decode(errors="replace")
                raise RefusedCallError(f"the library does not take the call: {text}")
            yield PreparedCall(row, state)
        finally:
            if state.value:
                row.release(state)
            if shared.value:
                row.close(shared)
