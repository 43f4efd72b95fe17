"""Results whose inputs lie turned along a short axis: a thread has all places of that axis.

Its elements of such an input then lie beside each other: it reads them as they lie, into registers,
and stores neighbours of the result for each place.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.turned_reads import Turn, TurnedInput
from dlc.core.affine import linear_index, unflatten
from dlc.dialects.graph.computed import Index
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp, buffer_shape
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import element_type
from dlc.lowering.axes import MergedAxes, store_elements
from dlc.lowering.job import Job
from dlc.lowering.scope import LoopScope, Place
from dlc.strategies.map.nest import each_thread


def lower_in_strips(job: Job, turn: Turn, threads: int, vector: int) -> None:
    """Write the loops of threads that have all places of the axis along which inputs lie, and
    ``vector`` neighbours of the result at each, for a GPU.
    """
    _Strips(job, turn, vector).write(threads)


@dataclass
class _Strips:
    job: Job
    turn: Turn
    vector: int
    copies: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    at: Index = ()

    def __post_init__(self) -> None:
        self.axes = MergedAxes(self.turn.shape, self.turn.groups, (), 1)
        self.scope = LoopScope(self.job.builder, self.job.buffers, nearer=self._near)
        self.sides = [self.vector, self.turn.sizes[self.turn.axis]]

    def write(self, threads: int) -> None:
        """Write the loops over threads."""
        *others, last = self.turn.sizes
        del others[self.turn.axis]
        sizes = [*others, last // self.vector]

        def write_thread(position: AffineExpr) -> None:
            *outer, number = unflatten(position, sizes)
            self._strip([*outer, number * self.vector])

        each_thread(self.scope, threads, prod(sizes), write_thread)

    def _strip(self, first: Index) -> None:
        for input in self.turn.inputs:
            type = element_type(input.value)
            registers = MemRefType(type, [prod(self.sides)], memory_space=SpaceAttr(Space.REGISTER))
            self.copies[input.value] = self.scope.b.insert(AllocOp(registers))
            self._bring(input, first)
        lanes, places = self.sides

        def write_place(place: AffineExpr) -> None:
            self._each(lanes, LoopMap.VECTOR, lambda lane: self._write(first, lane, place))

        self._each(places, LoopMap.UNROLL, write_place)

    def _each(self, count: int, map: LoopMap, write: Callable[[AffineExpr], None]) -> None:
        if count == 1:
            write(AffineExpr.constant(0))
        else:
            self.scope.parallel_loop(count, map, write)

    def _write(self, first: Index, lane: AffineExpr, place: AffineExpr) -> None:
        self.at = lane, place
        store_elements(self.scope, self.job.outputs, self._index(first, lane, place))

    def _index(self, first: Index, lane: AffineExpr, place: AffineExpr) -> list[AffineExpr]:
        """Return the index of a result of the thread whose first one is at ``first``."""
        *outer, last = first
        outer.insert(self.turn.axis, place)
        return self.axes.index([*outer, last + lane])

    def _bring(self, input: TurnedInput, first: Index) -> None:
        """Write the copy of a thread's part of an input to registers, element by element as they
        lie.
        """
        scope, source = self.scope, self.job.buffers[input.value]
        registers = self.copies[input.value]

        def bring(number: AffineExpr) -> None:
            dims = self._index(first, *unflatten(number, self.sides))
            place = [e.replace_dims_and_symbols(dims, ()) for e in input.index]
            at, values = scope.resolve(scope.straight(place, buffer_shape(source)))
            element = scope.b.insert(LoadOp(source, at, values))
            to, values = scope.resolve([number])
            scope.b.builder.insert(StoreOp(element, registers, to, values))

        scope.parallel_loop(prod(self.sides), LoopMap.VECTOR, bring)

    def _near(self, operand: SSAValue, _: Index) -> Place | None:
        if operand not in self.copies:
            return None
        return self.copies[operand], [linear_index(self.at, self.sides)]
