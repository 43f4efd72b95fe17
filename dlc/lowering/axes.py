"""Which neighbouring axes of a loop nest can become one loop."""

from collections.abc import Sequence
from math import prod

from xdsl.builder import Builder
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)
from xdsl.rewriter import InsertPoint

from dlc.core.affine import Ranges, extent, linear_index, stride, unflatten, uses_symbols
from dlc.dialects.loop.memory import IndexOp, LoadOp, StoreOp, buffer_shape
from dlc.ir.access import MemoryOp
from dlc.lowering.job import Job
from dlc.lowering.scope import LoopScope

Output = tuple[SSAValue, SSAValue]


def store_elements(
    scope: LoopScope, outputs: Sequence[Output], index: Sequence[AffineExpr]
) -> None:
    """Write the elements of ``outputs`` at ``index`` and their stores."""
    for value, buffer in outputs:
        element = scope.read(value, index)
        flat, values = scope.resolve(scope.straight(index, buffer_shape(buffer)))
        scope.b.builder.insert(StoreOp(element, buffer, flat, values))


class MergedAxes:
    """The axes of a result, neighbours merged where every access keeps one stride along both.

    sizes: of the merged axes; axes of size 1 are gone. cuts: where the last axis is best cut, since
    the code is another one on both sides (a concatenation); ascending, without the ends. period:
    what the last axis is divided by in an index, 1 if by nothing.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        groups: Sequence[Sequence[int]],
        comparisons: Sequence[tuple[AffineExpr, int]],
        period: int,
    ):
        self.period = period
        self._all = tuple(sizes)
        self._groups = groups
        self.sizes = [prod(sizes[a] for a in group) for group in groups]
        self.cuts: list[int] = []
        if groups:
            found = {_cut(groups[-1], expr, limit) for expr, limit in comparisons}
            self.cuts = sorted(c for c in found if c is not None and 0 < c < self.sizes[-1])

    def index(self, dims: Sequence[AffineExpr]) -> list[AffineExpr]:
        """Return the index of the result from one expression per merged axis."""
        result = [AffineExpr.constant(0)] * len(self._all)
        for group, dim in zip(self._groups, dims, strict=True):
            for axis, expr in zip(
                group, unflatten(dim, [self._all[a] for a in group]), strict=True
            ):
                result[axis] = expr
        return result


def merge_axes(job: Job, outputs: Sequence[Output], sizes: Sequence[int]) -> MergedAxes:
    """Merge the axes of a nest that computes ``outputs``, all of shape ``sizes``.

    The elements are written into a scratch block, and what that block accesses decides.
    """
    block = Block(arg_types=[IndexType()] * len(sizes))
    scope = LoopScope(Builder(InsertPoint.at_end(block)), job.buffers)
    dims = [scope.dim(arg, extent(n)) for arg, n in zip(block.args, sizes, strict=True)]
    store_elements(scope, outputs, dims)
    strides = _strides(block)
    strides += [[stride(e, a) for a in range(len(sizes))] for e in scope.integers.values()]
    groups: list[list[int]] = []
    for axis in range(len(sizes)):
        if sizes[axis] == 1:
            continue
        if groups and _mergeable(strides, groups[-1][-1], axis, sizes[axis]):
            groups[-1].append(axis)
        else:
            groups.append([axis])
    period = _period(block, groups[-1]) if groups else 1
    return MergedAxes(sizes, groups, scope.undecided, period)


def _period(block: Block, axes: Sequence[int]) -> int:
    """Return the smallest number by which an access divides the only axis of ``axes``."""
    found: list[int] = []
    for op in block.walk():
        for access in op.accesses() if isinstance(op, MemoryOp) and len(axes) == 1 else ():
            for leaf in (leaf for expr in access.map.results for leaf in expr.dfs()):
                match leaf:
                    case AffineBinaryOpExpr(
                        AffineBinaryOpKind.FloorDiv, AffineDimExpr(i), AffineConstantExpr(n)
                    ) if access.operands[i] is block.args[axes[0]]:
                        found.append(n)
                    case _:
                        pass
    return min(found, default=1)


def _cut(axes: Sequence[int], expr: AffineExpr, limit: int) -> int | None:
    """Return the first position along merged ``axes`` with ``expr >= limit``, if it is one."""
    step = stride(expr, axes[-1])
    if not step or step < 0 or not expr.used_dims() <= set(axes) or uses_symbols(expr):
        return None
    start = expr.eval([0] * (axes[-1] + 1), ())
    return -((start - limit) // step)


Strides = list[int | None]
"""By axis: by how much an access moves when the axis grows by one; ``None`` when that varies."""


def _mergeable(strides: Sequence[Strides], outer: int, inner: int, size: int) -> bool:
    pairs = ((s[outer], s[inner]) for s in strides)
    return all(x is not None and y is not None and x == y * size for x, y in pairs)


def _strides(block: Block) -> list[Strides]:
    """Return the strides along the block's arguments of all that the block computes from them."""
    result: list[Strides] = []
    for op in block.walk():
        if isinstance(op, IndexOp):
            result.append(_along(block, op.expr, op.indices))
        elif isinstance(op, MemoryOp):
            for access in op.accesses():
                sizes = buffer_shape(access.buffer)
                exprs = list(access.map.results)
                result.append(_along(block, linear_index(exprs, sizes), access.operands))
        if isinstance(op, LoadOp):
            guarded = (op.affine_map.results[axis] for axis in op.guard_axes)
            result += [_along(block, expr, op.indices) for expr in guarded]
    return result


def _along(block: Block, expr: AffineExpr, values: Sequence[SSAValue]) -> Strides:
    ranges = Ranges()
    return [stride(expr, values.index(a), ranges) if a in values else 0 for a in block.args]
