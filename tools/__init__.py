"""The commands: ``dlc-opt``, ``dlc-compile``, ``dlc-run``, ``dlc-db`` and ``dlc-analyze``.

Importing what a command needs takes a while. Ctrl-C then ends the process at once: an exception
would go through the start of C extensions, some of which crash at it.
"""

import os
import signal
import sys
from pathlib import PurePath
from types import FrameType
from typing import NoReturn

INTERRUPTED = 128 + signal.SIGINT
_COMMANDS = ("-m", "dlc-opt", "dlc-compile", "dlc-run", "dlc-db", "dlc-analyze")


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


def _exit(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def interrupt_by_exception() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again, and termination and the end of the terminal
    SystemExit, so that a command can clean up.
    """
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores SIGHUP
                signal.signal(number, _exit)


if sys.argv and PurePath(sys.argv[0]).name in _COMMANDS:  # not where a program imports a command
    signal.signal(signal.SIGINT, _end)
