"""Answers that are kept: equal questions are asked once in a process."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class Memo(Generic[Answer]):
    """Answers by key. Where there are ``most`` of them, all are forgotten."""

    def __init__(self, most: int = 10_000):
        self._most = most
        self._answers: dict[Hashable, Answer] = {}

    def answer(self, key: Hashable, ask: Callable[[], Answer]) -> Answer:
        """Return the answer for a key, that of ``ask`` where there is none."""
        try:
            return self._answers[key]
        except KeyError:
            pass
        found = ask()
        if len(self._answers) >= self._most:
            self._answers.clear()
        self._answers[key] = found
        return found
