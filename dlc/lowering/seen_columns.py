"""Which columns of a matrix a condition on positions leaves to each row."""

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.rewriter import InsertPoint

from dlc.analysis.index_expression import constant_of
from dlc.core.affine import extent, simplify
from dlc.dialects.loop import IndexOp
from dlc.errors import CompileError
from dlc.ir.tensor import shape
from dlc.lowering.scope import LoopScope


def last_seen(condition: SSAValue) -> int | None:
    """Return the last column that row 0 sees, where row ``i`` sees just the columns up to that one
    plus ``i``; ``None`` where a condition is none on positions alone, or another one.

    condition: booleans whose last axes are rows and columns; all others are of size 1. It is
    written into a scratch block, and what that compares decides.
    """
    sizes = shape(condition)
    if len(sizes) < 2 or any(n > 1 for n in sizes[:-2]):
        return None
    block = Block(arg_types=[IndexType()] * len(sizes))
    scope = LoopScope(Builder(InsertPoint.at_end(block)), {})
    dims = [scope.dim(arg, extent(n)) for arg, n in zip(block.args, sizes, strict=True)]
    try:
        compared = scope.read(condition, dims).owner
    except CompileError:  # it is computed from tensors in memory
        return None
    behind = _behind(compared) if isinstance(compared, arith.CmpiOp) else None
    if behind is None:
        return None
    rest = simplify(dims[-1] - dims[-2] - behind, scope.ranges)
    return rest.value if isinstance(rest, AffineConstantExpr) else None


def _behind(compared: arith.CmpiOp) -> AffineExpr | None:
    """Return what is at most zero just where a comparison of index expressions holds."""
    left, right = map(_expression, compared.operands)
    if left is None or right is None:
        return None
    match arith.CMPI_COMPARISON_OPERATIONS[compared.predicate.value.data]:
        case "sle":
            return left - right
        case "slt":
            return left - right + 1
        case "sge":
            return right - left
        case "sgt":
            return right - left + 1
        case _:
            return None


def _expression(value: SSAValue) -> AffineExpr | None:
    """Return an integer as an expression of the block's arguments; ``None`` for another one."""
    if isinstance(value, BlockArgument):
        return AffineExpr.dimension(value.index)
    if (number := constant_of(value)) is not None:
        return AffineExpr.constant(number)
    assert not isinstance(value.owner, Block)
    parts = [_expression(x) for x in value.owner.operands]
    known = [part for part in parts if part is not None]
    if len(known) != len(parts):
        return None
    match value.owner:
        case IndexOp() as op:
            return op.expr.replace_dims_and_symbols(known, ())
        case arith.IndexCastOp():
            return known[0]
        case arith.AddiOp():
            return known[0] + known[1]
        case arith.SubiOp():
            return known[0] - known[1]
        case arith.MuliOp() if any(isinstance(x, AffineConstantExpr) for x in known):
            return known[0] * known[1]
        case _:
            return None
