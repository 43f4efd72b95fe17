"""What a thread's part of an accumulator is to the lowering, whichever instruction computes it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.instruction import Instruction
from dlc.core.affine import unflatten
from dlc.dialects.loop import ForOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp, buffer_element
from dlc.dialects.loop.spread import Spread
from dlc.dialects.loop.stage import tile_index, tile_sizes
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import element_bytes
from dlc.lowering.scope import LoopScope
from dlc.lowering.tile_scope import open_loop

Place = Sequence[AffineExpr]
Columns = Callable[[Callable[[AffineExpr, int, Callable[[AffineExpr], Place]], None]], None]
"""Writes, for each run of neighbouring columns of a row that a lane holds, what it is given: the
first column, their number, and the place of each in the accumulator."""


@dataclass(frozen=True)
class Operand:
    """A staged tile of a factor. slot: its leading indices. along_k: whether lines are along the
    reduction. groups: of the lhs, products whose parts of the reduction stand beside each other.
    """

    buffer: SSAValue
    slot: Sequence[AffineExpr]
    along_k: bool
    groups: int = 1

    @property
    def element(self) -> Attribute:
        """The type of the elements."""
        return buffer_element(self.buffer)

    @property
    def element_bytes(self) -> int:
        """The bytes of one element."""
        return element_bytes(self.element)

    @property
    def depth(self) -> int:
        """The length of the reduction."""
        return tile_sizes(self.buffer, self.slot)[1 if self.along_k else 0]

    def index(self, row: AffineExpr, k: AffineExpr) -> list[AffineExpr]:
        """Return the index in the buffer of an element of the tile."""
        return tile_index(self.buffer, self.slot, *((row, k) if self.along_k else (k, row)))


_START = AffineExpr.constant(0)


@dataclass(frozen=True)
class Held:
    """A lhs in the registers of those that multiply it.

    buffer: parts below each other x steps of the reduction x elements of a fragment. depth: the
    length of the reduction that one has. first: where in the reduction of the rhs it begins.
    """

    buffer: SSAValue
    depth: int
    groups: int = 1
    first: AffineExpr = _START

    def fragment(self, i: AffineExpr, step: AffineExpr) -> list[AffineExpr]:
        """Return where the fragment of part ``i`` of the rows begins, for a step of products."""
        return [i, step, AffineExpr.constant(0)]


@dataclass
class Accumulator(ABC):
    """The elements of a tile that one thread accumulates.

    spread: the layout of the tile; the parts of a worker, whose threads do an instruction together,
    are a grid, ``down`` x ``across``. warp, lane: this thread's.
    """

    scope: LoopScope
    spread: Spread
    warp: AffineExpr
    lane: AffineExpr
    compute: Attribute
    buffer: SSAValue = field(init=False)
    """The registers, from ``make`` on."""

    def __post_init__(self) -> None:
        repeats = self.spread.map.repeats
        self.down, self.across = prod(repeats[::2]), prod(repeats[1::2])

    @property
    @abstractmethod
    def worker(self) -> AffineExpr:
        """The number of this thread's worker."""

    @property
    @abstractmethod
    def row_lanes(self) -> int:
        """The neighbouring lanes of a warp that have elements of the same row."""

    @property
    @abstractmethod
    def beside(self) -> int:
        """The groups of warps beside each other, which have elements of the same rows."""

    @property
    @abstractmethod
    def number_beside(self) -> AffineExpr:
        """The number of this thread's group among these."""

    @property
    @abstractmethod
    def sizes(self) -> Sequence[int]:
        """The sizes of the register buffer."""

    @abstractmethod
    def multiply(
        self, instruction: Instruction, lhs: Operand | Held, rhs: Operand, loop: ForOp | None
    ) -> None:
        """Write the addition of the product of two tiles, which may be under way afterwards.

        loop: whose iterations each add one, with nothing else done to the sums there; ``None``
        where there is none that is worth preparing for.
        """

    @abstractmethod
    def each_row(self, write: Callable[[AffineExpr, Columns], None]) -> None:
        """Write ``write`` for each row of the tile that this thread has elements of."""

    @property
    def strips(self) -> int:
        """Into how many strips of neighbouring rows the tile falls, of each of which all threads
        have some.
        """
        return 1

    def each_row_of(self, strip: AffineExpr, write: Callable[[AffineExpr, Columns], None]) -> None:
        """Write ``write`` for each row of a strip that this thread has elements of."""
        self.each_row(write)

    def row(self, i: AffineExpr) -> AffineExpr:
        """Return the first row of part ``i`` of ``down``."""
        return self._task(i, AffineExpr.constant(0))[0] * self.spread.row.m

    def column(self, j: AffineExpr) -> AffineExpr:
        """Return the first column of part ``j`` of ``across``."""
        return self._task(AffineExpr.constant(0), j)[1] * self.spread.row.n

    def _task(self, i: AffineExpr, j: AffineExpr) -> list[AffineExpr]:
        repeats = self.spread.map.repeats
        pairs = zip(unflatten(i, repeats[::2]), unflatten(j, repeats[1::2]), strict=True)
        worker = self.worker // self.spread.teams
        return self.spread.map.task(worker, [n for pair in pairs for n in pair])

    def registers(self, element: Attribute, sizes: Sequence[int]) -> SSAValue:
        """Return a new register buffer."""
        type = MemRefType(element, sizes, memory_space=SpaceAttr(Space.REGISTER))
        return self.scope.b.insert(AllocOp(type))

    def nest(
        self, sizes: Sequence[int], write: Callable[[Place], None], *outer: AffineExpr
    ) -> None:
        """Open unrolled loops over ``sizes``."""
        if not sizes:
            write(outer)
            return
        open_loop(
            self.scope,
            sizes[0],
            LoopMap.UNROLL,
            lambda at: self.nest(sizes[1:], write, *outer, at),
        )

    def make(self) -> None:
        """Write the registers, all zeros."""
        self.buffer = self.registers(self.compute, self.sizes)
        self.clear()

    def clear(self) -> None:
        """Write zeros to all elements."""
        zero = self.scope.b.constant(0, self.compute)
        self.nest(self.sizes, lambda at: self.store(zero, self.buffer, at))

    def load(self, buffer: SSAValue, at: Place) -> SSAValue:
        """Return an element of a buffer."""
        flat, values = self.scope.resolve(at)
        return self.scope.b.insert(LoadOp(buffer, flat, values))

    def store(self, value: SSAValue, buffer: SSAValue, at: Place) -> None:
        """Write an element of a buffer."""
        flat, values = self.scope.resolve(at)
        self.scope.b.builder.insert(StoreOp(value, buffer, flat, values))

    def place(self, buffer: SSAValue, at: Place) -> tuple[SSAValue, Place, Sequence[SSAValue]]:
        """Return a place as operations on several buffers take it."""
        flat, values = self.scope.resolve(at)
        return buffer, flat, values
