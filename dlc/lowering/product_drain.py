"""The end of a product: its sums, in registers, go through the ops after it and are stored."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects.loop import DrainOp, YieldOp
from dlc.dialects.loop.elements import ElementsOp
from dlc.lowering.factor import decoded
from dlc.lowering.product import At, Index, Product, split
from dlc.lowering.tile_scope import TileScope

_FIRST = AffineExpr.constant(0)


def drain(
    scope: TileScope,
    product: Product,
    batch: At,
    first: Sequence[AffineExpr],
    sums: SSAValue,
    exchange: bool,
    parts: int = 1,
) -> None:
    """Write what becomes of each sum that a thread has and that the product has.

    first: the row and the column of the tile. exchange, parts: of ``loop.drain``.
    """
    flat, dims = scope.resolve(first)
    limits = product.gemm.m_size, product.gemm.n_size
    op = DrainOp(sums, flat, dims, limits, exchange=exchange, parts=parts)
    insert_drain(scope, product, batch, op, first[0])


def insert_drain(
    scope: TileScope,
    product: Product,
    batch: At,
    op: ElementsOp,
    first_row: AffineExpr = _FIRST,
) -> None:
    """Insert an op whose region gets a row, a column and a sum: it stores what becomes of it.

    first_row: of the tile.
    """
    scope.b.builder.insert(op)
    with element_of(scope, product, batch, first_row, op) as (index, load):
        scope.store(index, load)
        scope.b.builder.insert(YieldOp())


@contextmanager
def element_of(
    scope: TileScope, product: Product, batch: At, first_row: AffineExpr, op: ElementsOp
) -> Generator[tuple[Index, Callable[[], SSAValue]]]:
    """Write the region of an op that gets a row, a column and a sum; give the index of the sum in
    the result of the product, and what reads it.
    """
    block = op.body.block
    for argument, name in zip(block.args, ("row", "column", "value"), strict=True):
        argument.name_hint = name
    with scope.region(block, op.limits) as (row, column), scope.in_row(row - first_row):
        rows = decoded(scope, row, [[loop] for loop in product.gemm.m])
        loops = [*batch, *rows, *split(column, product.gemm.n)]
        yield product.result_index(product.dims(loops)), lambda: block.args[2]
