"""Each thread puts what a region gives in place of its elements of an accumulator."""

from collections.abc import Sequence

from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr

from dlc.dialects.loop import MapAccumulatorOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Accumulator
from dlc.simt.elements import Piece, each_piece
from dlc.simt.region import RegionWriter


def map_accumulator(writer: RegionWriter, op: MapAccumulatorOp, sums: Accumulator) -> None:
    """Write the loops over a thread's elements. writer: knows the values around the op."""
    scope, (_, column, value) = writer.scope, op.body.block.args

    def write(piece: Piece, ops: Sequence[Operation]) -> None:
        def write_one(number: AffineExpr) -> None:
            at = piece.place(number)
            with scope.branch_level():
                old = sums.load(sums.buffer, at)
                inner = piece.outer.inner({column: piece.at + number}, {value: old})
                inner.write(ops)
                sums.store(inner.value(op.yielded), sums.buffer, at)

        open_loop(scope, piece.length, LoopMap.VECTOR, write_one)

    each_piece(writer, op, sums.each_row, write)
