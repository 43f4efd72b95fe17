"""Matrix products."""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def

from dlc.dialects.graph.computed import ContractionOp, Domain, WeightInner, WeightOrder
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.errors import CompileError
from dlc.ir.tensor import broadcast_shapes, shape


@irdl_op_definition
class MatmulOp(ContractionOp):
    """``y[..., m, n] = sum over k of a[..., m, k] * b[..., k, n]``, batch axes broadcast.

    ``transpose_lhs`` reads ``a[..., k, m]``, ``transpose_rhs`` reads ``b[..., n, k]``. With
    ``shared = g`` each product of the rhs along its last batch axis is for ``g`` neighbours of the
    lhs, as keys are for the heads of a group.
    16-bit floats accumulate in ``f32``; 8-bit integers, with a sign or without, accumulate in and
    give ``i32``.

    ``%y = graph.matmul %a, %b {transpose_rhs} :
    (tensor<8x4xf32>, tensor<3x4xf32>) -> tensor<8x3xf32>``
    """

    name = "graph.matmul"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    transpose_lhs = opt_prop_def(UnitAttr)
    transpose_rhs = opt_prop_def(UnitAttr)
    shared = opt_prop_def(IntegerAttr.constr(type=i64))
    output = result_def(TensorType)
    assembly_format = (
        "$lhs `,` $rhs (`transpose_lhs` $transpose_lhs^)? (`transpose_rhs` $transpose_rhs^)?"
        " (`shared` $shared^)? (`precision` $precision^)?"
        " attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($output)"
    )

    def infer(self) -> Sequence[Attribute]:
        left, right = shape(self.lhs), shape(self.rhs)
        element = self.sum_type()
        if len(left) < 2 or len(right) < 2:
            raise CompileError("the factors need at least two axes")
        m, k = left[:-3:-1][::-1] if self.transpose_lhs is None else left[:-3:-1]
        k2, n = right[:-3:-1][::-1] if self.transpose_rhs is None else right[:-3:-1]
        if k != k2:
            raise CompileError(f"the inner sizes {k} and {k2} differ")
        batch = broadcast_shapes(left[:-2], self._repeated(right[:-2], left[:-2]))
        return [TensorType(element, [*batch, m, n])]

    @property
    def row_rank(self) -> int | None:
        return 2 if self.shared is None else None

    @property
    def neighbours(self) -> int:
        """The neighbours along the last batch axis of the lhs that share a product of the rhs."""
        return 1 if self.shared is None else self.shared.value.data

    def _repeated(self, batch: tuple[int, ...], lhs: tuple[int, ...]) -> tuple[int, ...]:
        """Return the batch axes of the rhs as those of the lhs are; raises CompileError where it is
        not for ``shared`` neighbours each.
        """
        if self.shared is None:
            return batch
        count = self.neighbours
        if not batch or not lhs or count < 2 or batch[-1] * count != lhs[-1]:
            raise CompileError(
                f"shared {count} needs batch axes whose last has {count} times as many places in "
                f"the lhs, at least 2, not {list(lhs)} and {list(batch)}"
            )
        return (*batch[:-1], lhs[-1])

    @property
    def domain(self) -> Domain:
        left = shape(self.lhs)
        return Domain(shape(self.output), (left[-2 if self.transpose_lhs else -1],))

    def indexing_maps(self) -> tuple[AffineMap, AffineMap, AffineMap]:
        rank = len(shape(self.output))
        dims = [AffineExpr.dimension(i) for i in range(rank + 1)]
        *batch, m, n, k = dims
        maps: list[AffineMap] = []
        for factor, inner in (
            (self.lhs, (k, m) if self.transpose_lhs else (m, k)),
            (self.rhs, (n, k) if self.transpose_rhs else (k, n)),
        ):
            sizes = shape(factor)
            own = batch[len(batch) - (len(sizes) - 2) :]
            if factor is self.rhs and self.shared:
                own = [*own[:-1], own[-1] // self.neighbours]
            at = [AffineExpr.constant(0) if s == 1 else d for s, d in zip(sizes, own, strict=False)]
            maps.append(AffineMap(rank + 1, 0, (*at, *inner)))
        return maps[0], maps[1], AffineMap(rank + 1, 0, (*batch, m, n))

    def weight_order(self, inner: WeightInner) -> WeightOrder | None:
        transposed = self.transpose_rhs is not None
        if transposed == (inner == "k"):
            return None
        *batch, row, column = range(len(shape(self.rhs)))
        flag = None if transposed else UnitAttr()
        return WeightOrder([*batch, column, row], {"transpose_rhs": flag})

    def absorbed_transpose(
        self, number: int, permutation: Sequence[int], operand: SSAValue
    ) -> GraphOp | None:
        *batch, row, column = range(len(permutation))
        if list(permutation) != [*batch, column, row]:
            return None
        operands = list(self.operands)
        operands[number] = operand
        name = ("transpose_lhs", "transpose_rhs")[number]
        flipped = None if name in self.properties else UnitAttr()
        if number == 0 and flipped:
            return None  # rows of the lhs are better read along k
        return self.with_operands(operands, **{name: flipped})

    def reference(self, *operands: Array) -> Array:
        a, b = operands
        a = np.swapaxes(a, -1, -2) if self.transpose_lhs else a
        b = np.swapaxes(b, -1, -2) if self.transpose_rhs else b
        b = np.repeat(b, self.neighbours, -3) if self.shared else b
        return matrix_product(*wide_integers(a, b))


def wide_integers(*factors: Array) -> tuple[Array, ...]:
    """Return integers of 8 bits as integers of 32, in which their products are summed."""
    return tuple(
        x.astype(np.int32) if x.dtype.kind in "iu" and x.itemsize == 1 else x for x in factors
    )


def matrix_product(a: Array, b: Array) -> Array:
    """Return ``np.matmul(a, b)``, by few products of large matrices of floats.

    A batch of lhs with one rhs is one product; small integers go through floats, which are exact.
    """
    if b.ndim == 2 and a.ndim > 2:
        rows = matrix_product(a.reshape(-1, a.shape[-1]), b)
        return rows.reshape(*a.shape[:-1], b.shape[-1])
    if a.dtype.kind == "f" or not a.size or not b.size:
        return np.matmul(a, b)
    if _magnitude(a) * _magnitude(b) * a.shape[-1] >= 2**53:
        return np.matmul(a, b)
    exact = np.matmul(a.astype(np.float64), b.astype(np.float64))
    return exact.astype(np.int64).astype(a.dtype)


def _magnitude(x: Array) -> int:
    return max(abs(int(x.min())), abs(int(x.max())))


OPERATIONS = [MatmulOp]
