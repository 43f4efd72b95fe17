"""Load and store neighbouring elements of a thread with one instruction."""

from collections.abc import Iterator, Sequence
from math import gcd

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.changes import Changes
from dlc.analysis.index_expression import IndexExpressions
from dlc.analysis.unrolled import neighbours_in
from dlc.arch.memory import ACCESS_BYTES
from dlc.core.affine import interval_of
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import CopyOp, KernelOp, RegisterAllocOp
from dlc.dialects.gpu.unroll import UNROLL
from dlc.dialects.loop import IndexOp, LoadOp, StoreOp
from dlc.dialects.loop.memory import buffer_element
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.ir.access import Access, MemoryOp
from dlc.ir.space import Space, SpaceAttr, space_of
from dlc.ir.tensor import element_bytes


class GpuVectorizeMemoryPass(DlcPass):
    """In an unrolled loop, replace loads of neighbours by one wide load into registers before it,
    and stores by one wide store after it.

    The first neighbour must be at a multiple of what is moved; buffers start at multiples of 16
    bytes. A guard must be the same for all neighbours; it becomes a condition around the wide load.
    Loads of a buffer that the loop also writes stay, and so does everything conditional, and what
    other threads may touch where the loop tells them or waits for them.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: after ``convert-loop-to-gpu``, before
    ``gpu-insert-barriers``.

    ::

        scf.for %v = 0 to 4 step 1 {      ->  gpu.copy %x[%t * 4] to %r[0] {elements = 4}
          %a = loop.load %x[%t * 4 + %v]      scf.for %v = 0 to 4 step 1 {
        } {unroll}                              %a = loop.load %r[%v]
    """

    name = "gpu-vectorize-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                for loop in tuple(kernel.walk()):
                    if isinstance(loop, scf.ForOp):
                        _vectorize(loop)


def _vectorize(loop: scf.ForOp) -> None:
    count = neighbours_in(loop)
    if count < 2:
        return
    changes = Changes([loop])
    for op in tuple(loop.body.block.ops):
        match op:
            case LoadOp() if not changes.may_change(op.buffer):
                _widen(loop, op, op.accesses()[0], count)
            case StoreOp() if _is_only_use(loop, op.buffer) and not changes.may_meet(op.buffer):
                _widen(loop, op, op.accesses()[0], count)
            case _:
                pass
    if len(loop.body.block.ops) == 1:
        Rewriter.erase_op(loop)


def _accesses(loop: scf.ForOp) -> Iterator[Access]:
    for op in loop.body.walk():
        if isinstance(op, MemoryOp):
            yield from op.accesses()


def _is_only_use(loop: scf.ForOp, buffer: SSAValue) -> bool:
    return sum(1 for access in _accesses(loop) if access.buffer is buffer) == 1


def _widen(loop: scf.ForOp, op: LoadOp | StoreOp, access: Access, count: int) -> None:
    """Replace one load or store in the loop where its elements are aligned neighbours."""
    induction = loop.body.block.args[0]
    exprs = IndexExpressions()
    position = exprs.position(access)
    if space_of(access.buffer) is Space.REGISTER or exprs.stride_along(position, induction) != 1:
        return
    if any(_is_inside(loop, v) for v in exprs.values if v is not induction):
        return
    width = _width(exprs.divisor(exprs.at(position, induction, 0)), access, count)
    if width < 2:
        return
    if isinstance(op, LoadOp) and any(
        exprs.stride_along(exprs.index(access, axis), induction) != 0 for axis in op.guard_axes
    ):
        return
    if isinstance(op, LoadOp) and (target := _target(loop, op, count)):
        _copy_to(
            loop,
            op,
            target,
            [exprs.indices(access, induction, at) for at in range(0, count, width)],
            exprs.values,
            width,
        )
        return
    type = MemRefType(access.type.element_type, [count], memory_space=SpaceAttr(Space.REGISTER))
    registers = RegisterAllocOp(type)
    block = loop.parent_block()
    assert block is not None
    block.insert_op_before(registers, loop)
    starts = range(0, count, width)
    outside = [(access.buffer, exprs.indices(access, induction, at), exprs.values) for at in starts]
    inside = [(registers.output, [AffineExpr.constant(at)], []) for at in starts]
    element = ([AffineExpr.dimension(0)], [induction])
    if isinstance(op, LoadOp):
        copies = [CopyOp(o, i, width) for o, i in zip(outside, inside, strict=True)]
        _insert_guarded(loop, op, copies, registers.output, exprs)
        Rewriter.replace_op(op, LoadOp(registers.output, *element))
    else:
        copies = [CopyOp(i, o, width) for o, i in zip(outside, inside, strict=True)]
        block.insert_ops_after(copies, loop)
        Rewriter.replace_op(op, StoreOp(op.value, registers.output, *element))
    for new in (registers, *copies):
        new.location = op.location


