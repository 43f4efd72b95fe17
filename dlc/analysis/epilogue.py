"""Where the elements of a contraction's result go in what is computed from it.

A kernel holds a tile of the result in registers, so each element must be finished where it is:
the ops after a contraction compute one element from one element, and at most permute axes,
change shapes or drop elements (a slice).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from dlc.analysis.element_profile import ElementProfile, profile
from dlc.analysis.row_totals import RowTotals
from dlc.core.affine import Ranges, extent, interval_of, linear_index, simplify, unflatten
from dlc.dialects.graph.computed import ComputedOp, ElementwiseOp, ReductionOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_count, shape

ProfileOf = Callable[[ComputedOp], ElementProfile]
Axes = tuple[tuple[int, int], ...]


class NotFusibleError(Exception):
    """These ops cannot share a kernel; the text says why, short."""


@dataclass(frozen=True)
class Place:
    """Where an element of the contraction's result ends in another tensor.

    index: one expression per axis, over the dims of the contraction's result. conditions: the
    element is there only where ``0 <= expression < size`` for each pair.
    """

    index: tuple[AffineExpr, ...]
    conditions: tuple[tuple[AffineExpr, int], ...] = ()


Places = dict[SSAValue, Place]


def places(root: SSAValue, ops: Iterable[ComputedOp], profile_of: ProfileOf = profile) -> Places:
    """Return, for each tensor that ``ops`` compute from ``root``, where an element of ``root``
    goes.

    root: the contraction's result. ops: of one cluster, in order; those that do not read ``root``,
    directly or not, are left out. profile_of: gives the profile of an op; a cluster has them.
    Raises NotFusibleError when some element needs more than one element of ``root``.
    """
    found, rows = epilogue(root, ops, profile_of)
    if rows.totals:
        raise NotFusibleError("an epilogue that needs whole rows of the contraction")
    return found


def epilogue(
    root: SSAValue, ops: Iterable[ComputedOp], profile_of: ProfileOf = profile
) -> tuple[Places, RowTotals]:
    """Return the places as ``places`` does, and what ``ops`` compute for whole rows of ``root``,
    each of which the threads that have elements of it must then have together.
    """
    sizes, rows = shape(root), RowTotals(root)
    found = {root: Place(tuple(AffineExpr.dimension(d) for d in range(len(sizes))))}
    for op in ops:
        if op is root.owner or op.is_view:
            continue  # a view has no place of its own: it is looked through where it is read
        inside = {v: p for v in op.operands if (p := _place(v, found, sizes)) is not None}
        whole = {v: place.index for v, place in inside.items() if not place.conditions}
        if (whole and rows.add_total(op, whole)) or (not inside and rows.add_of_rows(op)):
            continue
        place = _after(op, inside, sizes, profile_of) if inside else Place(())
        if not rows.may_read(op, place.index):
            raise NotFusibleError("an epilogue that reads totals of other rows")
        if inside:
            found[op.results[0]] = place
    return found, rows


def _place(value: SSAValue, found: dict[SSAValue, Place], sizes: tuple[int, ...]) -> Place | None:
    """Return the place in a value, through views; ``None`` when it does not come from the root."""
    owner = value.owner
    if value in found or not (isinstance(owner, GraphOp) and owner.is_view):
        return found.get(value)
    source = owner.operands[0]
    before = _place(source, found, sizes)
    if before is None:
        return None
    if element_count(value) == element_count(source):
        index = _reshaped(before.index, shape(source), shape(value), sizes)
        found[value] = Place(index, before.conditions)
    else:
        found[value] = _moved(owner, before, sizes, profile)
    return found[value]


@lru_cache(4096)
def _reshaped(
    index: tuple[AffineExpr, ...],
    source: tuple[int, ...],
    target: tuple[int, ...],
    sizes: tuple[int, ...],
) -> tuple[AffineExpr, ...]:
    """Return the index in shape ``target`` of what stands at ``index`` in shape ``source``.

    sizes: of the dims. Layers of a model repeat, so answers are kept.
    """
    ranges = Ranges([extent(n) for n in sizes])
    flat = linear_index(index, source)
    return tuple(simplify(e, ranges) for e in unflatten(flat, target))


@lru_cache(4096)
def _shifted(
    index: AffineExpr, offset: int, size: int, sizes: tuple[int, ...]
) -> tuple[AffineExpr, bool]:
    """Return ``index - offset``, and whether it is always in ``0 .. size - 1``."""
    ranges = Ranges([extent(n) for n in sizes])
    shifted = simplify(index - offset, ranges)
    return shifted, interval_of(shifted, ranges).within(0, size - 1)


def _after(
    op: ComputedOp, inside: dict[SSAValue, Place], sizes: tuple[int, ...], profile_of: ProfileOf
) -> Place:
    """Return where ``op`` puts the element that stands at the places in its operands."""
    if isinstance(op, ElementwiseOp):
        if any(shape(v) != shape(op.results[0]) for v in inside):
            raise NotFusibleError("an epilogue of another shape than the contraction")
        if len(set(inside.values())) > 1:
            raise NotFusibleError("an epilogue that needs two elements of the contraction")
        return next(iter(inside.values()))
    if isinstance(op, ReductionOp):
        raise NotFusibleError("a reduction of other than whole rows after a contraction")
    (before, *others) = inside.values()
    if others:
        raise NotFusibleError("data movement inside an epilogue")
    return _moved(op, before, sizes, profile_of)


def _moved(op: GraphOp, before: Place, sizes: tuple[int, ...], profile_of: ProfileOf) -> Place:
    """Return where an op that permutes axes or cuts them puts the element at ``before``."""
    moved = _moved_axes(op, profile_of)
    if moved is None:
        raise NotFusibleError("data movement inside an epilogue")
    index = [AffineExpr.constant(0)] * len(moved)
    conditions = list(before.conditions)
    for (axis, offset), position in zip(moved, before.index, strict=True):
        size = shape(op.results[0])[axis]
        index[axis], inner = _shifted(position, offset, size, sizes)
        if not inner:
            conditions.append((index[axis], size))
    return Place(tuple(index), tuple(conditions))


def _moved_axes(op: GraphOp, profile_of: ProfileOf) -> Axes | None:
    """Return, for each axis of the operand, the axis of the result that it becomes and the first
    element that is taken; ``None`` when ``op`` does anything but permute axes and cut them.
    """
    if not isinstance(op, ComputedOp) or not op.moves_data or len(op.results) != 1:
        return None
    reads = profile_of(op).reads
    if len(reads) != 1 or reads[0].guarded:
        return None
    return _axes_of(reads[0].map)


@lru_cache(4096)
def _axes_of(map: AffineMap) -> Axes | None:
    moved: list[tuple[int, int]] = []
    for expr in map.results:
        offset = expr.eval([0] * map.num_dims, [0] * map.num_symbols)
        base = simplify(expr - offset)
        if not isinstance(base, AffineDimExpr):
            return None
        moved.append((base.position, offset))
    axes = sorted(axis for axis, _ in moved)
    return tuple(moved) if axes == list(range(map.num_dims)) else None
