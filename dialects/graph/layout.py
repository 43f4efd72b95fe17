"""Data movement by index maps: transpose, broadcast, tile, slice and concatenation."""

from collections.abc import Sequence
from itertools import accumulate
from math import prod

import numpy as np
from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    var_operand_def,
)

from dlc.dialects.graph.computed import Index, Scope, broadcast_index
from dlc.dialects.graph.movement import MovementOp, strides_of
from dlc.dialects.graph.properties import integer, integers
from dlc.dialects.graph.structure import VIEW_ALIGNMENT_BYTES, Array, GraphOp, Joined
from dlc.errors import CompileError
from dlc.ir.tensor import (
    DYNAMIC,
    broadcast_shapes,
    element_bytes,
    element_count,
    element_type,
    shape,
)

_UNARY_FORMAT = "$x attr-dict `:` type($x) `->` type($output)"


@irdl_op_definition
class TransposeOp(MovementOp):
    """``y``: ``x`` with its axes permuted: axis ``i`` of ``y`` is axis ``permutation[i]`` of ``x``.

    ``%y = graph.transpose %x {permutation = array<i64: 1, 0>} :
    tensor<2x3xf32> -> tensor<3x2xf32>``
    """

    name = "graph.transpose"
    x = operand_def(TensorType)
    permutation = prop_def(DenseArrayBase.constr(I64))
    output = result_def(TensorType)
    assembly_format = _UNARY_FORMAT

    def axes(self) -> tuple[int, ...]:
        """Return the permutation."""
        return tuple(int(axis) for axis in self.permutation.get_values())

    def forwarded(self) -> SSAValue | None:
        return self.x if self.axes() == tuple(range(len(self.axes()))) else None

    @property
    def view_offset(self) -> int | None:
        sizes = shape(self.x)
        moved = [axis for axis in self.axes() if sizes[axis] != 1]
        return 0 if moved == sorted(moved) else None

    def infer(self) -> Sequence[Attribute]:
        sizes, axes = shape(self.x), self.axes()
        if sorted(axes) != list(range(len(sizes))):
            raise CompileError(f"{list(axes)} is no permutation of {len(sizes)} axes")
        return [TensorType(element_type(self.x), [sizes[axis] for axis in axes])]

    def over_steps(self, operands: Sequence[SSAValue], stacked: Sequence[bool]) -> GraphOp | None:
        return transpose(operands[0], [0, *(axis + 1 for axis in self.axes())])

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        axes = self.axes()
        return scope.read(self.x, [index[axes.index(axis)] for axis in range(len(axes))])

    def reference(self, *operands: Array) -> Array:
        return np.transpose(operands[0], self.axes())


def transpose(x: SSAValue, axes: Sequence[int]) -> TransposeOp:
    """Return the op that permutes the axes of ``x``."""
    return TransposeOp.make(x, permutation=integers(axes))


def inverse_permutation(axes: Sequence[int]) -> tuple[int, ...]:
    """Return the permutation that undoes ``axes``."""
    return tuple(axes.index(axis) for axis in range(len(axes)))


@irdl_op_definition
class BroadcastOp(MovementOp):
    """``y``: ``x`` repeated along its axes of size 1 and along new leading ones.

    The result has the shape to which ``x`` and ``sizes`` broadcast; a size of 1 keeps the axis.
    """

    name = "graph.broadcast"
    x = operand_def(TensorType)
    sizes = prop_def(DenseArrayBase.constr(I64))
    output = result_def(TensorType)
    assembly_format = _UNARY_FORMAT

    def forwarded(self) -> SSAValue | None:
        same = self.x.type == self.output.type and DYNAMIC not in shape(self.x)
        return self.x if same else None

    def permuted(self, permutation: Sequence[int], operands: Sequence[SSAValue]) -> GraphOp | None:
        sizes = [1] * len(permutation)
        sizes[len(sizes) - len(self.sizes) :] = self.sizes.get_values()
        return self.with_operands(operands, sizes=integers([sizes[a] for a in permutation]))

    def infer(self) -> Sequence[Attribute]:
        wanted = self.sizes.get_values()
        if min(wanted, default=0) < 0:
            raise CompileError(f"sizes {list(wanted)} have a negative one")
        sizes = broadcast_shapes(shape(self.x), wanted)
        return [TensorType(element_type(self.x), sizes)]

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        return scope.read(self.x, broadcast_index(self.x, index))

    def reference(self, *operands: Array) -> Array:
        return np.broadcast_to(operands[0], shape(self.output))


