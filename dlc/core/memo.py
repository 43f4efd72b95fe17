"""Answers that are kept: equal questions are asked once in a process."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class Memo(Generic[Answer]):
    """Answers by key. Of more than ``most``, the one is forgotten that nobody asked for longest."""

    def __init__(self, most: int = 10_000):
        self._most = most
        self._answers: OrderedDict[Hashable, Answer] = OrderedDict()

    def answer(self, key: Hashable, ask: Callable[[], Answer]) -> Answer:
        """Return the answer for a key, that of ``ask`` where there is none."""
        try:
            found = self._answers[key]
            self._answers.move_to_end(key)
            return found
        except KeyError:  # there is none, or another thread has dropped it since
            pass
        found = ask()
        if len(self._answers) >= self._most:
            self._answers.popitem(last=False)
        self._answers[key] = found
        return found
