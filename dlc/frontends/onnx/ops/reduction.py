"""Reductions over axes."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType, Signedness, i1
from xdsl.ir import SSAValue

from dlc.dialects.graph import reduction as graph
from dlc.dialects.graph.arg_reduction import ArgMaxOp, ArgMinOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.properties import flag, integers, normalized_axis
from dlc.dialects.graph.reduction import OverAxes
from dlc.dialects.graph.softmax import ReduceLogSumExpOp
from dlc.frontends.onnx.conversion import Conversion, NodeContext, converts
from dlc.ir.tensor import element_type, shape

_BYTE = IntegerType(8, Signedness.UNSIGNED)


def _axes(node: NodeContext) -> Sequence[int] | None:
    """Return the axes to reduce over, ``None`` where the node means none at all."""
    rank, nothing = len(node.shape(0)), node.integer("noop_with_empty_axes", 0)
    given = node.integers("axes", [])
    if node.optional(1) is not None:
        given = [int(axis) for axis in node.require_constant(1, "axes").ravel()]
    if not given:
        return None if nothing else range(rank)
    return sorted({normalized_axis(axis, rank) for axis in given})


def reduction(op: type[OverAxes]) -> Conversion:
    """Return the conversion of an operator that is one reduction."""

    def convert(node: NodeContext) -> SSAValue:
        g, x = Composer(node.insert), node.operand(0)
        axes, keep = _axes(node), bool(node.integer("keepdims", 1))
        if element_type(x) == i1:
            return g.cast(reduce(g, op, g.cast(x, _BYTE), axes, keep), i1)
        return reduce(g, op, x, axes, keep)

    return convert


def reduce(
    g: Composer, op: type[OverAxes], x: SSAValue, axes: Sequence[int] | None, keep: bool
) -> SSAValue:
    """Insert a reduction; over no axis at all it sees each element on its own."""
    if axes:
        return g.reduce(op, x, axes, keep)
    sizes = shape(x)
    return g.reduce(op, g.reshape(x, [*sizes, 1]), [len(sizes)], keep=False)


_REDUCTIONS = {
    "ReduceSum": graph.ReduceSumOp,
    "ReduceMean": graph.ReduceMeanOp,
    "ReduceMax": graph.ReduceMaxOp,
    "ReduceMin": graph.ReduceMinOp,
    "ReduceProd": graph.ReduceProdOp,
    "ReduceSumSquare": graph.ReduceSumSquareOp,
    "ReduceL1": graph.ReduceL1Op,
    "ReduceL2": graph.ReduceL2Op,
    "ReduceLogSum": graph.ReduceLogSumOp,
    "ReduceLogSumExp": ReduceLogSumExpOp,
}

for _op_type, _op in _REDUCTIONS.items():
    converts(_op_type, since=1)(reduction(_op))


def _arg_reduction(op: type[OverAxes]) -> Conversion:
    def convert(node: NodeContext) -> SSAValue:
        axis = normalized_axis(node.integer("axis", 0), len(node.shape(0)))
        return node.insert(
            op.make(
                node.operand(0),
                axes=integers([axis]),
                keep_dims=flag(bool(node.integer("keepdims", 1))),
                select_last=flag(bool(node.integer("select_last_index", 0))),
            )
        )

    return convert


converts("ArgMax", since=1)(_arg_reduction(ArgMaxOp))
converts("ArgMin", since=1)(_arg_reduction(ArgMinOp))
