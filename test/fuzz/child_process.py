"""Runs a case in a forked child with limits, so that whatever it does is an ending with a name."""

import faulthandler
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

CPU_SECONDS = 60
"""A case may take no more; of processor time, so that a busy machine changes nothing."""
WALL_SECONDS = 240
"""After this a case waits for something that does not come."""
MEMORY_BYTES = 6 << 30

GOOD = ("ok", "refused", "unknown")
"""``unknown``: there is nothing to compare with; all other kinds of endings are faults."""


@dataclass(frozen=True)
class Ending:
    """How a case ended. kind: one of ``GOOD``, or the name of a fault; place: where, the same for
    the same fault; text: what was said.
    """

    kind: str
    place: str = ""
    text: str = ""

    @property
    def is_fault(self) -> bool:
        """Whether something that must hold did not."""
        return self.kind not in GOOD

    def is_like(self, other: "Ending") -> bool:
        """Return whether both are the same fault."""
        return (self.kind, self.place) == (other.kind, other.place)


Stage = Callable[[str], None]
"""Told what a case does next: a crash names it."""
Case = Callable[[Stage], Ending]


def run_in_child(case: Case) -> Ending:
    """Run ``case`` in a child and return how it ended."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _be_child(case, write)
    os.close(write)
    lines, ended = _read(read)
    if not ended:
        os.killpg(child, signal.SIGKILL)
    os.close(read)
    _, status = os.waitpid(child, 0)
    stage = lines[-1] if lines else "start"
    if stage.startswith("{"):
        return Ending(**json.loads(stage))
    if not ended or os.WTERMSIG(status) == signal.SIGXCPU:
        return Ending("too slow", stage)
    name = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit {status}"
    if stage.startswith("peer:"):
        return Ending("unknown", stage, name)
    return Ending("crash", f"{name} in {stage}")


def _read(pipe: int) -> tuple[list[str], bool]:
    """Return the lines that a child wrote, and whether it ended in time."""
    data, deadline = b"", time.monotonic() + WALL_SECONDS
    while (left := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select([pipe], [], [], left)
        if not ready:
            break
        part = os.read(pipe, 1 << 16)
        if not part:
            return data.decode(errors="replace").splitlines(), True
        data += part
    return data.decode(errors="replace").splitlines(), False


def _be_child(case: Case, pipe: int) -> None:
    """Run the case, write how it ended, and never return."""

    def tell(line: str) -> None:
        os.write(pipe, line.encode() + b"\n")

    try:
        os.setsid()
        faulthandler.disable()  # a crash is told by its signal
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        tell(json.dumps(asdict(_ending(case, tell))))
    finally:
        os._exit(0)


def _ending(case: Case, tell: Stage) -> Ending:
    try:
        return case(tell)
    except MemoryError:
        return Ending("refused", text="not enough memory")
    except Exception as error:
        return Ending("internal error", place_of(error), f"{type(error).__name__}: {error}"[:2000])


def place_of(error: BaseException) -> str:
    """Return the type of an error and the innermost function of ``dlc`` that raised it."""
    kind = type(error).__name__
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 5000))
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        parts = Path(frame.filename).parts
        if "dlc" in parts[:-1] and "test" not in parts:
            last = len(parts) - 1 - parts[::-1].index("dlc")
            return f"{kind} in {'/'.join(parts[last:])}:{frame.name}"
    return kind
