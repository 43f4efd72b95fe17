"""How blocks give each other the states after each step: through a buffer in global memory."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects import gpu
from dlc.dialects.gpu.publish import PUBLISHED_BYTES
from dlc.dialects.loop.attributes import LoopKind
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.ir.tensor import compute_type, element_type
from dlc.strategies.recurrent.layout import Layout
from dlc.strategies.recurrent.thread import Thread


def published_type(layout: Layout, element: Attribute, steps: int) -> MemRefType[Attribute]:
    """Return the type of the buffer of the states of all steps."""
    groups = layout.sequences // layout.schedule.sequences
    return MemRefType(element, [steps, groups * layout.lines * layout.depth])


@dataclass
class Exchange:
    """published: the states of all steps, as all blocks see them; each word is the mark until it is
    known. states: those before the step, of the block's sequences, in shared memory: a line for
    each sequence of each state.
    """

    thread: Thread
    element: Attribute
    published: SSAValue
    states: SSAValue = field(init=False)

    def __post_init__(self) -> None:
        layout = self.thread.layout
        self.states = self.thread.shared(self.element, [layout.lines, layout.line], "states")

    # The first states ---------------------------------------------------------------------------

    def begin(self, initial: Sequence[SSAValue]) -> None:
        """Write the states before the first step to shared memory; behind their units are zeros."""
        own = self.thread.layout.schedule.sequences
        for number, state in enumerate(initial):
            self._begin_lines(
                number * own, own, lambda line, unit, x=state: self._initial(x, line, unit)
            )

    def begin_empty(self) -> None:
        """Write zeros to shared memory, which stay behind the units."""
        zero = self.thread.scope.b.constant(0.0, compute_type(self.element))
        self._begin_lines(0, self.thread.layout.lines, lambda line, unit: zero)

    def _begin_lines(
        self, first: int, lines: int, value: Callable[[AffineExpr, AffineExpr], SSAValue]
    ) -> None:
        """Write what ``value`` gives for a place to so many lines from ``first`` on."""
        scope, layout = self.thread.scope, self.thread.layout
        threads, count = layout.schedule.threads, lines * layout.line
        loop = ForOp(0, -(-count // threads), kind=LoopKind.PARALLEL)
        with scope.loop(loop, stay=True) as round:
            at = round * threads + self.thread.number
            line, unit = at // layout.line, at % layout.line

            def write() -> None:
                self.thread.store(value(line, unit), self.states, [line + first, unit])

            scope.where_below(at, count, write)
            scope.b.builder.insert(YieldOp())

    def _initial(self, initial: SSAValue, line: AffineExpr, unit: AffineExpr) -> SSAValue:
        thread, b = self.thread, self.thread.scope.b
        last = b.constant(thread.cell.units, IndexType())
        (value,) = b.branch(
            b.compare("lt", thread.scope.index_value(unit), last),
            lambda: [
                thread.scope.read(initial, [thread.sequence_index(line), thread.unit_index(unit)])
            ],
            lambda: [b.constant(0.0, compute_type(element_type(initial)))],
        )
        return value

    # Those of a step ----------------------------------------------------------------------------

    def bring(self, step: AffineExpr) -> None:
        """Write the wait for the states after ``step``, and their way to shared memory."""
        layout, threads = self.thread.layout, self.thread.layout.schedule.threads
        # those that compute states come last
        own = self.thread.scope.named("own", self.thread.number * -1 + (threads - 1))
        first = 0
        while first < layout.pieces:
            rest = layout.pieces - first
            count = min(layout.schedule.pieces, max(1, rest // threads))
            apart = min(threads, rest)
            start = own + first
            self.thread.scope.where_below(
                own, apart, lambda s=start, n=count, a=apart: self._bring_pieces(step, s, n, a)
            )
            first += count * apart

    def _bring_pieces(self, step: AffineExpr, first: AffineExpr, count: int, apart: int) -> None:
        """Write the wait of a thread for ``count`` pieces from ``first`` on, ``apart`` pieces from
        each other.
        """
        thread, layout, run = self.thread, self.thread.layout, self.thread.layout.run
        insert, line = thread.scope.b.builder.insert, layout.depth // run
        asked = thread.registers(self.element, [count * run], "asked")
        group = thread.group * (layout.lines * layout.depth)
        source = thread.at(self.published, [step, group + first * run])
        insert(gpu.AwaitOp(source, thread.at(asked, [0]), run, count, [0, apart * run]))

        def copy(number: AffineExpr) -> None:
            at = first + number * apart
            source = thread.at(asked, [number * run])
            target = thread.at(self.states, [at // line, at % line * run])
            thread.scope.b.builder.insert(gpu.CopyOp(source, target, run))

        thread.each([count], copy)

    @property
    def words(self) -> int:
        """The neighbouring units that are published together."""
        return PUBLISHED_BYTES[0] // self.thread.layout.bytes

    def publish(
        self, state: int, step: AffineExpr, number: AffineExpr, values: list[SSAValue]
    ) -> None:
        """Write that others may see exchanged state number ``state`` of cell ``number`` of the
        block, and of those behind it, as many as a word has.
        """
        thread, layout, schedule = self.thread, self.thread.layout, self.thread.layout.schedule
        word = thread.registers(self.element, [len(values)], "word")
        for at, value in enumerate(values):
            thread.store(value, word, [at])
        line = thread.group * layout.lines + state * schedule.sequences + number // schedule.units
        place = line * layout.depth + thread.unit + number % schedule.units
        target = thread.at(self.published, [step, place])
        publish = gpu.PublishOp(thread.at(word, [0]), target, len(values))
        thread.scope.b.builder.insert(publish)
