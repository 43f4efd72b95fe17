"""Which launches of a function come before which, and the memory that an order of them takes."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dlc.analysis.buffers import Buffers
from dlc.analysis.entry import launches, returned
from dlc.dialects.fused_group import launches_before
from dlc.ir.tensor import tensor_bytes

Sets = Sequence[Sequence[int]]
"""An order of launches, by their numbers: those of a set come in no order, after all before it."""


class LaunchGraph:
    """The launches of ``main`` by their numbers, in program order."""

    def __init__(self, main: FuncOp):
        self._main = main
        self.launches = launches(main)
        self._number: Mapping[Operation, int] = {op: n for n, op in enumerate(self.launches)}
        self.before = [{self._number[op] for op in launches_before(x)} for x in self.launches]

    @cached_property
    def after(self) -> list[set[int]]:
        """The launches that read what each one gives."""
        found = [set[int]() for _ in self.launches]
        for number, before in enumerate(self.before):
            for other in before:
                found[other].add(number)
        return found

    @cached_property
    def heights(self) -> list[int]:
        """The launches on the longest way from each one to the end."""
        found = [1 for _ in self.launches]
        for number in reversed(range(len(found))):
            found[number] += max((found[other] for other in self.after[number]), default=0)
        return found

    def regions(self) -> Iterator[range]:
        """Yield the stretches of launches between those that come after all before and before all
        after them; only what is in one stretch can come in another order.
        """
        start = 0
        for number in (*self._waists(), len(self.launches)):
            if number > start:
                yield range(start, number)
            start = number + 1

    def _waists(self) -> Iterator[int]:
        count = len(self.launches)
        above, below = [0] * count, [0] * count
        for number, before in enumerate(self.before):
            for other in before:
                above[number] |= above[other] | 1 << other
        for number in reversed(range(count)):
            for other in self.after[number]:
                below[number] |= below[other] | 1 << other
        for number in range(count):
            if (above[number] | below[number]).bit_count() == count - 1:
                yield number

    def live_bytes(self, order: Sets, scratch: Sequence[int]) -> int:
        """Return the most bytes that results and scratch buffers have at a time.

        scratch: the bytes that each launch has for itself.
        """
        step = {number: n for n, numbers in enumerate(order) for number in numbers}
        change = [0] * (len(order) + 1)
        for number, bytes in enumerate(scratch):
            change[step[number]] += bytes
            change[step[number] + 1] -= bytes
        for value, (writers, readers) in self._buffers.items():
            touched = [step[number] for number in (*writers, *readers)]
            change[min(touched)] += tensor_bytes(value)
            change[max(touched) + 1] -= tensor_bytes(value)
        live = most = 0
        for bytes in change:
            live += bytes
            most = max(most, live)
        return most

    @cached_property
    def _buffers(self) -> dict[SSAValue, tuple[set[int], set[int]]]:
        """The launches that write and that read each buffer, but what the model returns."""
        buffers = Buffers(self._main.body.block)
        found: dict[SSAValue, tuple[set[int], set[int]]] = {}
        for number, op in enumerate(self.launches):
            for value in op.results:
                found.setdefault(buffers.place(value)[0], (set(), set()))[0].add(number)
        for number, op in enumerate(self.launches):
            for value in op.operands:
                buffer, _ = buffers.place(value)
                if buffer in found:
                    found[buffer][1].add(number)
        for value in returned(self._main.body.block):
            found.pop(buffers.place(value)[0], None)
        return found
