"""What a warp's part of a tile is to the lowering, whichever instruction computes it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects._space import Space, SpaceAttr
from dlc.dialects.loop._attributes import LoopMap
from dlc.dialects.loop._memory import AllocOp, LoadOp, StoreOp
from dlc.lowering._scope import LoopScope
from dlc.lowering._staged_operand import Staged
from dlc.lowering._tile_scope import open_loop

Place = Sequence[AffineExpr]
Columns = Callable[[Callable[[AffineExpr, int, Callable[[AffineExpr], Place]], None]], None]
"""Writes, for each run of neighbouring columns of a row that a lane holds, what it is given: the
first column, their number, and the place of each in the accumulator."""


@dataclass
class Accumulator(ABC):
    """The elements of a tile that one thread accumulates.

    rows, columns: of the warp's part. row, column: where the part starts in the block's tile.
    """

    scope: LoopScope
    rows: int
    columns: int
    row: AffineExpr
    column: AffineExpr
    lane: AffineExpr
    compute: Attribute

    def __post_init__(self) -> None:
        self.buffer = self.registers(self.compute, self.sizes)

    @property
    @abstractmethod
    def sizes(self) -> Sequence[int]:
        """The sizes of the register buffer."""

    @abstractmethod
    def multiply(self, lhs: Staged, rhs: Staged, stage: AffineExpr) -> None:
        """Write the addition of the product of a stage's slices."""

    @abstractmethod
    def each_row(self, write: Callable[[AffineExpr, Columns], None]) -> None:
        """Write ``write`` for each row of the tile that this thread has elements of."""

    def registers(self, element: Attribute, sizes: Sequence[int]) -> SSAValue:
        """Return a new register buffer."""
        type = MemRefType(element, sizes, memory_space=SpaceAttr(Space.REGISTER))
        return self.scope.b.insert(AllocOp(type))

    def each(self, write: Callable[[Place], None]) -> None:
        """Write ``write`` for each place of the accumulator."""
        self.nest(self.sizes, write)

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

    def clear(self) -> None:
        """Write zeros to all elements."""
        zero = self.scope.b.constant(0, self.compute)
        self.each(lambda at: self.store(zero, self.buffer, at))

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
