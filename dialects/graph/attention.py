"""Attention as one op, so that a kernel or a library can take it as a whole."""

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import FloatAttr, StringAttr, TensorType, UnitAttr, f64, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)

from dlc.dialects.graph.comparison import CompareOp, WhereOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.properties import integer
from dlc.dialects.graph.softmax import SoftmaxOp
from dlc.dialects.graph.structure import Array, CompositeOp, GraphOp
from dlc.errors import CompileError
from dlc.ir.tensor import broadcast_shapes, element_type, is_float, shape


@irdl_op_definition
class AttentionOp(CompositeOp):
    """``y = softmax(query key^T * scale + mask) value`` over the last two axes.

    ``query[.., s, d]``, ``key[.., t, d]``, ``value[.., t, e]``; axes before these broadcast. The
    mask broadcasts to ``[.., s, t]``: numbers are added, booleans choose what is seen. With
    ``causal`` row ``i`` of the query sees the first ``i + 1`` keys only.
    """

    name = "graph.attention"
    query = operand_def(TensorType)
    key = operand_def(TensorType)
    value = operand_def(TensorType)
    mask = opt_operand_def(TensorType)
    scale = prop_def(FloatAttr.constr(type=f64))
    causal = opt_prop_def(UnitAttr)
    output = result_def(TensorType)
    assembly_format = (
        "$query `,` $key `,` $value (`mask` $mask^ `:` type($mask))? `scale` $scale"
        " (`causal` $causal^)? attr-dict"
        " `:` `(` type($query) `,` type($key) `,` type($value) `)` `->` type($output)"
    )

    def infer(self) -> Sequence[Attribute]:
        query, key, value = (shape(x) for x in self.operands[:3])
        elements = {element_type(x) for x in self.operands[:3]}
        element = element_type(self.query)
        if len(elements) > 1 or not is_float(element):
            raise CompileError("query, key and value must be floats of one type")
        if min(len(query), len(key), len(value)) < 2:
            raise CompileError("query, key and value need at least two axes")
        if query[-1] != key[-1] or key[-2] != value[-2]:
            raise CompileError(
                f"query {list(query)}, key {list(key)} and value {list(value)} do not fit together"
            )
        batch = broadcast_shapes(query[:-2], key[:-2], value[:-2])
        self._check_mask((*batch, query[-2], key[-2]))
        return [TensorType(element, [*batch, query[-2], value[-1]])]

    def _check_mask(self, scores: tuple[int, ...]) -> None:
        if self.mask is None:
            return
        if element_type(self.mask) not in (i1, element_type(self.query)):
            raise CompileError(
                f"the mask is {element_type(self.mask)}, needs i1 or the query's type"
            )
        if broadcast_shapes(shape(self.mask), scores) != scores:
            raise CompileError(f"the mask {list(shape(self.mask))} does not fit {list(scores)}")

    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        g = Composer(insert)
        scores = g.matmul(self.query, self.key, transpose_rhs=True)
        scores = g.mul(scores, g.like(self.scale.value.data, scores))
        if self.mask is not None:
            scores = self._write_masked(g, scores, self.mask)
        if self.causal is not None:
            rows, columns = shape(scores)[-2:]
            row = g.reshape(g.positions(rows), [rows, 1])
            seen = insert(CompareOp.make(g.positions(columns), row, predicate=StringAttr("le")))
            scores = self._write_masked(g, scores, seen)
        last = integer(len(shape(scores)) - 1)
        return [g.matmul(insert(SoftmaxOp.make(scores, axis=last)), self.value)]

    def _write_masked(self, g: Composer, scores: SSAValue, mask: SSAValue) -> SSAValue:
        if element_type(mask) != i1:
            return g.add(scores, mask)
        return g.insert(WhereOp.make(mask, scores, g.like(-np.inf, scores)))

    def reference(self, *operands: Array) -> Array:
        query, key, value, *mask = operands
        scores = query @ np.swapaxes(key, -1, -2) * self.scale.value.data
        for each in mask:
            scores = np.where(each, scores, -np.inf) if each.dtype == np.bool_ else scores + each
        if self.causal is not None:
            seen = np.tri(*scores.shape[-2:], dtype=np.bool_)
            scores = np.where(seen, scores, -np.inf)
        e = np.exp(scores - scores.max(-1, keepdims=True, initial=-np.inf))
        return e / e.sum(-1, keepdims=True) @ value


OPERATIONS = [AttentionOp]
