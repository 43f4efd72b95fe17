"""Runs another program within limits of time and memory, so that none can take the machine."""

import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from dlc.errors import CompileError

_SCRIPT = 'ulimit -t "$1"; ulimit -v "$2"; shift 2; exec "$@"'
"""A shell sets the limits: ``preexec_fn`` may hang where other threads run."""


def _memory_bytes() -> int:
    """Return half of the machine's memory, at most 8 GiB."""
    return min(8 << 30, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)


@dataclass(frozen=True)
class Limits:
    """What a program may take: wall time (and so much time of a core), and address space."""

    seconds: int = 600
    memory_bytes: int = _memory_bytes()


@dataclass(frozen=True)
class Finished:
    """How a program ended. status: its exit status, below 0 for a signal."""

    status: int
    output: str
    errors: str


def run_limited(command: Sequence[str], folder: str, limits: Limits) -> Finished:
    """Run a program in ``folder`` to its end, within ``limits``; it and its children then are gone.

    Raises CompileError when it takes longer than it may. Where it runs out of memory, it says so in
    its own words.
    """
    words = list(command)
    if shell := shutil.which("sh"):
        seconds = _at_most(resource.RLIMIT_CPU, limits.seconds)
        kibibytes = _at_most(resource.RLIMIT_AS, limits.memory_bytes) >> 10
        words = [shell, "-c", _SCRIPT, "sh", str(seconds), str(kibibytes), *words]
    with subprocess.Popen(
        words,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        process_group=0,
    ) as child:
        try:
            output, errors = child.communicate(timeout=limits.seconds)
        except subprocess.TimeoutExpired:
            _end(child)
            raise CompileError(f"{command[0]} took more than {limits.seconds} s") from None
        except BaseException:
            _end(child)
            raise
    return Finished(child.returncode, output, errors)


def _at_most(kind: int, wanted: int) -> int:
    """Return the limit that is wanted, or that of this process, which none may raise."""
    _, hard = resource.getrlimit(kind)
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


def _end(child: subprocess.Popen[str]) -> None:
    """Kill a program and the programs that it started: they are one process group."""
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate()
