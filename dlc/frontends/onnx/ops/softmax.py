"""Softmax and its kin."""

from xdsl.ir import SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.properties import integer, normalized_axis
from dlc.dialects.graph.softmax import AlongAxisOp, HardmaxOp, LogSoftmaxOp, SoftmaxOp
from dlc.errors import OpenSizeError
from dlc.frontends.onnx.conversion import Conversion, NodeContext, converts
from dlc.ir.tensor import DYNAMIC, shape


def _along_axis(op: type[AlongAxisOp]) -> Conversion:
    def convert(node: NodeContext) -> SSAValue:
        x = node.operand(0)
        axis = normalized_axis(node.integer("axis", -1), len(shape(x)))
        return node.insert(op.make(x, axis=integer(axis)))

    return convert


def _over_flattened(op: type[AlongAxisOp]) -> Conversion:
    """Before opset 13 the function runs over all axes from ``axis`` on, as one."""

    def convert(node: NodeContext) -> SSAValue:
        g, x = Composer(node.insert), node.operand(0)
        sizes = shape(x)
        axis = normalized_axis(node.integer("axis", 1), len(sizes))
        wide = [a for a in range(axis, len(sizes)) if sizes[a] != 1]
        if len(wide) <= 1:
            return node.insert(op.make(x, axis=integer(wide[0] if wide else axis)))
        if DYNAMIC in sizes[axis:]:
            raise OpenSizeError(f"{node.op_type} over several axes")
        flat = g.reshape(x, [*sizes[:axis], -1])
        return g.reshape(node.insert(op.make(flat, axis=integer(axis))), sizes)

    return convert


for _op_type, _op in {
    "Softmax": SoftmaxOp,
    "LogSoftmax": LogSoftmaxOp,
    "Hardmax": HardmaxOp,
}.items():
    converts(_op_type, since=1)(_over_flattened(_op))
    converts(_op_type, since=13)(_along_axis(_op))
