"""What the windows of neighbouring results share."""

from dataclasses import dataclass

from dlc.analysis.element_profile import Read, profile
from dlc.analysis.form import once_per_form
from dlc.core.affine import stride
from dlc.dialects.graph.computed import ReductionOp
from dlc.ir.tensor import shape


@dataclass(frozen=True)
class Sliding:
    """A window that slides along an axis of the result: what tap ``t`` of the window at ``p``
    reads, tap ``t + step * p`` of the window at 0 reads.

    axis: of the result. tap: the number of the reduction axis along which the window moves. taps:
    its size. operand: the number of the one that the window slides over; what is read of the others
    is the same for all positions.
    """

    axis: int
    tap: int
    taps: int
    step: int
    operand: int

    def places(self, positions: int) -> int:
        """Return the places that the windows at so many neighbouring positions read together."""
        return (positions - 1) * self.step + self.taps


@once_per_form
def sliding(op: ReductionOp) -> Sliding | None:
    """Return how the windows of ``op`` slide along the last axis but one of its result; ``None``
    where neighbours there share nothing.
    """
    axis = len(shape(op.results[0])) - 2
    reads = [r for r in profile(op).reads if r.reduced]
    moving = [r for r in reads if any(stride(e, axis) != 0 for e in r.map.results)]
    if axis < 0 or len(moving) != 1 or len({*op.operands}) < len(op.operands):
        return None
    (read,) = moving
    found = _movement(read, axis, len(op.domain.parallel))
    if found is None:
        return None
    tap, step = found
    taps = op.domain.reduction[tap]
    return Sliding(axis, tap, taps, step, read.operand) if step < taps else None


def _movement(read: Read, axis: int, first: int) -> tuple[int, int] | None:
    """Return the reduction axis along which a read's window moves, and by how many taps from a
    position to the next; ``None`` where it does not. first: the dim of the first reduction axis.
    """
    moves = [(expr, stride(expr, axis)) for expr in read.map.results]
    (expr, by), *others = [(expr, by) for expr, by in moves if by != 0]
    if others or by is None:
        return None
    taps = [d for d in expr.used_dims() if d >= first]
    if len(taps) != 1 or any(taps[0] in e.used_dims() for e, _ in moves if e is not expr):
        return None
    each = stride(expr, taps[0])
    return (taps[0] - first, by // each) if each and by > 0 and by % each == 0 else None
