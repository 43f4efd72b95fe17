"""In which order a thread wants a weight whose neighbouring results it computes."""

from collections.abc import Sequence

from dlc.analysis.element_profile import profile
from dlc.core.affine import stride
from dlc.dialects.graph.computed import ReductionOp
from dlc.ir.tensor import shape


def lane_order(op: ReductionOp, operand: int) -> Sequence[int] | None:
    """Return the axes of an operand, the one last along which neighbours of the result's last axis
    read neighbours of it; ``None`` where it is the last already, or there is none.
    """
    rank = len(shape(op.results[0]))
    reads = [read for read in profile(op).reads if read.operand == operand]
    if len(reads) != 1:
        return None
    moves = [stride(expr, rank - 1) for expr in reads[0].map.results]
    if moves.count(0) != len(moves) - 1 or 1 not in moves:
        return None
    axis = moves.index(1)
    order = [*(a for a in range(len(moves)) if a != axis), axis]
    return None if axis == len(moves) - 1 else order
