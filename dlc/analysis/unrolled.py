"""What unrolled loops of a thread go through."""

from xdsl.dialects import scf

from dlc.analysis.index_expression import constant_of
from dlc.dialects.gpu.unroll import UNROLL


def neighbours_in(loop: scf.ForOp) -> int:
    """Return the iterations of an unrolled loop from 0 in steps of 1; 0 for another loop."""
    low, high, step = map(constant_of, (loop.lb, loop.ub, loop.step))
    is_plain = UNROLL.marks(loop) and low == 0 and step == 1
    return high or 0 if is_plain else 0