@irdl_op_definition
class TileOp(MovementOp):
    """``y``: ``repeats[i]`` copies of ``x`` one after the other along axis ``i``."""

    name = "graph.tile"
    x = operand_def(TensorType)
    repeats = prop_def(DenseArrayBase.constr(I64))
    output = result_def(TensorType)
    assembly_format = _UNARY_FORMAT

    def forwarded(self) -> SSAValue | None:
        return self.x if set(self.repeats.get_values()) <= {1} else None

    def permuted(self, permutation: Sequence[int], operands: Sequence[SSAValue]) -> GraphOp | None:
        repeats = self.repeats.get_values()
        return self.with_operands(operands, repeats=integers([repeats[a] for a in permutation]))

    def infer(self) -> Sequence[Attribute]:
        sizes, repeats = shape(self.x), self.repeats.get_values()
        if len(sizes) != len(repeats) or any(r < 0 for r in repeats):
            raise CompileError(f"repeats {list(repeats)} do not fit {len(sizes)} axes")
        tiled = [DYNAMIC if n == DYNAMIC else n * r for n, r in zip(sizes, repeats, strict=True)]
        return [TensorType(element_type(self.x), tiled)]

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        sizes, repeats = shape(self.x), self.repeats.get_values()
        inner = [i if r == 1 else i % n for i, n, r in zip(index, sizes, repeats, strict=True)]
        return scope.read(self.x, inner)

    def reference(self, *operands: Array) -> Array:
        return np.tile(operands[0], self.repeats.get_values())


@irdl_op_definition
class SliceOp(MovementOp):
    """``y = x[starts[i]:stops[i]:steps[i], ...]`` with Python's rules: negative positions count
    from the end, positions outside are taken to the edge, a negative step goes backwards.

    ``%y = graph.slice %x {starts = array<i64: 1>, stops = array<i64: 8>, steps = array<i64: 2>} :
    tensor<9xf32> -> tensor<4xf32>``
    """

    name = "graph.slice"
    x = operand_def(TensorType)
    starts = prop_def(DenseArrayBase.constr(I64))
    stops = prop_def(DenseArrayBase.constr(I64))
    steps = prop_def(DenseArrayBase.constr(I64))
    output = result_def(TensorType)
    assembly_format = _UNARY_FORMAT

    def slices(self) -> list[slice]:
        """Return one Python slice per axis."""
        bounds = (self.starts, self.stops, self.steps)
        return [slice(*each) for each in zip(*(x.get_values() for x in bounds), strict=True)]

    def ranges(self) -> list[range]:
        """Return the positions taken along each axis, whose sizes must be fixed."""
        pairs = zip(self.slices(), shape(self.x), strict=True)
        return [range(*each.indices(size)) for each, size in pairs]

    @property
    def view_offset(self) -> int | None:
        """What is taken is consecutive when all axes behind the first with several positions are
        whole.
        """
        sizes = shape(self.x)
        if DYNAMIC in sizes or not element_count(self.output):
            return None
        taken = self.ranges()
        first = next((a for a, each in enumerate(taken) if len(each) > 1), len(taken))
        whole = [range(size) for size in sizes[first + 1 :]]
        if taken[first + 1 :] != whole or any(each.step != 1 for each in taken[first : first + 1]):
            return None
        strides = strides_of(sizes)
        offset = sum(each.start * n for each, n in zip(taken, strides, strict=True))
        aligned = offset * element_bytes(element_type(self.x)) % VIEW_ALIGNMENT_BYTES == 0
        return offset if aligned else None

    def forwarded(self) -> SSAValue | None:
        if DYNAMIC in shape(self.x):
            return None
        whole = [range(size) for size in shape(self.x)]
        return self.x if self.ranges() == whole else None

    def permuted(self, permutation: Sequence[int], operands: Sequence[SSAValue]) -> GraphOp | None:
        bounds = {"starts": self.starts, "stops": self.stops, "steps": self.steps}
        moved = {k: integers([v.get_values()[a] for a in permutation]) for k, v in bounds.items()}
        return self.with_operands(operands, **moved)

    def over_steps(self, operands: Sequence[SSAValue], stacked: Sequence[bool]) -> GraphOp | None:
        whole = {"starts": 0, "stops": shape(operands[0])[0], "steps": 1}
        own = {"starts": self.starts, "stops": self.stops, "steps": self.steps}
        bounds = {name: integers([n, *own[name].get_values()]) for name, n in whole.items()}
        return self.with_operands(operands, **bounds)

    def infer(self) -> Sequence[Attribute]:
        rank = len(shape(self.x))
        if any(len(each) != rank for each in (self.starts, self.stops, self.steps)):
            raise CompileError(
                f"starts, stops and steps must have one number for each of {rank} axes"
            )
        if 0 in self.steps.get_values():
            raise CompileError("a step must not be 0")
        sizes = [
            _dynamic_extent(each) if size == DYNAMIC else len(range(*each.indices(size)))
            for each, size in zip(self.slices(), shape(self.x), strict=True)
        ]
        return [TensorType(element_type(self.x), sizes)]

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        pairs = zip(index, self.ranges(), strict=True)
        return scope.read(self.x, [i * taken.step + taken.start for i, taken in pairs])

    def reference(self, *operands: Array) -> Array:
        return operands[0][tuple(self.slices())]


