"""Move unrolled loops into the loops that they hold, so that neighbours are read together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    IndexType,
    MemRefType,
    ModuleOp,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.traits import Pure

from dlc.analysis.changes import Changes
from dlc.analysis.index_expression import constant_of
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp, RegisterAllocOp
from dlc.dialects.gpu.unroll import UNROLL
from dlc.dialects.loop import LoadOp, StoreOp
from dlc.ir.access import MemoryOp
from dlc.ir.space import Space, SpaceAttr

_STORED = (f32, f64, i1, i32, i64)
"""Types that are the same in a register buffer as in a value."""

Write = Callable[[Block, dict[SSAValue, SSAValue]], None]
"""Writes into a block; knows what each old value has become."""


class GpuJamUnrolledPass(DlcPass):
    """Unroll and jam: each thread's window over neighbouring elements becomes one window over
    vectors. The carried values of the inner loop move to registers.

    Only where the inner loop's bounds are the same in all iterations of the unrolled one and what
    comes before it has no effects (it is computed again where it is used), nor is of a buffer that
    other threads may write when the inner loop meets them.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: before ``gpu-vectorize-memory``, which then finds the
    neighbours in the innermost loop.

    ::

        scf.for %v = 0 to 4 {                 ->  scf.for %v = 0 to 4 { store %z, %r[%v] }
          %s = scf.for %k = 0 to 9                scf.for %k = 0 to 9 {
                 iter_args(%a = %z) {               scf.for %v = 0 to 4 {
            ... load %x[%k, %v] ...                   ... load %r[%v], load %x[%k, %v] ...
          }                                         }
          store %s, %y[%v]                        }
        } {unroll}                                scf.for %v = 0 to 4 { load %r[%v], store }
    """

    name = "gpu-jam-unrolled"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                loops = [o for o in kernel.walk() if isinstance(o, scf.ForOp)]
                for loop in loops:
                    _jam(loop)


def _jam(loop: scf.ForOp) -> None:
    """Jam the first loop that an unrolled loop holds, then those in what comes out."""
    inner = _inner_loop(loop)
    if inner is None:
        return
    body = [op for op in loop.body.block.ops if not isinstance(op, scf.YieldOp)]
    at = body.index(inner)
    before, after = body[:at], body[at + 1 :]
    if not _can_move(loop, before, inner):
        return
    jammed = _Jam(loop, inner, before, after)
    block = loop.parent_block()
    assert block is not None
    new = jammed.write()
    block.insert_ops_before(new, loop)
    for op in new:
        op.location = inner.location
    loop.detach()
    loop.erase()
    for unrolled in jammed.loops:
        _jam(unrolled)


def _inner_loop(loop: scf.ForOp) -> scf.ForOp | None:
    """Return the first rolled loop directly in an unrolled one that carries nothing."""
    if not UNROLL.marks(loop) or loop.iter_args:
        return None
    inner = (op for op in loop.body.block.ops if isinstance(op, scf.ForOp))
    return next((op for op in inner if not UNROLL.marks(op)), None)


def _can_move(loop: scf.ForOp, before: Sequence[Operation], inner: scf.ForOp) -> bool:
    """Return whether the inner loop may run around the unrolled one."""
    writes = any(a.writes for op in inner.walk() if isinstance(op, MemoryOp) for a in op.accesses())
    changes = Changes([inner])
    movable = all(_may_repeat(op, changes) for op in before)
    bounds = (inner.lb, inner.ub, inner.step)
    fixed = all(constant_of(v) is not None or not loop.is_ancestor(v.owner) for v in bounds)
    counted = constant_of(loop.lb) == 0 and constant_of(loop.step) == 1
    carried = all(v.type in _STORED for v in inner.iter_args)
    return movable and fixed and counted and carried and bool(inner.iter_args) and not writes


def _may_repeat(op: Operation, changes: Changes) -> bool:
    if isinstance(op, LoadOp):
        return not changes.may_change(op.buffer)
    return op.has_trait(Pure)


@dataclass
class _Jam:
    """An unrolled loop in three parts: before, in and after its inner loop.

    loops: the unrolled loops that ``write`` has made.
    """

    loop: scf.ForOp
    inner: scf.ForOp
    before: Sequence[Operation]
    after: Sequence[Operation]
    loops: list[scf.ForOp] = field(default_factory=list)

    def write(self) -> list[Operation]:
        """Return the operations that replace the unrolled loop."""
        count = constant_of(self.loop.ub)
        assert count is not None
        space = SpaceAttr(Space.REGISTER)
        types = [MemRefType(v.type, [count], memory_space=space) for v in self.inner.iter_args]
        allocs = [RegisterAllocOp(type) for type in types]
        self.registers = [alloc.output for alloc in allocs]
        bounds, copies = self._bounds()
        first = self._unrolled(self._start, [v.owner for v in self.inner.iter_args])
        low, high, step = bounds
        around = scf.ForOp(low, high, step, [], Region(Block(arg_types=[IndexType()])))
        self.induction = around.body.block.args[0]
        middle = self._unrolled(self._step, list(self.inner.body.block.ops))
        around.body.block.add_ops([middle, scf.YieldOp()])
        last = self._unrolled(self._end, self.after)
        return [*allocs, *copies, first, around, last]

    def _bounds(self) -> tuple[list[SSAValue], list[Operation]]:
        """Return the inner loop's bounds as values from outside, and the constants made for it."""
        values: list[SSAValue] = []
        copies: list[Operation] = []
        for value in (self.inner.lb, self.inner.ub, self.inner.step):
            owner = value.owner
            if isinstance(owner, Operation) and self.loop.is_ancestor(owner):
                copies.append(owner.clone())
                value = copies[-1].results[0]
            values.append(value)
        return values, copies

    def _unrolled(self, write: Write, users: Sequence[Operation | Block]) -> scf.ForOp:
        """Return an unrolled loop with what ``write`` writes and what that needs from before."""
        block = Block(arg_types=[IndexType()])
        mapped: dict[SSAValue, SSAValue] = {self.loop.body.block.args[0]: block.args[0]}
        for op in self._needed(users):
            block.add_op(op.clone(mapped))
        write(block, mapped)
        block.add_op(scf.YieldOp())
        new = scf.ForOp(self.loop.lb, self.loop.ub, self.loop.step, [], Region(block))
        UNROLL.mark(new)
        self.loops.append(new)
        return new

    def _needed(self, users: Sequence[Operation | Block]) -> list[Operation]:
        """Return the operations before the inner loop that ``users`` need, in order."""
        operations = [user for user in users if isinstance(user, Operation)]
        waiting = [op for user in operations for op in user.walk()]
        needed = {user for user in operations if user in self.before}
        while waiting:
            for operand in waiting.pop().operands:
                owner = operand.owner
                if owner in self.before and owner not in needed:
                    assert isinstance(owner, Operation)
                    needed.add(owner)
                    waiting.append(owner)
        return [op for op in self.before if op in needed]

    def _start(self, block: Block, mapped: dict[SSAValue, SSAValue]) -> None:
        self._store(block, [mapped.get(v, v) for v in self.inner.iter_args])

    def _step(self, block: Block, mapped: dict[SSAValue, SSAValue]) -> None:
        induction, *carried = self.inner.body.block.args
        mapped[induction] = self.induction
        self._load(block, carried, mapped)
        *body, end = self.inner.body.block.ops
        for op in body:
            block.add_op(op.clone(mapped))
        self._store(block, [mapped.get(v, v) for v in end.operands])

    def _end(self, block: Block, mapped: dict[SSAValue, SSAValue]) -> None:
        self._load(block, self.inner.results, mapped)
        for op in self.after:
            block.add_op(op.clone(mapped))

    def _load(
        self, block: Block, values: Sequence[SSAValue], mapped: dict[SSAValue, SSAValue]
    ) -> None:
        for value, registers in zip(values, self.registers, strict=True):
            load = LoadOp(registers, [AffineExpr.dimension(0)], [block.args[0]])
            block.add_op(load)
            mapped[value] = load.value

    def _store(self, block: Block, values: Sequence[SSAValue]) -> None:
        for value, registers in zip(values, self.registers, strict=True):
            block.add_op(StoreOp(value, registers, [AffineExpr.dimension(0)], [block.args[0]]))
