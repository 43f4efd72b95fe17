"""Tensors that are put together from parts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def, result_def, var_operand_def
from xdsl.rewriter import Rewriter

from dlc.dialects.graph.computed import Index, Scope
from dlc.dialects.graph.movement import MovementOp
from dlc.dialects.graph.properties import integer, integers
from dlc.dialects.graph.structure import Array, GraphOp, Joined
from dlc.errors import CompileError
from dlc.ir.tensor import (
    DYNAMIC,
    compute_type,
    element_type,
    numpy_dtype,
    shape,
    tensor_type,
)


@irdl_op_definition
class OverlayOp(MovementOp):
    """``y``: ``size`` places along ``axis``, each operand from its one of ``starts`` on, later ones
    over earlier ones; elements that no operand has are 0.

    The other axes are those of the result. Between kernels it costs nothing where every operand is
    written to its part of the result's buffer, and the first one, where it is as large as the
    result, has that buffer already.

    ``%y = graph.overlay %x, %a {axis = 1 : i64, size = 8 : i64, starts = array<i64: 0, 4>} :
    (tensor<2x8xf32>, tensor<2x3xf32>) -> tensor<2x8xf32>``
    """

    name = "graph.overlay"
    inputs = var_operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    size = prop_def(IntegerAttr)
    starts = prop_def(DenseArrayBase.constr(I64))
    output = result_def(TensorType)
    assembly_format = "$inputs attr-dict `:` `(` type($inputs) `)` `->` type($output)"

    @property
    def parts(self) -> list[tuple[SSAValue, range]]:
        """The operands, and which places along the axis each of them has."""
        axis, starts = self.axis.value.data, self.starts.get_values()
        pairs = zip(self.inputs, map(int, starts), strict=True)
        return [(x, range(start, start + shape(x)[axis])) for x, start in pairs]

    @property
    def joined(self) -> Joined | None:
        return Joined.of(self, self.axis.value.data, [*map(int, self.starts.get_values())])

    @property
    def operand_offsets(self) -> Sequence[int] | None:
        """Every operand is in the buffer of the result, a part from its start on."""
        return None if self.joined is None else [0] * len(self.inputs)

    def permuted(self, permutation: Sequence[int], operands: Sequence[SSAValue]) -> GraphOp | None:
        axis = list(permutation).index(self.axis.value.data)
        return self.with_operands(operands, axis=integer(axis))

    def infer(self) -> Sequence[Attribute]:
        if not self.inputs or len(self.starts) != len(self.inputs):
            raise CompileError("needs at least one operand, and a start for each")
        axis, size = self.axis.value.data, self.size.value.data
        sizes, element = list(shape(self.inputs[0])), element_type(self.inputs[0])
        if not 0 <= axis < len(sizes):
            raise CompileError(f"axis {axis} is outside a tensor of {len(sizes)} axes")
        sizes[axis] = size
        type = TensorType(element, sizes)
        for x, along in self.parts:
            others = [*shape(x)[:axis], size, *shape(x)[axis + 1 :]]
            if DYNAMIC in shape(x) or others != sizes or element_type(x) != element:
                raise CompileError(f"{x.type} is no part of {type} along axis {axis}")
            if along.start < 0 or along.stop > size:
                raise CompileError(f"places {along.start} to {along.stop} are not all in {type}")
        return [type]

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        axis = self.axis.value.data
        position = scope.integer(index[axis], i64)
        type = compute_type(element_type(self.output))
        return self._over(scope, index, position, scope.b.constant(0, type), self.parts)

    def _over(
        self,
        scope: Scope,
        index: Index,
        position: SSAValue,
        nothing: SSAValue,
        parts: list[tuple[SSAValue, range]],
    ) -> SSAValue:
        """Write the choice of the last operand that has the position."""
        if not parts:
            return nothing
        axis, b = self.axis.value.data, scope.b
        *before, (x, along) = parts
        own = [*index[:axis], index[axis] - along.start, *index[axis + 1 :]]
        if len(along) == shape(self.output)[axis]:
            return scope.read(x, own)
        is_behind = b.compare("ge", position, b.constant(along.start, i64))
        is_inside = b.logical(
            "and", is_behind, b.compare("lt", position, b.constant(along.stop, i64))
        )
        (value,) = b.branch(
            is_inside,
            lambda: [scope.read(x, own)],
            lambda: [self._over(scope, index, position, nothing, before)],
        )
        return value

    def reference(self, *operands: Array) -> Array:
        axis = self.axis.value.data
        whole = np.zeros(shape(self.output), numpy_dtype(element_type(self.output)))
        for operand, (_, along) in zip(operands, self.parts, strict=True):
            np.moveaxis(whole, axis, 0)[along.start : along.stop] = np.moveaxis(operand, axis, 0)
        return whole


OPERATIONS = [OverlayOp]


def write_overlay(op: GraphOp) -> None:
    """Replace an op whose operands are parts of its result (``joined``) by one that says so."""
    if op.joined is None or isinstance(op, OverlayOp):
        return
    axis, starts = integer(op.joined.axis), integers(op.joined.starts)
    size = integer(shape(op.results[0])[op.joined.axis])
    new = OverlayOp.make(*op.operands, axis=axis, size=size, starts=starts)
    new.location = op.location
    Rewriter.replace_op(op, new)


@dataclass(frozen=True)
class Part:
    """Where a tensor is stored that is a part of a larger one, and the type of that."""

    axis: int
    start: int
    whole: TensorType[Attribute]


def part_of(value: SSAValue) -> Part | None:
    """Return where a tensor that a kernel gives is stored; ``None`` where it has a buffer of its
    own: no overlay outside of kernels takes it as a part.
    """
    for use in value.uses:
        op = use.operation
        if isinstance(op, OverlayOp) and shape(value) != shape(op.output):
            start = int(op.starts.get_values()[use.index])
            return Part(op.axis.value.data, start, tensor_type(op.output))
    return None


def holder(value: SSAValue) -> SSAValue:
    """Return the tensor in whose buffer a kernel stores ``value``."""
    overlays = (use.operation for use in value.uses if part_of(value) is not None)
    return next((op.results[0] for op in overlays), value)


def stored_type(value: SSAValue) -> TensorType[Attribute]:
    """Return the type of the buffer in which a kernel stores a tensor."""
    return tensor_type(holder(value))


def stored(value: SSAValue, buffer: Array) -> Array:
    """Return a tensor, given what is in the buffer in which a kernel has stored it."""
    part = part_of(value)
    if part is None:
        return buffer
    rows = np.moveaxis(buffer, part.axis, 0)[part.start :][: shape(value)[part.axis]]
    return np.moveaxis(rows, 0, part.axis)
