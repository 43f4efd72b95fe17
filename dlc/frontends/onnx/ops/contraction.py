"""Matrix products."""

from xdsl.ir import SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.ir.tensor import element_type, shape


@converts("MatMul", since=1)
def _matmul(node: NodeContext) -> SSAValue:
    return matmul(node, node.operand(0), node.operand(1))


def matmul(node: NodeContext, a: SSAValue, b: SSAValue) -> SSAValue:
    """Insert numpy's matrix product: a vector is a row on the left and a column on the right."""
    g = Composer(node.insert)
    left, right = shape(a), shape(b)
    if min(len(left), len(right)) >= 2:
        return g.matmul(a, b)
    rows = g.reshape(a, [1, *left]) if len(left) == 1 else a
    columns = g.reshape(b, [*right, 1]) if len(right) == 1 else b
    y = g.matmul(rows, columns)
    sizes = list(shape(y))
    del sizes[len(sizes) - 1 if len(right) == 1 else len(sizes) :]
    if len(left) == 1:
        del sizes[len(sizes) - (1 if len(right) == 1 else 2)]
    return g.reshape(y, sizes)


@converts("Gemm", since=1)
def _gemm(node: NodeContext) -> SSAValue:
    g = Composer(node.insert)
    transposes = bool(node.integer("transA", 0)), bool(node.integer("transB", 0))
    y = g.matmul(node.operand(0), node.operand(1), *transposes)
    y = scaled(g, y, node.number("alpha", 1.0))
    bias, beta = node.optional(2), node.number("beta", 1.0)
    return y if bias is None or beta == 0.0 else g.add(y, scaled(g, bias, beta))


def scaled(g: Composer, x: SSAValue, factor: float) -> SSAValue:
    """Insert the product of ``x`` and a number; ``x`` itself for 1."""
    return x if factor == 1.0 else g.mul(x, g.splat(factor, element_type(x)))
