"""A lock that a forked child finds free."""

import os
import threading
from weakref import WeakSet


class RunLock:
    """A lock that is free in a forked child, whichever thread of the parent held it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        _locks.add(self)

    def renew(self) -> None:
        """Free the lock: in a child, in which its owner is no more."""
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()


_locks: WeakSet[RunLock] = WeakSet()


def _begin_child() -> None:
    for lock in _locks:
        lock.renew()


os.register_at_fork(after_in_child=_begin_child)
