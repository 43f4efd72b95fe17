"""The factors of a contraction on a CPU as its inner loops read them."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.core.affine import unflatten
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import StoreOp
from dlc.ir.tensor import compute_type, element_type
from dlc.lowering.job import Job
from dlc.lowering.packing import Packing
from dlc.lowering.product import Product, points, split
from dlc.lowering.scope import LoopScope
from dlc.lowering.tile_scope import open_loop


@dataclass(frozen=True)
class Factor:
    """A buffer that holds a factor; its first element is the tensor's at ``origin``."""

    buffer: SSAValue
    origin: Sequence[int]


def stage_lhs(job: Job, product: Product, cores: LoopMap) -> Factor:
    """Return the lhs as a buffer without padding conditions, written first where there is none."""
    op = product.op
    lhs = op.operands[0]
    buffer = job.buffers.get(lhs)
    intervals = product.lhs_intervals()
    if buffer is not None and not op.lhs_guard:
        return Factor(buffer, [0] * len(intervals))
    origin = [0 if i.low is None else i.low for i in intervals]
    sizes = [1 + (i.high or 0) - low for i, low in zip(intervals, origin, strict=True)]
    staged = job.add_scratch(MemRefType(compute_type(element_type(lhs)), sizes))
    scope = LoopScope(job.builder, job.buffers)

    def write(outer: AffineExpr) -> None:
        def write_row(inner: AffineExpr) -> None:
            at = [*unflatten(outer, sizes[:-1]), inner]
            moved = [e + low for e, low in zip(at, origin, strict=True)]
            value = scope.read(lhs, moved, guard=op.lhs_guard)
            flat, values = scope.resolve(at)
            scope.b.builder.insert(StoreOp(value, staged, flat, values))

        open_loop(scope, sizes[-1], LoopMap.VECTOR, write_row)

    outer = 1
    for size in sizes[:-1]:
        outer *= size
    open_loop(scope, outer, cores, write)
    return Factor(staged, origin)


def pack_rhs(job: Job, product: Product, block: int, cores: LoopMap) -> SSAValue:
    """Return the rhs as ``[batch][column block][k][column]``. block: columns of a block."""
    packing = Packing(product, block)
    rhs = product.op.operands[1]
    if rhs in job.weights and packing.is_permutation:
        return job.repack(rhs, packing.shape, packing.pack)
    element = compute_type(element_type(rhs))
    packed = job.add_scratch(MemRefType(element, packing.shape))
    scope = LoopScope(job.builder, job.buffers)
    batch, _, depth, columns = packing.shape
    total = points(product.gemm.n)

    def write_block(first: int, count: int, width: int) -> None:
        def write(outer: AffineExpr) -> None:
            def write_row(column: AffineExpr) -> None:
                b, block, k = unflatten(outer, [batch, count, depth])
                n = (block + first) * columns + column
                gemm = product.gemm
                at = [*split(b, gemm.batch), *split(n, gemm.n), *split(k, gemm.k)]
                value = scope.read(rhs, product.rhs_index(product.dims(at)))
                flat, values = scope.resolve([b, block + first, k, column])
                scope.b.builder.insert(StoreOp(value, packed, flat, values))

            open_loop(scope, width, LoopMap.VECTOR, write_row)

        open_loop(scope, batch * count * depth, cores, write)

    whole, rest = divmod(total, columns)
    if whole:
        write_block(0, whole, columns)
    if rest:
        write_block(whole, 1, rest)
    return packed
