"""Compute at compile time what does not depend on the model's inputs."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.test_value import create_ssa_value

from dlc.analysis.evaluation import constant_value, evaluate, round_to
from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.core.rewrite import erase_dead_ops
from dlc.core.weights import WeightStore, WeightType
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.graph.source import SMALL_CONSTANT, ConstantOp, WeightOp, dense_attribute
from dlc.dialects.graph.structure import Array, BodyOp, GraphOp
from dlc.ir.tensor import (
    element_count,
    element_type,
    numpy_dtype,
    shape,
    tensor_bytes,
    tensor_type,
)

GROWTH = 4
"""A large result may take this many times the bytes of what it is computed from (an expanded weight
is cheaper to expand in the kernel that reads it)."""
SMALL_BYTES = 1 << 20


class GraphFoldConstantsPass(DlcPass):
    """Replace an op whose operands are constants by a constant.

    A small result is computed now and stands in the IR. A large one becomes a weight that the store
    computes when it is read, so that folding a model takes no memory.

    Runs on: ``graph``. Leaves: ``graph``. Order: after every pass that writes ops on weights.

    ::

        %0 = graph.weight @w0 : tensor<64x32xf32>    ->  %1 = graph.weight @w1 : tensor<32x64xf32>
        %1 = graph.transpose %0 {permutation = …} : …
    """

    name = "graph-fold-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = dlc_context(ctx).weights
        for candidate in list(op.walk()):
            if isinstance(candidate, GraphOp) and _is_foldable(candidate, weights):
                _fold(candidate, weights)
        erase_dead_ops(op)


def _is_foldable(op: GraphOp, weights: WeightStore) -> bool:
    if op.is_constant or not op.operands or isinstance(op, BodyOp):
        return False
    for operand in op.operands:
        source = operand.owner
        if not isinstance(source, GraphOp) or not source.is_constant:
            return False
        if isinstance(source, WeightOp) and source.symbol.string_value() not in weights:
            return False
    if isinstance(op, ContractionOp):
        return True  # nothing is cheaper than not to multiply again
    result_bytes = sum(map(tensor_bytes, op.results))
    return result_bytes <= max(SMALL_BYTES, GROWTH * sum(map(_stored_bytes, op.operands)))


def _stored_bytes(value: SSAValue) -> int:
    return tensor_bytes(value) if isinstance(value.owner, WeightOp | ConstantOp) else 0


def _fold(op: GraphOp, weights: WeightStore) -> None:
    fold = _Fold(op, weights)
    for number, result in enumerate(tuple(op.results)):
        if element_count(result) <= SMALL_CONSTANT:
            constant = ConstantOp(dense_attribute(fold.array(number, *fold.arrays())))
        else:
            constant = WeightOp(fold.derive(number), tensor_type(result))
        constant.location = op.location
        Rewriter.insert_op(constant, InsertPoint.before(op))
        result.replace_all_uses_with(constant.results[0])
    Rewriter.erase_op(op)


class _Fold:
    """The computation of one op apart from the module, kept until its results are read."""

    def __init__(self, op: GraphOp, weights: WeightStore):
        self.weights = weights
        self.inputs = [x.owner for x in op.operands if isinstance(x.owner, WeightOp)]
        self.fixed = [
            None if isinstance(x.owner, WeightOp) else _value(x, weights) for x in op.operands
        ]
        self.op = op.clone({x: create_ssa_value(x.type) for x in op.operands})

    def arrays(self) -> list[Array]:
        """Return the weights among the operands."""
        return [self.weights.array(w.symbol.string_value()) for w in self.inputs]

    def array(self, number: int, *read: Array) -> Array:
        """Return result ``number`` from the weights among the operands."""
        rest = iter(read)
        operands = [next(rest) if x is None else x for x in self.fixed]
        result = self.op.results[number]
        if self.op.moves_data:
            found = self.op.reference(*operands)
            found = found[number] if isinstance(found, tuple) else found
        else:
            found = evaluate(self.op, operands)[number]
        return round_to(found, result.type)

    def derive(self, number: int) -> str:
        """Store result ``number`` as a computed weight and return its symbol."""
        result = self.op.results[number]
        type = WeightType(shape(result), numpy_dtype(element_type(result)))
        symbols = [w.symbol.string_value() for w in self.inputs]
        name = self.weights.information(symbols[0]) if symbols else ""
        return self.weights.derive(name, type, symbols, lambda *read: self.array(number, *read))


def _value(value: SSAValue, weights: WeightStore) -> Array:
    array = constant_value(value, weights)
    assert array is not None
    return array
