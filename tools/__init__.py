"""The commands: ``dlc-opt``, ``dlc-compile`` and ``dlc-run``.

Importing what a command needs takes a while; Ctrl-C in it ends the process without a traceback, as
Ctrl-C at work does (``_command.run_command``).
"""

import os
import sys
from types import TracebackType


def _end_quietly(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        os._exit(130)
    _shown(kind, error, trace)


_shown, sys.excepthook = sys.excepthook, _end_quietly
