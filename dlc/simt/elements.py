"""A thread's elements of an accumulator, and the region of an op that is about each of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.traits import IsTerminator, Pure

from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.elements import ElementsOp
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Columns, Place
from dlc.simt.region import RegionWriter


@dataclass(frozen=True)
class Piece:
    """``length`` neighbours of a row from column ``at`` on, all of which are there.

    outer: knows the row. place: of each in the accumulator, by its number.
    """

    outer: RegionWriter
    at: AffineExpr
    length: int
    place: Callable[[AffineExpr], Place]


Write = Callable[[Piece, Sequence[Operation]], None]
"""Writes the ops of a region that are not the same for all elements of a row, for a piece of it."""


EachRow = Callable[[Callable[[AffineExpr, Columns], None]], None]
"""Writes something for each row that a thread has elements of, as ``Accumulator.each_row``."""


def each_piece(writer: RegionWriter, op: ElementsOp, each_row: EachRow, write: Write) -> None:
    """Write the loops over a thread's elements. writer: knows the values around the op."""
    scope = writer.scope
    first_row, first_column = writer.composed(op.first.data.results, op.indices)
    row, rows, size = op.body.block.args[0], *op.limits
    of_row, of_element = by_row(op.body.block)

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

        def write_piece(number: AffineExpr) -> None:
            first = number * length
            piece = Piece(outer, at + first, length, lambda n: place(first + n))
            scope.where_below(at + first, size, lambda: write(piece, of_element))

        open_loop(scope, count // length, LoopMap.UNROLL, write_piece)

    each_row(write_row)


def by_row(body: Block) -> tuple[Sequence[Operation], Sequence[Operation]]:
    """Return the ops of a region that are the same for all elements of a row, and the others.

    body: its arguments are a row, a column and an element.
    """
    varying: set[SSAValue] = set(body.args[1:])
    of_row: list[Operation] = []
    of_element: list[Operation] = []
    for inner in body.ops:
        if inner.has_trait(IsTerminator):
            continue
        if inner.has_trait(Pure) and varying.isdisjoint(inner.operands):
            of_row.append(inner)
        else:
            of_element.append(inner)
            varying.update(inner.results)
    return of_row, of_element
