"""Processes that measure on one device take turns."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress

from dlc.core.cache import cache_root


@contextmanager
def turn(device: str) -> Generator[None]:
    """Let no other process that shares the folder of the caches measure on a device meanwhile.

    device: a name that may be one of a file.

    Where nothing can be locked, nobody waits: the times are then those of a busy machine.
    """
    place = cache_root() / f"measuring-{device}.lock"
    lock = -1
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(place, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if lock >= 0:
            fcntl.flock(lock, fcntl.LOCK_UN)  # a process that was forked meanwhile has it open, too
            os.close(lock)
