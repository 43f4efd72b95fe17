"""The commands: ``dlc-opt``, ``dlc-compile`` and ``dlc-run``.

Importing what a command needs takes a while. Ctrl-C then ends the process at once: an exception
would go through the start of C extensions, some of which crash at it.
"""

import os
import signal
import sys
from pathlib import PurePath
from types import FrameType

INTERRUPTED = 130
_COMMANDS = ("-m", "dlc-opt", "dlc-compile", "dlc-run")


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


def interrupt_by_exception() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again, so that a command can clean up."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


if sys.argv and PurePath(sys.argv[0]).name in _COMMANDS:  # not where a program imports a command
    signal.signal(signal.SIGINT, _end)