def _target(loop: scf.ForOp, op: LoadOp, count: int) -> StoreOp | None:
    """Return the store that leaves what is loaded, as it is, in registers of the neighbours."""
    user = op.value.get_user_of_unique_use()
    if not isinstance(user, StoreOp) or user.parent_block() is not loop.body.block or op.guard_axes:
        return None
    type = user.accesses()[0].type
    own = space_of(user.buffer) is Space.REGISTER and _is_only_use(loop, user.buffer)
    same = type.element_type == buffer_element(op.buffer) and type.get_shape() == (count,)
    first = user.affine_map.results == (AffineExpr.dimension(0),)
    return user if own and same and first and [*user.indices] == [loop.body.block.args[0]] else None


def _copy_to(
    loop: scf.ForOp,
    op: LoadOp,
    store: StoreOp,
    starts: Sequence[Sequence[AffineExpr]],
    values: Sequence[SSAValue],
    width: int,
) -> None:
    """Replace a load and the store of its value by wide copies before the loop."""
    block = loop.parent_block()
    assert block is not None
    for number, start in enumerate(starts):
        inside = (store.buffer, [AffineExpr.constant(number * width)], [])
        copy = CopyOp((op.buffer, start, values), inside, width)
        copy.location = op.location
        block.insert_op_before(copy, loop)
    Rewriter.erase_op(store)
    Rewriter.erase_op(op)


def _insert_guarded(
    loop: scf.ForOp,
    op: LoadOp,
    copies: Sequence[CopyOp],
    registers: SSAValue,
    exprs: IndexExpressions,
) -> None:
    """Insert wide loads before the loop; where the guard fails, the fill goes to the registers."""
    b = ScalarBuilder(Builder(InsertPoint.before(loop)))
    inside = _guard(b, op, exprs)
    if inside is None:
        for copy in copies:
            b.builder.insert(copy)
        return
    assert op.fill is not None
    fill = arith.ConstantOp(op.fill)
    body = Block(arg_types=[IndexType()])
    store = StoreOp(fill.result, registers, [AffineExpr.dimension(0)], [body.args[0]])
    body.add_ops([store, scf.YieldOp()])
    fills = scf.ForOp(loop.lb, loop.ub, loop.step, [], Region(body))
    UNROLL.mark(fills)
    taken = Region(Block([*copies, scf.YieldOp()]))
    b.builder.insert(fill)
    b.builder.insert(scf.IfOp(inside, [], taken, Region(Block([fills, scf.YieldOp()]))))


def _guard(b: ScalarBuilder, op: LoadOp, exprs: IndexExpressions) -> SSAValue | None:
    """Write the condition that a load is inside its buffer; ``None`` when it always is."""
    (access,) = op.accesses()
    checks: list[SSAValue] = []
    for axis in op.guard_axes:
        expr, size = exprs.index(access, axis), access.type.get_shape()[axis]
        low, high = interval_of(expr, exprs.ranges)
        position = b.insert(IndexOp(expr, exprs.values))
        if low is None or low < 0:
            checks.append(b.compare("ge", position, b.constant(0, IndexType())))
        if high is None or high >= size:
            checks.append(b.compare("lt", position, b.constant(size, IndexType())))
    condition: SSAValue | None = None
    for check in checks:
        condition = check if condition is None else b.logical("and", condition, check)
    return condition


def _is_inside(loop: scf.ForOp, value: SSAValue) -> bool:
    owner = value.owner
    return loop.is_ancestor(owner)


def _width(divisor: int, access: Access, count: int) -> int:
    """Return the elements of one instruction: each starts at a multiple of it."""
    width = gcd(divisor, count, ACCESS_BYTES // element_bytes(access.type.element_type))
    return width & -width
