"""Products of matrices: of each factor a product with the other one."""

from math import prod

from xdsl.ir import SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.contraction import MatmulOp
from dlc.dialects.graph.gradient.rules import NoRuleError, gradient_of
from dlc.ir.tensor import shape


@gradient_of(MatmulOp)
def _matmul(op: MatmulOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """``dA = dY B^T`` and ``dB = A^T dY``, transposed where the factor is."""
    if op.shared is not None:
        raise NoRuleError(f"{op.name} with shared products")
    a, b = op.lhs, op.rhs
    left, right = op.transpose_lhs is not None, op.transpose_rhs is not None
    if number == 0:
        if left:
            return g.matmul(b, dy, transpose_lhs=right, transpose_rhs=True)
        return g.matmul(dy, b, transpose_rhs=not right)
    if len(shape(b)) == 2 and not left:  # one matrix for all batches: their rows are one
        a, dy = _rows(g, a), _rows(g, dy)
    if right:
        return g.matmul(dy, a, transpose_lhs=True, transpose_rhs=left)
    return g.matmul(a, dy, transpose_lhs=not left)


def _rows(g: Composer, x: SSAValue) -> SSAValue:
    *batch, columns = shape(x)
    return g.reshape(x, [prod(batch), columns])
