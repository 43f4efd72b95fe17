"""Memory that holds, in place of bytes, which tensor's bytes they are."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from xdsl.ir import SSAValue

from dlc.backends.host.program import Address


@dataclass(frozen=True)
class Piece:
    """Neighbouring bytes of a tensor, from byte ``first`` of it; ``None``: of none."""

    bytes: int
    source: SSAValue | None
    first: int = 0

    def cut(self, start: int, end: int) -> "Piece":
        """Return the bytes from one to before another."""
        first = self.first + start if self.source is not None else 0
        return replace(self, bytes=end - start, first=first)

    def is_before(self, other: "Piece") -> bool:
        """Return whether ``other`` continues this."""
        follows = self.source is None or self.first + self.bytes == other.first
        return self.source is other.source and follows


def part(pieces: Sequence[Piece], start: int, bytes: int) -> list[Piece]:
    """Return some bytes of neighbouring pieces."""
    found: list[Piece] = []
    begin = 0
    for piece in pieces:
        low, high = max(start - begin, 0), min(start + bytes - begin, piece.bytes)
        if low < high:
            found.append(piece.cut(low, high))
        begin += piece.bytes
    return joined(found)


def joined(pieces: Iterable[Piece]) -> list[Piece]:
    """Return pieces as few as possible, without empty ones."""
    found: list[Piece] = []
    for piece in pieces:
        if found and found[-1].is_before(piece):
            found[-1] = replace(found[-1], bytes=found[-1].bytes + piece.bytes)
        elif piece.bytes:
            found.append(piece)
    return found


class Memory:
    """Whose bytes are where."""

    def __init__(self) -> None:
        self._runs: dict[tuple[str, int], _Run] = {}

    def read(self, at: Address, bytes: int) -> list[Piece]:
        """Return what some bytes are."""
        return joined(self._run(at).between(at.offset, at.offset + bytes))

    def write(self, at: Address, pieces: Sequence[Piece]) -> None:
        """Put pieces at an address."""
        self._run(at).put(at.offset, pieces)

    def _run(self, at: Address) -> "_Run":
        return self._runs.setdefault((at.space, at.buffer), _Run())


class _Run:
    """The pieces of one buffer, by the bytes at which they begin."""

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._pieces: list[Piece] = []

    def _span(self, begin: int, end: int) -> tuple[int, int]:
        """Return the number of the first piece that has bytes between two, and of that after all of
        them.
        """
        first = bisect_right(self._begins, begin)
        if first and self._begins[first - 1] + self._pieces[first - 1].bytes > begin:
            first -= 1
        return first, max(first, bisect_left(self._begins, end))

    def between(self, begin: int, end: int) -> Iterator[Piece]:
        """Yield the pieces of some bytes, those without a source too."""
        at = begin
        for number in range(*self._span(begin, end)):
            start, piece = self._begins[number], self._pieces[number]
            if start > at:
                yield Piece(start - at, None)
            yield piece.cut(max(begin - start, 0), min(end - start, piece.bytes))
            at = start + piece.bytes
        if at < end:
            yield Piece(end - at, None)

    def put(self, begin: int, pieces: Sequence[Piece]) -> None:
        """Replace bytes from one on by pieces."""
        end = begin + sum(piece.bytes for piece in pieces)
        first, last = self._span(begin, end)
        new = list(pieces)
        if first < last:
            start, final = self._begins[first], self._begins[last - 1]
            before, after = self._pieces[first], self._pieces[last - 1]
            if start < begin:
                new.insert(0, before.cut(0, begin - start))
                begin = start
            if final + after.bytes > end:
                new.append(after.cut(end - final, after.bytes))
        sizes = accumulate((piece.bytes for piece in new), initial=begin)
        self._begins[first:last] = list(sizes)[:-1]
        self._pieces[first:last] = new
