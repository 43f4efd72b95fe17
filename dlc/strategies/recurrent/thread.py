"""What a thread of a recurrent kernel writes with: its place, its buffers, its loops."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import ROW_LANES, WARP_LANES
from dlc.core.affine import Interval
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp
from dlc.ir.space import Space, SpaceAttr
from dlc.lowering.tile_scope import open_loop
from dlc.strategies.recurrent.cell import Cell
from dlc.strategies.recurrent.cell_scope import CellScope
from dlc.strategies.recurrent.layout import Layout


@dataclass
class Thread:
    """A thread of a block.

    number: in the block. group: of blocks, those with the same sequences. unit: the first one of
    the block.
    """

    scope: CellScope
    cell: Cell
    layout: Layout
    number: AffineExpr
    group: AffineExpr
    unit: AffineExpr

    # Places -------------------------------------------------------------------------------------

    @property
    def number_of_all(self) -> AffineExpr:
        """Its number among the threads of all blocks, where some numbers may be left out."""
        block = self.group * self.layout.depth + self.unit
        return block * self.layout.schedule.threads + self.number

    @property
    def warp_row(self) -> AffineExpr:
        """The place of its warp over the rows of the weights."""
        return self.number // WARP_LANES % self.layout.schedule.warps[0]

    @property
    def warp_slice(self) -> AffineExpr:
        """The place of its warp along the reduction."""
        return self.number // (WARP_LANES * self.layout.schedule.warps[0])

    @property
    def lane(self) -> AffineExpr:
        return self.number % WARP_LANES

    @property
    def row(self) -> AffineExpr:
        """The row, or column, of a fragment that the lane has."""
        return self.lane // ROW_LANES

    @property
    def place(self) -> AffineExpr:
        """Its place among the lanes that have the same row of a fragment."""
        return self.lane % ROW_LANES

    def unit_index(self, unit: AffineExpr) -> AffineExpr:
        """Return a unit as an index; of those behind the last one, that one."""
        scope, last = self.scope, self.cell.units - 1
        value = scope.index_value(unit)
        high = scope.interval(unit).high
        if high is None or high > last:
            value = scope.b.minimum(value, scope.b.constant(last, IndexType()))
        return scope.dim(value, Interval(0, last))

    def sequence_index(self, own: AffineExpr) -> AffineExpr:
        """Return the sequence that is number ``own`` of the block as an index."""
        value = self.scope.index_value(self.group * self.layout.schedule.sequences + own)
        return self.scope.dim(value, Interval(0, self.cell.sequences - 1))

    # Buffers ------------------------------------------------------------------------------------

    def registers(self, element: Attribute, sizes: Sequence[int], name: str) -> SSAValue:
        """Return a new buffer in registers."""
        return self._alloc(element, sizes, Space.REGISTER, name)

    def shared(self, element: Attribute, sizes: Sequence[int], name: str) -> SSAValue:
        """Return a new buffer in shared memory."""
        return self._alloc(element, sizes, Space.SHARED, name)

    def _alloc(self, element: Attribute, sizes: Sequence[int], space: Space, name: str) -> SSAValue:
        type = MemRefType(element, sizes, memory_space=SpaceAttr(space))
        buffer = self.scope.b.insert(AllocOp(type))
        buffer.name_hint = name
        return buffer

    def at(self, buffer: SSAValue, index: Sequence[AffineExpr | int]) -> Place:
        """Return a place of a buffer as ops take it."""
        exprs = [AffineExpr.constant(x) if isinstance(x, int) else x for x in index]
        flat, dims = self.scope.resolve(exprs)
        return buffer, flat, dims

    def load(self, buffer: SSAValue, index: Sequence[AffineExpr | int]) -> SSAValue:
        """Write a load of one element."""
        return self.scope.b.insert(LoadOp(*self.at(buffer, index)))

    def store(self, value: SSAValue, buffer: SSAValue, index: Sequence[AffineExpr | int]) -> None:
        """Write a store of one element."""
        self.scope.b.builder.insert(StoreOp(value, *self.at(buffer, index)))

    def each(self, sizes: Sequence[int], write: Callable[..., None]) -> None:
        """Write a nest of loops that are written out."""

        def nest(at: Sequence[AffineExpr]) -> None:
            if len(at) == len(sizes):
                write(*at)
            else:
                size = sizes[len(at)]
                open_loop(self.scope, size, LoopMap.UNROLL, lambda number: nest([*at, number]))

        nest([])
