"""Several loops of steps as one, whose steps run beside each other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Block, SSAValue

from dlc.core.weights import WeightStore
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.step_loop import StepLoopOp, YieldOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_type, shape

_TURNS = 4
"""A row of numbers that say which strands run in a step fills whole 16 bytes."""


@dataclass(frozen=True)
class Feed:
    """What takes the place of sliced operand ``number``: what ``write`` writes for a step from the
    states of the strand before, and ``shared``, which come from outside.
    """

    number: int
    shared: Sequence[SSAValue]
    write: Callable[[Composer, Sequence[SSAValue], Sequence[SSAValue]], SSAValue]


@dataclass(frozen=True)
class Strand:
    """A loop as a part of one.

    wanted: those of its results of all steps that somebody needs, by number. late: the steps that
    it begins after the first. turned: whether it takes its parts in the other order than the rest.
    """

    loop: StepLoopOp
    wanted: Sequence[int]
    late: int = 0
    turned: bool = False
    feed: Feed | None = None

    @property
    def sliced(self) -> list[SSAValue]:
        """Its sliced operands, but the one that is fed."""
        fed = None if self.feed is None else self.feed.number
        return [value for number, value in enumerate(self.loop.sliced) if number != fed]

    @property
    def shared(self) -> list[SSAValue]:
        """What all of its steps read."""
        return [*self.loop.shared, *(self.feed.shared if self.feed else [])]


class Strands:
    """The loop that does all strands, in the order of the first one. While a strand rests, its
    states stay.

    results: pairs of the strands' results and the new ones.
    """

    def __init__(
        self,
        strands: Sequence[Strand],
        insert: Callable[[GraphOp], SSAValue],
        weights: WeightStore,
    ):
        self.strands, self.insert, self.g = strands, insert, Composer(insert)
        self.steps = strands[0].loop.runs
        self.runs = self.steps + max(strand.late for strand in strands)
        self.is_backward = strands[0].loop.backward is not None
        self.turns = [self._turns(weights)] if self.runs > self.steps else []
        self.loop = self._write_loop()
        self.results = self._write_results()

    def _turns(self, weights: WeightStore) -> SSAValue:
        """Return the table of which strands run in each step."""
        columns = -(-len(self.strands) // _TURNS) * _TURNS
        table = np.zeros((self.runs, columns), np.int32)
        for number, strand in enumerate(self.strands):
            begin = self._begin(strand)
            table[begin : begin + self.steps, number] = 1
        symbol = weights.add("turns", table)
        return self.insert(WeightOp(symbol, TensorType(i32, table.shape)))

    def _begin(self, strand: Strand) -> int:
        """Return where the parts of a strand begin among those of all steps."""
        return self.runs - self.steps - strand.late if self.is_backward else strand.late

    # The loop -----------------------------------------------------------------------------------

    def _write_loop(self) -> StepLoopOp:
        initial = [value for strand in self.strands for value in strand.loop.initial]
        sliced = [self._longer(strand, v) for strand in self.strands for v in strand.sliced]
        sliced += self.turns
        shared = [value for strand in self.strands for value in strand.shared]
        parts = [TensorType(element_type(v), shape(v)[1:]) for v in sliced]
        body = Block(arg_types=[*(v.type for v in initial), *parts, *(v.type for v in shared)])
        self._write_body(body)
        loop = StepLoopOp.of(initial, sliced, shared, body, self.runs, self.is_backward)
        self.insert(loop)
        return loop

    def _longer(self, strand: Strand, value: SSAValue) -> SSAValue:
        """Return a sliced operand with parts for the steps in which its strand rests."""
        if strand.turned:
            value = self.g.reverse(value, [0])
        none, begin = [0] * (len(shape(value)) - 1), self._begin(strand)
        return self.g.pad(value, [begin, *none], [self.runs - self.steps - begin, *none])

    def _write_body(self, body: Block) -> None:
        def insert(op: GraphOp) -> SSAValue:
            body.add_op(op)
            return op.results[0]

        g, rest = Composer(insert), list[SSAValue](body.args)

        def take(count: int) -> list[SSAValue]:
            taken = rest[:count]
            del rest[:count]
            return taken

        states = [take(len(strand.loop.initial)) for strand in self.strands]
        parts = [take(len(strand.sliced)) for strand in self.strands]
        turns = take(len(self.turns))
        given: list[list[SSAValue]] = []
        for number, strand in enumerate(self.strands):
            own, shared = parts[number], take(len(strand.shared))
            if strand.feed is not None:
                count = len(strand.loop.shared)
                fed = strand.feed.write(g, states[number - 1], shared[count:])
                own.insert(strand.feed.number, fed)
                shared = shared[:count]
            given.append(_copied(body, strand.loop, [*states[number], *own, *shared]))
        kept: list[SSAValue] = []
        results: list[SSAValue] = []
        for number, (strand, old) in enumerate(zip(self.strands, states, strict=True)):
            new = given[number][: len(old)]
            later = _where(g, turns[0], number, new, old) if turns else new
            same = dict(zip(new, later, strict=True))
            kept += later
            results += [same.get(given[number][n], given[number][n]) for n in strand.wanted]
        body.add_op(YieldOp(*kept, *results))

    # Its results --------------------------------------------------------------------------------

    def _write_results(self) -> list[tuple[SSAValue, SSAValue]]:
        new = list[SSAValue](self.loop.outputs)
        found: list[tuple[SSAValue, SSAValue]] = []
        for strand in self.strands:
            own = strand.loop.outputs[: len(strand.loop.initial)]
            found += zip(own, new, strict=False)
            del new[: len(own)]
        for strand in self.strands:
            wanted = [strand.loop.outputs[number] for number in strand.wanted]
            found += [(old, self._shorter(strand, new.pop(0))) for old in wanted]
        return found

    def _shorter(self, strand: Strand, value: SSAValue) -> SSAValue:
        """Return the parts of a strand's steps, in its own order."""
        begin = self._begin(strand)
        found = self.g.part(value, 0, begin, begin + self.steps)
        return self.g.reverse(found, [0]) if strand.turned else found


def _where(
    g: Composer,
    turns: SSAValue,
    number: int,
    new: Sequence[SSAValue],
    old: Sequence[SSAValue],
) -> list[SSAValue]:
    """Write the states after a step, which are those before where a strand rests."""
    own = g.part(turns, 0, number, number + 1)
    runs = g.below(g.like(0, own), own)
    return [g.where(runs, n, o) for n, o in zip(new, old, strict=True)]


def _copied(body: Block, loop: StepLoopOp, arguments: Sequence[SSAValue]) -> list[SSAValue]:
    """Write the ops of a loop's body into another one; return what they yield."""
    values = dict[SSAValue, SSAValue](zip(loop.body.block.args, arguments, strict=True))
    for op in list(loop.body.block.ops)[:-1]:
        body.add_op(op.clone(values))
    return [values[value] for value in loop.yielded]
