"""Load neighbours that begin beside a multiple of what one instruction moves with those around."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Block, BlockArgument, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import Rewriter

from dlc.analysis.index_expression import IndexExpressions
from dlc.analysis.unrolled import neighbours_in
from dlc.arch.memory import ACCESS_BYTES
from dlc.core.affine import interval_of, simplify
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp, RegisterAllocOp
from dlc.dialects.gpu.unroll import UNROLL
from dlc.dialects.loop import LoadOp, StoreOp
from dlc.dialects.loop.memory import buffer_element
from dlc.ir.access import Access
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import element_bytes


class GpuAlignLoadsPass(DlcPass):
    """In an unrolled loop, loads of neighbours that begin some elements behind a multiple of what
    one instruction moves become loads of all elements from that multiple on, in a loop before it.

    What is loaded beside the neighbours must be in the same line of the buffer, and the wide loads
    must be fewer than those that there would be. Only inputs of the kernel are loaded so, which no
    thread writes; a load with a guard stays.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: before ``gpu-vectorize-memory``, which makes wide
    loads of it.

    ::

        scf.for %v = 0 to 4 {                  ->  scf.for %u = 0 to 8 {
          %a = loop.load %x[%t * 4 + %v + 1]         %b = loop.load %x[%t * 4 + %u]
        } {unroll}                                   loop.store %b, %r[%u]
                                                   } {unroll}
                                                   scf.for %v = 0 to 4 {
                                                     %a = loop.load %r[%v + 1]
                                                   } {unroll}
    """

    name = "gpu-align-loads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                for loop in tuple(kernel.walk()):
                    if isinstance(loop, scf.ForOp):
                        _align(loop, kernel.input_buffers)


@dataclass(frozen=True)
class _Around:
    """What is loaded: ``count`` elements from ``before`` elements before the first neighbour on."""

    before: int
    count: int


def _align(loop: scf.ForOp, inputs: Sequence[BlockArgument]) -> None:
    neighbours = neighbours_in(loop)
    for op in tuple(loop.body.block.ops) if neighbours > 1 else ():
        if isinstance(op, LoadOp) and op.buffer in inputs and not op.guard_axes:
            _align_load(loop, op, neighbours)


def _align_load(loop: scf.ForOp, op: LoadOp, neighbours: int) -> None:
    access, induction, exprs = op.accesses()[0], loop.body.block.args[0], IndexExpressions()
    position = exprs.position(access)
    last = exprs.index(access, access.type.get_num_dims() - 1)
    inside = any(v is not induction and loop.is_ancestor(v.owner) for v in exprs.values)
    if inside or {exprs.stride_along(e, induction) for e in (position, last)} != {1}:
        return
    around = next(_arounds(exprs, access, induction, neighbours), None)
    if around is not None:
        _load_around(loop, op, around, exprs)


def _arounds(
    exprs: IndexExpressions, access: Access, induction: SSAValue, neighbours: int
) -> Iterator[_Around]:
    """Yield what may be loaded with fewer instructions than the neighbours, widest ones first."""
    first = exprs.at(exprs.position(access), induction, 0)
    axis = access.type.get_num_dims() - 1
    start = interval_of(exprs.at(exprs.index(access, axis), induction, 0), exprs.ranges)
    if start.low is None or start.high is None:
        return
    width = ACCESS_BYTES // element_bytes(access.type.element_type)
    divisor = gcd(exprs.divisor(first), neighbours, width)
    instructions = neighbours // (divisor & -divisor)
    while width > 1:
        before = next((n for n in range(width) if exprs.divisor(first - n) % width == 0), 0)
        count = -(-(before + neighbours) // width) * width
        room = start.low >= before and start.high - before + count <= access.type.get_shape()[axis]
        if before and room and count // width < instructions:
            yield _Around(before, count)
        width //= 2


def _load_around(loop: scf.ForOp, op: LoadOp, around: _Around, exprs: IndexExpressions) -> None:
    """Insert the loads and their registers before the loop, and let the load take it from there."""
    block, induction = loop.parent_block(), loop.body.block.args[0]
    assert block is not None
    type, space = buffer_element(op.buffer), SpaceAttr(Space.REGISTER)
    registers = RegisterAllocOp(MemRefType(type, [around.count], memory_space=space))
    zero, one, end = (arith.ConstantOp(IntegerAttr(n, IndexType())) for n in (0, 1, around.count))
    body = Block(arg_types=[IndexType()])
    number = exprs.values.index(induction)
    values = [body.args[0] if v is induction else v for v in exprs.values]
    dims = [AffineExpr.dimension(i) for i in range(len(values))]
    dims[number] = dims[number] - around.before
    (access,) = op.accesses()
    whole = (exprs.index(access, axis) for axis in range(access.type.get_num_dims()))
    index = [simplify(expr.replace_dims_and_symbols(dims, ())) for expr in whole]
    load = LoadOp(op.buffer, index, values)
    store = StoreOp(load.value, registers.output, [AffineExpr.dimension(0)], [body.args[0]])
    body.add_ops([load, store, scf.YieldOp()])
    loads = scf.ForOp(zero.result, end.result, one.result, [], Region(body))
    UNROLL.mark(loads)
    new = [registers, zero, one, end, loads]
    block.insert_ops_before(new, loop)
    taken = LoadOp(registers.output, [AffineExpr.dimension(0) + around.before], [induction])
    for each in (*new, load, store, taken):
        each.location = op.location
    Rewriter.replace_op(op, taken)
