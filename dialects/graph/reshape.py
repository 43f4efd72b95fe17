"""The same elements in the same order under another shape."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import I64, DenseArrayBase, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from dlc.dialects.graph.computed import Index, Scope
from dlc.dialects.graph.movement import MovementOp, strides_of
from dlc.dialects.graph.properties import integers
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.errors import CompileError
from dlc.ir.tensor import DYNAMIC, element_type, shape


@irdl_op_definition
class ReshapeOp(MovementOp):
    """``y``: the elements of ``x`` in the same order, in the shape ``sizes``.

    One size may be -1, which takes what is left; ``-2 - k`` is the operand's size at axis ``k``,
    for sizes that are not yet fixed.

    ``%y = graph.reshape %x {sizes = array<i64: 6, -1>} : tensor<2x3x4xf32> -> tensor<6x4xf32>``
    """

    name = "graph.reshape"
    x = operand_def(TensorType)
    sizes = prop_def(DenseArrayBase.constr(I64))
    output = result_def(TensorType)
    assembly_format = "$x attr-dict `:` type($x) `->` type($output)"

    @property
    def view_offset(self) -> int | None:
        return 0

    def forwarded(self) -> SSAValue | None:
        same = self.x.type == self.output.type and DYNAMIC not in shape(self.x)
        return self.x if same else None

    def infer(self) -> Sequence[Attribute]:
        old, new = shape(self.x), self._requested(shape(self.x))
        if new.count(-1) > 1:
            raise CompileError(f"more than one of the sizes {new} is -1")
        if DYNAMIC in old:
            return [TensorType(element_type(self.x), [DYNAMIC if n == -1 else n for n in new])]
        return [TensorType(element_type(self.x), _completed(old, new))]

    def _requested(self, old: tuple[int, ...]) -> list[int]:
        """Return the sizes with those that are taken over from the operand filled in."""
        sizes = [int(n) for n in self.sizes.get_values()]
        if any(n < -1 - len(old) for n in sizes):
            raise CompileError(f"sizes {sizes} copy an axis that the operand does not have")
        return [old[-2 - n] if n < -1 else n for n in sizes]

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        return scope.read(self.x, reshaped_index(shape(self.output), index, shape(self.x)))

    def reference(self, *operands: Array) -> Array:
        return operands[0].reshape(shape(self.output))

    def over_steps(self, operands: Sequence[SSAValue], stacked: Sequence[bool]) -> GraphOp | None:
        (x,) = operands
        return reshape(x, [shape(x)[0], *shape(self.output)])

    def exchanged(self, permutation: Sequence[int]) -> "Exchange | None":
        """Return how to write ``reshape(transpose(x))`` as ``transpose(reshape(transpose(x)))``.

        permutation: that of the operand. Each run of axes that the reshape merges or splits keeps
        its elements together and moves to where its largest axis is in ``x``, so that the outer
        transpose moves whole runs and the inner one nothing, or only what is inside a run.
        """
        old, new = shape(self.x), shape(self.output)
        if DYNAMIC in (*old, *new) or not prod(new):
            return None
        runs: list[tuple[int, list[int], list[int]]] = []
        for new_axes, old_axes in _matching_runs(new, old):
            places = [permutation[a] for a in old_axes]
            largest = max(old_axes, key=lambda axis: old[axis])
            runs.append((permutation[largest], places, new_axes))
        runs.sort()
        inner = [permutation[a] for a in range(len(old)) if old[a] == 1]
        inner += [place for _, places, _ in runs for place in places]
        order = [a for a, n in enumerate(new) if n == 1]
        order += [axis for _, _, axes in runs for axis in axes]
        outer = tuple(map(order.index, range(len(new))))
        return Exchange(tuple(inner), [new[a] for a in order], outer)


@dataclass(frozen=True)
class Exchange:
    """Permute by ``inner``, reshape to ``sizes``, permute by ``outer``."""

    inner: tuple[int, ...]
    sizes: Sequence[int]
    outer: tuple[int, ...]


def reshape(x: SSAValue, sizes: Sequence[int]) -> ReshapeOp:
    """Return the op that gives ``x`` the shape ``sizes``."""
    return ReshapeOp.make(x, sizes=integers(sizes))


def _completed(old: tuple[int, ...], new: list[int]) -> list[int]:
    count, known = prod(old), prod(n for n in new if n != -1)
    if -1 in new and known and count % known == 0:
        return [count // known if n == -1 else n for n in new]
    if -1 in new or count != known:
        raise CompileError(f"{count} elements of shape {list(old)} do not fill the shape {new}")
    return new


def reshaped_index(new: Sequence[int], index: Index, old: Sequence[int]) -> list[AffineExpr]:
    """Return where the element at ``index`` of a tensor of shape ``new`` lies in shape ``old``.

    Runs of axes of equal size in both shapes are taken apart, so that an axis that the reshape does
    not touch keeps its index as it is.
    """
    place: dict[int, AffineExpr] = {}
    if prod(new):
        for new_axes, old_axes in _matching_runs(new, old):
            place |= _run_index(new, [index[a] for a in new_axes], new_axes, old, old_axes)
    return [place.get(axis, AffineExpr.constant(0)) for axis in range(len(old))]


def _run_index(
    new: Sequence[int],
    index: Index,
    new_axes: Sequence[int],
    old: Sequence[int],
    old_axes: Sequence[int],
) -> dict[int, AffineExpr]:
    linear = AffineExpr.constant(0)
    for i, stride in zip(index, strides_of(tuple(new[a] for a in new_axes)), strict=True):
        linear = linear + i * stride
    place: dict[int, AffineExpr] = {}
    strides = strides_of(tuple(old[a] for a in old_axes))
    for number, (axis, stride) in enumerate(zip(old_axes, strides, strict=True)):
        quotient = linear if stride == 1 else linear // stride
        # Within the run the first axis cannot overflow, so it needs no modulo.
        place[axis] = quotient if number == 0 else quotient % old[axis]
    return place


def split_sizes(
    sizes: Sequence[int], old: Sequence[int], new: Sequence[int]
) -> tuple[int, ...] | None:
    """Return how axes of ``sizes`` that broadcast to ``old`` stand where that is reshaped to
    ``new``; ``None`` where they repeat themselves along a part of a new axis.
    """
    if not sizes or not prod(old):
        return tuple(sizes) if not sizes else None
    whole = [*[1] * (len(old) - len(sizes)), *sizes]
    found = [1] * len(new)
    for new_axes, old_axes in _matching_runs(new, old):
        own = [whole[axis] for axis in old_axes]
        if own == [old[axis] for axis in old_axes]:
            for axis in new_axes:
                found[axis] = new[axis]
        elif own != [1] * len(own):
            return None
    return tuple(found)


def _matching_runs(new: Sequence[int], old: Sequence[int]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the shortest runs of axes (without those of size 1) that hold the same elements."""
    left = [axis for axis, n in enumerate(new) if n != 1]
    right = [axis for axis, n in enumerate(old) if n != 1]
    while left:
        run_left, run_right = [left.pop(0)], [right.pop(0)]
        new_count, old_count = new[run_left[0]], old[run_right[0]]
        while new_count != old_count:
            if new_count < old_count:
                run_left.append(left.pop(0))
                new_count *= new[run_left[-1]]
            else:
                run_right.append(right.pop(0))
                old_count *= old[run_right[-1]]
        yield run_left, run_right


OPERATIONS = [ReshapeOp]
