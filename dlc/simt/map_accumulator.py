"""Each thread puts what a region gives in place of its elements of an accumulator."""

from collections.abc import Callable
from math import gcd

from xdsl.ir.affine import AffineExpr
from xdsl.traits import IsTerminator

from dlc.dialects.loop import MapAccumulatorOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Accumulator, Columns, Place
from dlc.simt.drain import by_row
from dlc.simt.region import RegionWriter


def map_accumulator(writer: RegionWriter, op: MapAccumulatorOp, accumulator: Accumulator) -> None:
    """Write the loops over a thread's elements. writer: knows the values around the op."""
    scope = writer.scope
    first_row, first_column = writer.composed(op.first.data.results, op.indices)
    row, column, value = op.body.block.args
    rows, limit = op.limits
    of_row, of_element = by_row(op.body.block)
    last = op.body.block.last_op
    assert last is not None

    def write_row(at: AffineExpr, columns: Columns) -> None:
        inner = writer.inner({row: first_row + at})

        def write_ops() -> None:
            inner.write(of_row)
            columns(lambda at, count, place: write_run(inner, first_column + at, count, place))

        scope.where_below(first_row + at, rows, write_ops)

    def write_run(
        outer: RegionWriter, at: AffineExpr, count: int, place: Callable[[AffineExpr], Place]
    ) -> None:
        """Write the elements of neighbouring columns, in pieces of which all are there or none."""
        length = gcd(count, limit)

        def write_one(number: AffineExpr) -> None:
            with scope.branch_level():
                old = accumulator.load(accumulator.buffer, place(number))
                inner = outer.inner({column: at + number}, {value: old})
                inner.write(op for op in of_element if not op.has_trait(IsTerminator))
                new = inner.value(last.operands[0])
                accumulator.store(new, accumulator.buffer, place(number))

        def write_piece(piece: AffineExpr) -> None:
            first = piece * length
            scope.where_below(
                at + first,
                limit,
                lambda: open_loop(scope, length, LoopMap.VECTOR, lambda n: write_one(first + n)),
            )

        open_loop(scope, count // length, LoopMap.UNROLL, write_piece)

    accumulator.each_row(write_row)
