"""The end of an accumulator: each thread takes its elements through the region of a drain."""

from collections.abc import Callable, Sequence
from math import gcd

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.traits import IsTerminator, Pure

from dlc.dialects.loop import DrainOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Accumulator, Columns, Place
from dlc.simt.region import RegionWriter


def drain(writer: RegionWriter, op: DrainOp, accumulator: Accumulator) -> None:
    """Write the loops over a thread's elements. writer: knows the values around the op."""
    scope = writer.scope
    row, column, value = op.body.block.args
    first_row, first_column = writer.composed(op.first.data.results, op.indices)
    rows, size = op.limits
    of_row, of_element = _by_row(op)

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
        length = gcd(count, size)

        def write(number: AffineExpr) -> None:
            with scope.branch_level():
                element = accumulator.load(accumulator.buffer, place(number))
                outer.inner({column: at + number}, {value: element}).write(of_element)

        def write_piece(piece: AffineExpr) -> None:
            first = piece * length

            def write_all() -> None:
                open_loop(scope, length, LoopMap.VECTOR, lambda n: write(first + n))

            scope.where_below(at + first, size, write_all)

        open_loop(scope, count // length, LoopMap.UNROLL, write_piece)

    accumulator.each_row(write_row)


def _by_row(op: DrainOp) -> tuple[Sequence[Operation], Sequence[Operation]]:
    """Return the ops of the region that are the same for all elements of a row, and the others."""
    varying: set[SSAValue] = set(op.body.block.args[1:])
    of_row: list[Operation] = []
    of_element: list[Operation] = []
    for inner in op.body.block.ops:
        if inner.has_trait(IsTerminator):
            continue
        if inner.has_trait(Pure) and varying.isdisjoint(inner.operands):
            of_row.append(inner)
        else:
            of_element.append(inner)
            varying.update(inner.results)
    return of_row, of_element
