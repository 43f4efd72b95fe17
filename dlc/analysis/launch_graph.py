"""Which launches of a function need the results of which."""

from collections.abc import Iterator

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dlc.analysis.entry import launches
from dlc.analysis.launch_order import standing_alone
from dlc.dialects.fused_group import launches_before


class LaunchGraph:
    """The launches of ``main``, which are known by their numbers in program order.

    before: for each launch those whose results it reads.
    """

    def __init__(self, main: FuncOp):
        self.launches = launches(main)
        number: dict[Operation, int] = {op: n for n, op in enumerate(self.launches)}
        self.before = [{number[x] for x in launches_before(op)} for op in self.launches]

    def longest_within(self, stretch: range) -> int:
        """Return how many launches of a stretch the longest way through it has."""
        found: dict[int, int] = {}
        for number in stretch:
            before = self.before[number]
            found[number] = 1 + max((found.get(other, 0) for other in before), default=0)
        return max(found.values())

    def longest_way(self, stretch: range) -> set[int]:
        """Return the launches on the way through a stretch that takes longest, or on several."""
        times = {n: round(1000 * self.launches[n].microseconds) for n in stretch}
        until, rest = dict[int, int](), dict(times)
        for number in stretch:
            until[number] = max(
                (until[x] + times[x] for x in self._within(number, stretch)), default=0
            )
        for number in reversed(stretch):
            for other in self._within(number, stretch):
                rest[other] = max(rest[other], times[other] + rest[number])
        longest = max(until[n] + rest[n] for n in stretch)
        return {n for n in stretch if until[n] + rest[n] == longest}

    def _within(self, number: int, stretch: range) -> set[int]:
        return self.before[number] & {*stretch}

    def stretches(self, alone: set[int]) -> Iterator[range]:
        """Yield the stretches of launches between those that need all before them and are needed by
        all behind them. Only launches of one stretch may run at the same time.

        alone: launches that are taken for such ones.
        """
        start = 0
        for number, is_waist in enumerate((*standing_alone(self._above(alone)), True)):
            if is_waist:
                if number > start:
                    yield range(start, number)
                start = number + 1

    def _above(self, alone: set[int]) -> list[int]:
        found: list[int] = []
        least = 0
        for number, before in enumerate(self.before):
            all_before = (1 << number) - 1
            above = all_before if number in alone else least
            for other in before:
                above |= found[other] | 1 << other
            found.append(above)
            least = all_before | 1 << number if number in alone else least
        return found
