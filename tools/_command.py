"""What the commands share: errors as one line, and progress on a terminal."""

import errno
import math
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from dlc.errors import CompileError, printable
from dlc.option_text import on_command_line
from dlc.tools import INTERRUPTED, interrupt_by_exception
from dlc.tools._terminal import guarded_output, show, unguarded

SUCCESS, FAILURE, WRONG_COMMAND, INTERNAL_ERROR = 0, 1, 2, 70

_ELSEWHERE = "; free some, or choose other places with -o and the variable TMPDIR"
_WAYS_OUT = {
    errno.ENOSPC: _ELSEWHERE,
    errno.EDQUOT: _ELSEWHERE,
    errno.EFBIG: "; raise the limit on the size of a file (ulimit -f)",
}


class CommandParser(ArgumentParser):
    """Says what is wrong with a command line in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_COMMAND, f"{self.prog}: error: {message}; see {self.prog} --help\n")


def run_command(name: str, command: Callable[[], int]) -> int:
    """Run a command; what it raises becomes lines on standard error and an exit code."""
    with guarded_output(), on_command_line():
        return _run(name, command)


def _run(name: str, command: Callable[[], int]) -> int:
    try:
        interrupt_by_exception()
        code = command()
        sys.stdout.flush()
        return code
    except CompileError as error:
        return _fail(name, str(error))
    except BrokenPipeError:  # the reader has had enough
        _discard_output()
        return SUCCESS
    except OSError as error:
        if not error.filename:
            _discard_output()
        text = (error.strerror or str(error)).lower() + _WAYS_OUT.get(error.errno or 0, "")
        return _fail(name, f"{error.filename}: {text}" if error.filename else text)
    except MemoryError:
        return _fail(name, "not enough memory; give smaller sizes")
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        return _fail_unexpectedly(name, error)


def natural(text: str) -> int:
    """Read an argument that is a number of 0 or more; raises ArgumentTypeError for another one."""
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return int(text)


def positive(text: str) -> int:
    """Read an argument that is a number of 1 or more; raises ArgumentTypeError for another one."""
    if not (text.isascii() and text.isdigit() and int(text)):
        raise ArgumentTypeError(f"{text!r} is not a number of 1 or more")
    return int(text)


def seconds(text: str) -> float:
    """Read an argument that is a time above 0; raises ArgumentTypeError for another one."""
    try:
        if 0 < (found := float(text)) < math.inf:
            return found
    except ValueError:
        pass
    raise ArgumentTypeError(f"{text!r} is not a number of seconds above 0")


def tolerance(text: str) -> float:
    """Read an argument that is a number of 0 or more; raises ArgumentTypeError for another one."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return value


def _discard_output() -> None:
    """Let what is still to be written to standard output, at the end, go nowhere."""
    with suppress(OSError):  # a stream in memory
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(name: str, message: str) -> int:
    show(f"{name}: error: {message}", sys.stderr)
    return FAILURE


def _fail_unexpectedly(name: str, error: Exception) -> int:
    """Print the errors of the IR; anything else is a fault of dlc and says so."""
    from dlc.core.diagnostics import diagnostics_of

    known = diagnostics_of(error)
    for diagnostic in known or ():
        _fail(name, diagnostic.text())
    if known:
        return FAILURE
    _fail(name, f"internal error: {type(error).__name__}: {error}")
    return INTERNAL_ERROR


class Progress:
    """Shows what is being done: one line that changes on a terminal, else a line per step."""

    def __init__(self) -> None:
        self._stream = unguarded(sys.stderr)
        self._on_terminal = self._stream.isatty()

    def __call__(self, step: str) -> None:
        """Show the step that begins now."""
        step = printable(step)
        if self._on_terminal:
            print(f"\r\x1b[K{step}", end="", file=self._stream, flush=True)
        else:
            print(step, file=self._stream, flush=True)

    def detail(self, text: str) -> None:
        """Show how far a step is; only a terminal has a place for it."""
        if self._on_terminal:
            self(text)

    def finish(self) -> None:
        """Take the line off the terminal."""
        if self._on_terminal:
            print("\r\x1b[K", end="", file=self._stream, flush=True)
