"""How often loops of a thread run."""

from xdsl.dialects import scf

from dlc.analysis.index_expression import constant_of
from dlc.dialects.gpu.unroll import UNROLL


def iterations(loop: scf.ForOp) -> int | None:
    """Return how often a loop runs, ``None`` where its bounds are not known."""
    low, high, step = map(constant_of, (loop.lb, loop.ub, loop.step))
    if low is None or high is None or not step:
        return None
    return len(range(low, high, step))


def neighbours_in(loop: scf.ForOp) -> int:
    """Return the iterations of an unrolled loop from 0 in steps of 1; 0 for another loop."""
    is_plain = UNROLL.marks(loop) and constant_of(loop.lb) == 0 and constant_of(loop.step) == 1
    return iterations(loop) or 0 if is_plain else 0
