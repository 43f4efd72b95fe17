"""A forked process: what crashes there does not end the compile, and what works there takes another
core.
"""

import faulthandler
import os
import resource
import signal
import warnings
from collections.abc import Callable
from math import inf
from multiprocessing import Pipe
from types import TracebackType
from typing import Any, Protocol, Self

from dlc.errors import CompileError

Answer = Callable[[Any], Any]


class _Calls(Protocol):
    """The child's end of the line."""

    def send(self, obj: Any) -> None: ...
    def recv(self) -> Any: ...


class CrashError(CompileError):
    """A process ended by a signal, or on its own, instead of answering."""


class OverdueError(CrashError):
    """A process was ended that did not answer in time."""


class Child:
    """Answers calls in a process of its own; a context manager that ends the process.

    begin: called there first; gives what answers. What it raises comes back. Unlike a program that
    is started, a fork takes some milliseconds, and shares what this process has in memory.
    """

    def __init__(self, begin: Callable[[], Answer], seconds: float = inf):
        """seconds: how long an answer may take. Raises what ``begin`` does, OSError, CrashError."""
        self._seconds = seconds
        self._calls, calls = Pipe()
        with warnings.catch_warnings():  # the child calls nothing that needs the other threads
            warnings.filterwarnings("ignore", "This process .* is multi-threaded")
            self._pid = os.fork()
        if not self._pid:
            self._calls.close()
            _serve(calls, begin)
        calls.close()
        try:
            self.answer()
        except BaseException:
            self.close()
            raise

    def __call__(self, argument: Any) -> Any:
        """Return the answer. Raises what the child raised, or CrashError; one that takes too long
        is ended.
        """
        self.ask(argument)
        return self.answer()

    def ask(self, argument: Any) -> None:
        """Let it work on the answer meanwhile. Raises CrashError."""
        try:
            self._calls.send(argument)
        except BrokenPipeError:
            raise self._crash() from None

    def answer(self) -> Any:
        """Return the answer to what was asked, as a call does."""
        try:
            if not self._calls.poll(None if self._seconds == inf else self._seconds):
                self.close()
                raise OverdueError(f"did not end within {self._seconds:.4g} s")
            is_answer, found = self._calls.recv()
        except (EOFError, ConnectionResetError):
            raise self._crash() from None
        if not is_answer:
            raise found
        return found

    def _crash(self) -> CrashError:
        status = self._end()
        how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        return CrashError(f"crashed ({how})")

    def _end(self) -> int:
        """Wait for the process; return its exit status, below 0 for a signal."""
        pid, self._pid = self._pid, 0
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def close(self) -> None:
        """End the process."""
        self._calls.close()
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()


def _serve(calls: _Calls, begin: Callable[[], Answer]) -> None:
    """Answer until the parent is gone; never return: what is done at an exit is the parent's."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        answers: list[Answer] = []
        calls.send(_tried(lambda: answers.append(begin())))
        while answers:
            argument = calls.recv()
            calls.send(_tried(lambda argument=argument: answers[0](argument)))
    finally:
        os._exit(1)


def _tried(function: Callable[[], Any]) -> tuple[bool, Any]:
    """Return what a function gives, or what it raises, and which of both it is."""
    try:
        return True, function()
    except Exception as error:
        return False, error
