"""What the windows of neighbouring results share."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from xdsl.ir.affine import AffineExpr, AffineMap

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
    its size. inner: the numbers of those along which the last axis of the operand is read, and
    nothing else (the channels of a group). operand: the number of the one that the window slides
    over; what is read of the others is the same for all positions. read: how the operand is read.
    reduction: the sizes of the reduction.
    """

    axis: int
    tap: int
    taps: int
    step: int
    inner: tuple[int, ...]
    operand: int
    read: Read
    reduction: tuple[int, ...]

    @property
    def outer(self) -> list[int]:
        """The numbers of the other reduction axes."""
        return [n for n in range(len(self.reduction)) if n != self.tap and n not in self.inner]

    def places(self, positions: int) -> int:
        """Return the places that the windows at so many neighbouring positions read together."""
        return (positions - 1) * self.step + self.taps

    @property
    def is_shared(self) -> bool:
        """Whether all results along the last axis read the same of the operand."""
        own = self.read.map.num_dims - len(self.reduction) - 1
        return all(own not in expr.used_dims() for expr in self.read.map.results)

    def line(self, positions: int) -> tuple[Read, Sequence[int]]:
        """Return how the line of so many positions is read, each lane its own element of a place
        unless all share them, and the reduction that this is for.
        """
        sizes = list(self.reduction)
        sizes[self.tap] = self.places(positions)
        if self.is_shared:
            return self.read, sizes
        sizes = [1 if n in self.inner else size for n, size in enumerate(sizes)]
        map = self.read.map
        own = AffineExpr.dimension(map.num_dims - len(sizes) - 1)
        index = (*map.results[:-1], own)
        return replace(self.read, map=AffineMap(map.num_dims, 0, index)), sizes

    def offset(self, index: Sequence[AffineExpr], point: Sequence[AffineExpr]) -> AffineExpr:
        """Return the index along the operand's last axis, of the result at ``index``."""
        return self.read.map.results[-1].replace_dims_and_symbols([*index, *point], ())

    def channels(self, lanes: int) -> int:
        """Return how many neighbours along the operand's last axis so many results along theirs
        read at a place, which begin at a multiple of their number.
        """
        rank = self.read.map.num_dims - len(self.reduction)
        sizes = [self.reduction[n] for n in self.inner]
        found: list[int] = []
        for lane, *point in product(range(lanes), *map(range, sizes)):
            dims = [0] * self.read.map.num_dims
            dims[rank - 1] = lane
            for number, at in zip(self.inner, point, strict=True):
                dims[rank + number] = at
            found.append(self.read.map.results[-1].eval(dims, []))
        return max(found) - min(found) + 1


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
    first = len(op.domain.parallel)
    found = _movement(read, axis, first)
    if found is None or read.is_gather:
        return None
    tap, step = found
    sizes = tuple(op.domain.reduction)
    if step >= sizes[tap]:
        return None
    inner = tuple(n for n in _last_only(read, first) if n != tap)
    return Sliding(axis, tap, sizes[tap], step, inner, read.operand, read, sizes)


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


def _last_only(read: Read, first: int) -> list[int]:
    """Return the numbers of the reduction axes that only the last index of a read uses."""
    *before, last = read.map.results
    elsewhere = {dim for expr in before for dim in expr.used_dims()}
    return [dim - first for dim in sorted(last.used_dims() - elsewhere) if dim >= first]
