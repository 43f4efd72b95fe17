"""What all loops of one attention on a CPU have in common, and the buffers that they share."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.attention import Attention
from dlc.core.affine import extent
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_type
from dlc.lowering.job import Job
from dlc.lowering.product import At, Product
from dlc.lowering.tile_scope import TileScope, open_loop
from dlc.strategies.contract.register_tile import RegisterTile

ZERO = AffineExpr.constant(0)


@dataclass(frozen=True)
class Block:
    """Some rows of queries. number: of the product in the batch. at: its place in the batch. first:
    the first row. last: the last key that one of the rows sees; ``None`` where all are seen.
    """

    number: AffineExpr
    at: At
    first: AffineExpr
    last: AffineExpr | None


@dataclass(frozen=True)
class Keys:
    """The keys of a step: ``count``, from ``first`` on. last: the last one of them that a row of
    the block sees, counted from the first one; ``None`` where all are seen.
    """

    first: AffineExpr
    count: int
    last: AffineExpr | None


@dataclass(frozen=True)
class Nest:
    """keys, values: packed as ``tile`` reads them. tiles: of the rows of a block, below each other.
    step: keys of a step.
    """

    job: Job
    attention: Attention
    scores: Product
    product: Product
    keys: SSAValue
    values: SSAValue
    tile: RegisterTile
    tiles: int
    step: int

    @cached_property
    def scope(self) -> TileScope:
        """Where the loops are written."""
        return TileScope(self.job, self.product.op.results[0])

    @property
    def compute(self) -> Attribute:
        """The type of scores and sums."""
        return compute_type(element_type(self.product.op.results[0]))

    @property
    def rows(self) -> int:
        """The rows of queries of one product of the batch."""
        return self.scores.gemm.m_size

    @property
    def key_count(self) -> int:
        """The keys of one product of the batch."""
        return self.scores.gemm.n_size

    @property
    def block_rows(self) -> int:
        """The rows of a block."""
        return self.tile.rows * self.tiles

    @property
    def is_stepped(self) -> bool:
        """Whether a row has several steps of keys."""
        return self.step < self.key_count

    def each_tile(self, write: Callable[[AffineExpr], None]) -> None:
        """Write a loop over the register tiles of a block; ``write`` takes the first row."""
        rows = self.tile.rows
        open_loop(self.scope, self.tiles, LoopMap.SERIAL, lambda number: write(number * rows))

    def each_row(self, block: Block, write: Callable[[AffineExpr, AffineExpr], None]) -> None:
        """Write a loop over the rows of a block; ``write`` takes the row there and that of all."""

        def write_row(row: AffineExpr) -> None:
            at, scope = block.first + row, self.scope
            if not scope.is_inside(at, self.rows):
                last = scope.b.constant(self.rows - 1, IndexType())
                least = scope.b.minimum(scope.index_value(at), last)
                at = scope.dim(least, extent(self.rows))
            write(row, at)

        open_loop(self.scope, self.block_rows, LoopMap.SERIAL, write_row)

    def alloc(self, columns: int, name: str) -> SSAValue:
        """Write the allocation of a buffer for the rows of a block."""
        space = SpaceAttr(Space.REGISTER)
        type = MemRefType(self.compute, [self.block_rows, columns], memory_space=space)
        buffer = self.scope.b.insert(AllocOp(type))
        buffer.name_hint = name
        return buffer

    def load(self, buffer: SSAValue, row: AffineExpr, column: AffineExpr = ZERO) -> SSAValue:
        """Write the load of an element of a buffer."""
        flat, dims = self.scope.resolve([row, column])
        return self.scope.b.insert(LoadOp(buffer, flat, dims))

    def store(
        self, value: SSAValue, buffer: SSAValue, row: AffineExpr, column: AffineExpr = ZERO
    ) -> None:
        """Write the store of an element of a buffer."""
        flat, dims = self.scope.resolve([row, column])
        self.scope.b.builder.insert(StoreOp(value, buffer, flat, dims))