def _dynamic_extent(each: slice) -> int:
    """Return the size of a slice of an axis that is not fixed: only an empty one is known."""
    return 0 if each.start == each.stop else DYNAMIC


@irdl_op_definition
class ConcatOp(MovementOp):
    """``y``: the operands one after the other along ``axis``.

    ``%y = graph.concat %a, %b {axis = 1 : i64} :
    (tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>``
    """

    name = "graph.concat"
    inputs = var_operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    output = result_def(TensorType)
    assembly_format = "$inputs attr-dict `:` `(` type($inputs) `)` `->` type($output)"

    @property
    def operand_offsets(self) -> Sequence[int] | None:
        """The operands stand one after the other when all axes before ``axis`` are of size 1."""
        sizes = shape(self.output)
        if DYNAMIC in sizes or prod(sizes[: self.axis.value.data]) != 1:
            return None
        counts = [element_count(x) for x in self.inputs]
        offsets = [0, *accumulate(counts[:-1])]
        width = element_bytes(element_type(self.output))
        aligned = all(offset * width % VIEW_ALIGNMENT_BYTES == 0 for offset in offsets)
        return offsets if aligned and all(counts) else None

    @property
    def joined(self) -> Joined | None:
        if self.operand_offsets is not None:
            return None
        axis = self.axis.value.data
        ends = accumulate(shape(x)[axis] for x in self.inputs)
        return Joined.of(self, axis, [0, *ends][: len(self.inputs)])

    def forwarded(self) -> SSAValue | None:
        return self.inputs[0] if len(self.inputs) == 1 else None

    def permuted(self, permutation: Sequence[int], operands: Sequence[SSAValue]) -> GraphOp | None:
        axis = list(permutation).index(self.axis.value.data)
        return self.with_operands(operands, axis=integer(axis))

    def infer(self) -> Sequence[Attribute]:
        if not self.inputs:
            raise CompileError("needs at least one operand")
        if len({element_type(x) for x in self.inputs}) > 1:
            raise CompileError("the operands have different element types")
        shapes = [shape(x) for x in self.inputs]
        axis = self.axis.value.data
        if not 0 <= axis < len(shapes[0]):
            raise CompileError(f"axis {axis} is outside a tensor of {len(shapes[0])} axes")
        if len({len(s) for s in shapes}) > 1:
            raise CompileError("the operands have different numbers of axes")
        sizes = [
            _common_size(along, number)
            for number, along in enumerate(zip(*shapes, strict=True))
            if number != axis
        ]
        along = [s[axis] for s in shapes]
        sizes.insert(axis, DYNAMIC if DYNAMIC in along else sum(along))
        return [TensorType(element_type(self.inputs[0]), sizes)]

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        axis = self.axis.value.data
        position = scope.integer(index[axis], i64)
        parts: list[tuple[int, SSAValue]] = []
        start = 0
        for x in self.inputs:
            if shape(x)[axis]:
                parts.append((start, x))
            start += shape(x)[axis]
        return self._chosen(scope, index, position, parts)

    def _chosen(
        self, scope: Scope, index: Index, position: SSAValue, parts: list[tuple[int, SSAValue]]
    ) -> SSAValue:
        """Write the choice between the operands by halving, so that it takes log(n) branches."""
        axis = self.axis.value.data
        if len(parts) == 1:
            ((start, x),) = parts
            return scope.read(x, [*index[:axis], index[axis] - start, *index[axis + 1 :]])
        before, after = parts[: len(parts) // 2], parts[len(parts) // 2 :]
        is_before = scope.b.compare("lt", position, scope.b.constant(after[0][0], i64))
        (value,) = scope.b.branch(
            is_before,
            lambda: [self._chosen(scope, index, position, before)],
            lambda: [self._chosen(scope, index, position, after)],
        )
        return value

    def reference(self, *operands: Array) -> Array:
        return np.concatenate(operands, self.axis.value.data)


def _common_size(sizes: Sequence[int], axis: int) -> int:
    fixed = {n for n in sizes if n != DYNAMIC}
    if len(fixed) > 1:
        raise CompileError(f"the operands have sizes {sorted(fixed)} along axis {axis}")
    return fixed.pop() if fixed else DYNAMIC


OPERATIONS = [TransposeOp, BroadcastOp, TileOp, SliceOp, ConcatOp]
