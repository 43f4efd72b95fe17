"""Tensors made larger, or smaller, at their edges."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from dlc.dialects.graph.computed import Index, Scope
from dlc.dialects.graph.movement import MovementOp, clamped
from dlc.dialects.graph.properties import element_value, integers
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.errors import CompileError
from dlc.ir.tensor import DYNAMIC, element_type, shape

_MODES = ("constant", "edge", "reflect", "wrap")


@irdl_op_definition
class PadOp(MovementOp):
    """``y``: ``x`` with ``low[i]`` elements before and ``high[i]`` after it along axis ``i``.

    A negative number cuts elements off (before the others are added). ``mode`` says what is added:
    ``constant`` the ``value``; ``edge`` the outermost element; ``reflect`` the elements mirrored at
    the outermost one; ``wrap`` those of the other end.
    """

    name = "graph.pad"
    x = operand_def(TensorType)
    low = prop_def(DenseArrayBase.constr(I64))
    high = prop_def(DenseArrayBase.constr(I64))
    mode = prop_def(StringAttr)
    value = opt_prop_def(FloatAttr | IntegerAttr)
    output = result_def(TensorType)
    assembly_format = "$x attr-dict `:` type($x) `->` type($output)"

    def margins(self) -> list[tuple[int, int]]:
        """Return the elements added before and after along each axis."""
        return list(zip(self.low.get_values(), self.high.get_values(), strict=True))

    def forwarded(self) -> SSAValue | None:
        return self.x if all(margin == (0, 0) for margin in self.margins()) else None

    def permuted(self, permutation: Sequence[int], operands: Sequence[SSAValue]) -> GraphOp | None:
        margins = [self.margins()[axis] for axis in permutation]
        low, high = (integers([margin[side] for margin in margins]) for side in (0, 1))
        return self.with_operands(operands, low=low, high=high)

    def infer(self) -> Sequence[Attribute]:
        sizes = shape(self.x)
        if len(self.low) != len(sizes) or len(self.high) != len(sizes):
            raise CompileError(f"low and high must have one number for each of {len(sizes)} axes")
        if self.mode.data not in _MODES:
            raise CompileError(f"mode {self.mode.data!r} is none of {', '.join(_MODES)}")
        if (self.mode.data == "constant") != (self.value is not None):
            raise CompileError("a value is for mode constant, which needs one")
        if self.value is not None and self.value.type != element_type(self.x):
            raise CompileError(f"the value is {self.value.type}, the tensor {element_type(self.x)}")
        padded = [
            self._padded_size(size, *margin)
            for size, margin in zip(sizes, self.margins(), strict=True)
        ]
        return [TensorType(element_type(self.x), padded)]

    def _padded_size(self, size: int, low: int, high: int) -> int:
        if size == DYNAMIC:
            return DYNAMIC
        kept = size + min(low, 0) + min(high, 0)
        added = max(low, high, 0)
        if kept < 0:
            raise CompileError(f"{-min(low, 0) - min(high, 0)} elements cut off an axis of {size}")
        if self.mode.data != "constant" and added and not kept:
            raise CompileError(f"an empty axis cannot be padded in mode {self.mode.data}")
        return size + low + high

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        triples = list(zip(index, shape(self.x), self.margins(), strict=True))
        if self.value is None:
            return scope.read(self.x, [self._source(scope, i, n, m) for i, n, m in triples])
        guard = [axis for axis, (low, high) in enumerate(self.margins()) if max(low, high) > 0]
        inside = [i - low for i, _, (low, _) in triples]
        return scope.read(self.x, inside, guard, element_value(self.value))

    def _source(
        self, scope: Scope, i: AffineExpr, size: int, margin: tuple[int, int]
    ) -> AffineExpr:
        """Write the position along one axis from which an element of the result is copied."""
        low, high = margin
        if low <= 0 and high <= 0:
            return i - low
        first, kept = max(-low, 0), size + min(low, 0) + min(high, 0)
        distance = max(low, 0)
        b = scope.b
        if self.mode.data == "edge":
            position = scope.integer(i - distance, i64)
            return scope.symbol(clamped(b, position, kept)) + first
        period = kept if self.mode.data == "wrap" else max(2 * (kept - 1), 1)
        # Whole periods are added so that the modulo is of a number that is not negative.
        offset = -distance % period
        around = (i + offset) % period
        if self.mode.data == "wrap":
            return around + first
        forth = scope.integer(around, i64)
        back = b.sub(b.constant(2 * (kept - 1), i64), forth)
        return scope.symbol(b.minimum(forth, back)) + first

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        cut = tuple(
            slice(max(-low, 0), size + min(high, 0))
            for size, (low, high) in zip(x.shape, self.margins(), strict=True)
        )
        added = [(max(low, 0), max(high, 0)) for low, high in self.margins()]
        if self.value is not None:
            return np.pad(x[cut], added, constant_values=element_value(self.value))
        mode: Any = self.mode.data  # numpy's own names, which the verifier holds it to
        return np.pad(x[cut], added, mode=mode)


OPERATIONS = [PadOp]
