"""The partial order in which the launches of a function run."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from xdsl.dialects.func import FuncOp

from dlc.analysis.entry import launches
from dlc.core.locations import operation_text
from dlc.dialects.fused_group import launches_before
from dlc.errors import CompileError


class LaunchOrder:
    """The order of the launches of ``main``, which are known by their numbers in program order.

    edges: for each launch those that it comes after without another one between. above: for each
    launch all that have ended when it begins, as the bits of a number.
    """

    def __init__(self, main: FuncOp):
        self.launches = launches(main)
        self._number = {op: number for number, op in enumerate(self.launches)}
        self.edges: list[list[int]] = []
        self.above: list[int] = []
        last = set[int]()
        for number, op in enumerate(self.launches):
            said = None if op.after is None else [number - n for n in op.after.get_values()]
            before = self._nearest(sorted(last) if said is None else said)
            self.edges.append(before)
            self.above.append(self._union(before))
            last = {number, *last.difference(before)}

    def _union(self, before: list[int]) -> int:
        found = 0
        for other in before:
            found |= self.above[other] | 1 << other
        return found

    def _nearest(self, before: list[int]) -> list[int]:
        """Return launches without those that another one of them comes after."""
        over = 0
        for other in before:
            over |= self.above[other]
        return sorted(other for other in before if not over >> other & 1)

    def comes_after(self, number: int, other: int) -> bool:
        """Return whether a launch begins when another one has ended."""
        return bool(self.above[number] >> other & 1)

    def unordered(self) -> Iterator[tuple[int, int]]:
        """Yield the launches that may run at the same time, in pairs."""
        for number, above in enumerate(self.above):
            free = (1 << number) - 1 & ~above
            while free:
                yield free.bit_length() - 1, number
                free ^= 1 << free.bit_length() - 1

    def check(self) -> None:
        """Raise CompileError where a launch does not come after one whose result it reads."""
        for number, op in enumerate(self.launches):
            for other in launches_before(op):
                if not self.comes_after(number, self._number[other]):
                    what = f"launch @{op.kernel_name} reads what @{other.kernel_name} gives"
                    raise CompileError(f"{what}, and does not come after it", at=operation_text(op))

    @cached_property
    def steps(self) -> list[int]:
        """The step of each launch. Launches of different steps come one after the other; those of
        one step need not.
        """
        found: list[int] = []
        for number, is_alone in enumerate(self._stand_alone):
            begins = not found or is_alone or self._stand_alone[number - 1]
            found.append((found[-1] if found else -1) + begins)
        return found

    @cached_property
    def _stand_alone(self) -> list[bool]:
        return standing_alone(self.above)


def standing_alone(above: Sequence[int]) -> list[bool]:
    """Return for each launch whether it comes after all before it, and all behind it after it.

    above: the launches that each one comes after, as the bits of a number.
    """
    found: list[bool] = []
    common = -1
    for number in reversed(range(len(above))):
        found.append(above[number] == (1 << number) - 1 and bool(common >> number & 1))
        common &= above[number]
    return found[::-1]
