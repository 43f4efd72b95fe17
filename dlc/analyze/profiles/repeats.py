"""What comes again and again at the end of a sequence."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Repeats:
    """Equal parts of a sequence, one after the other. start: of the first one. length: of each.
    count: how many there are.
    """

    start: int
    length: int
    count: int


def repeats(sequence: Sequence[Hashable]) -> Repeats | None:
    """Return the parts that make up most of the end of a sequence, ``None`` where nothing comes
    twice there. They end where the sequence ends, or where all of it repeats begin where it begins.
    """
    same = _same_from(sequence[::-1])
    lengths = [n for n in range(1, len(same)) if same[n] >= n]
    if not lengths:
        return None
    length = max(lengths, key=lambda n: n + same[n])  # the first of several: the shortest
    count = 1 + same[length] // length
    is_all = length + same[length] == len(sequence)
    return Repeats(0 if is_all else len(sequence) - count * length, length, count)


def _same_from(sequence: Sequence[Hashable]) -> list[int]:
    """Return for each place how many elements from there on are those at the beginning.

    The Z algorithm (Gusfield, "Algorithms on Strings, Trees, and Sequences", 1.4): what is known of
    the beginning holds inside of the part that reaches furthest.
    """
    found = [len(sequence)] if sequence else []
    first = end = 0
    for place in range(1, len(sequence)):
        count = min(found[place - first], end - place) if place < end else 0
        while place + count < len(sequence) and sequence[count] == sequence[place + count]:
            count += 1
        if place + count > end:
            first, end = place, place + count
        found.append(count)
    return found
