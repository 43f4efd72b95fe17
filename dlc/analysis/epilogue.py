"""Where the elements of a contraction's result go in what is computed from it.

A kernel holds a tile of the result in registers, so each element must be finished where it is:
the ops after a contraction compute one element from one element, and at most permute axes or
change shapes.
"""

from collections.abc import Iterable, Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from dlc.analysis.element_profile import profile
from dlc.core.affine import Ranges, extent, linear_index, simplify, unflatten
from dlc.dialects._tensor import shape
from dlc.dialects.graph._structure import ComputedOp, ElementwiseOp, GraphOp

Position = tuple[AffineExpr, ...]
"""The index of an element, one expression per axis over the dims of the contraction's result."""


class NotFusibleError(Exception):
    """These ops cannot share a kernel; the text says why, short."""


def positions(root: SSAValue, ops: Iterable[ComputedOp]) -> dict[SSAValue, Position]:
    """Return, for each tensor that ``ops`` compute from ``root``, where an element of ``root``
    goes.

    root: the contraction's result. ops: of one cluster, in order; those that do not read ``root``,
    directly or not, are left out.
    Raises NotFusibleError when some element needs more than one element of ``root``.
    """
    sizes = shape(root)
    found: dict[SSAValue, Position] = {
        root: tuple(AffineExpr.dimension(d) for d in range(len(sizes)))
    }
    ranges = Ranges([extent(n) for n in sizes])
    for op in ops:
        if op is root.owner:
            continue
        inside = {v: p for v in op.operands if (p := _position(v, found, ranges)) is not None}
        if inside:
            found[op.results[0]] = _moved(op, inside)
    return found


def _position(value: SSAValue, found: dict[SSAValue, Position], ranges: Ranges) -> Position | None:
    """Return the position of a value, through views; ``None`` when it does not come from the
    root.
    """
    owner = value.owner
    if value in found or not (isinstance(owner, GraphOp) and owner.is_view):
        return found.get(value)
    source = owner.operands[0]
    before = _position(source, found, ranges)
    if before is None:
        return None
    flat = linear_index(before, shape(source))
    found[value] = tuple(simplify(e, ranges) for e in unflatten(flat, shape(value)))
    return found[value]


def _moved(op: ComputedOp, inside: dict[SSAValue, Position]) -> Position:
    """Return where ``op`` puts the element that stands at the positions of its operands."""
    if isinstance(op, ElementwiseOp):
        if any(shape(v) != shape(op.results[0]) for v in inside):
            raise NotFusibleError("an epilogue of another shape than the contraction")
        if len(set(inside.values())) > 1:
            raise NotFusibleError("an epilogue that needs two elements of the contraction")
        return next(iter(inside.values()))
    axes = permutation_axes(op)
    if axes is None:
        raise NotFusibleError("data movement inside an epilogue")
    (before,) = inside.values()
    after = dict(zip(axes, before, strict=True))
    return tuple(after[axis] for axis in range(len(axes)))


def permutation_axes(op: ComputedOp) -> Sequence[int] | None:
    """Return, for each axis of the operand, the axis of the result that it becomes; ``None`` when
    ``op`` does anything but permute axes.
    """
    if not op.moves_data or len(op.results) != 1:
        return None
    reads = profile(op).reads
    if len(reads) != 1 or reads[0].guarded:
        return None
    axes = [e.position for e in reads[0].map.results if isinstance(e, AffineDimExpr)]
    rank = reads[0].map.num_dims
    whole = len(reads[0].map.results) == rank and sorted(axes) == list(range(rank))
    return axes if whole else None
