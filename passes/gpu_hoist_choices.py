"""Choose between tensors once for the neighbours of a thread."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure

from dlc.analysis.changes import Changes
from dlc.analysis.index_expression import IndexExpressions, first_beyond
from dlc.analysis.unrolled import neighbours_in
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp, RegisterAllocOp
from dlc.dialects.gpu.unroll import UNROLL
from dlc.dialects.loop import LoadOp, StoreOp
from dlc.dialects.loop.memory import buffer_element
from dlc.ir.space import Space, SpaceAttr, space_of


class GpuHoistChoicesPass(DlcPass):
    """In an unrolled loop, an ``if`` that all neighbours decide alike is decided once, before the
    loop: in each branch a loop of its own leaves the values in registers.

    So what a branch loads are neighbours, which one wide load brings: a concatenation is read as
    its operands lie.

    The condition compares the position of a neighbour, which begins at a multiple of their number,
    with such a multiple. What the branches and the condition need has no effects, and is computed
    again there; no buffer that they read is written in the loop, nor may others write it there.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: before ``gpu-vectorize-memory``.

    ::

        scf.for %v = 0 to 8 {                   ->  scf.if %t * 8 < 64 {
          %c = ... %t * 8 + %v < 64                   scf.for %v = 0 to 8 { store %x[..], %r[%v] }
          %a = scf.if %c { load %x[..] }            } else {
               else { load %y[..] }                   scf.for %v = 0 to 8 { store %y[..], %r[%v] }
        } {unroll}                                  }
                                                    scf.for %v = 0 to 8 { %a = load %r[%v] }
    """

    name = "gpu-hoist-choices"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                for loop in tuple(kernel.walk()):
                    if isinstance(loop, scf.ForOp):
                        _hoist(loop)


def _hoist(loop: scf.ForOp) -> None:
    """Move the choices of a loop before it, then those of the loops that come of it."""
    count = neighbours_in(loop)
    if count < 2 or loop.iter_args:
        return
    for op in tuple(loop.body.block.ops):
        if op.parent is None:
            continue  # nobody needs it any more
        if isinstance(op, scf.IfOp) and op.results and _is_alike(loop, op.cond, count):
            choice = _Choice(loop, op, count)
            if choice.can_move():
                for inner in choice.move():
                    _hoist(inner)


def _is_alike(loop: scf.ForOp, condition: SSAValue, count: int) -> bool:
    """Return whether a condition is the same in all iterations."""
    match condition.owner:
        case op if not loop.is_ancestor(op):
            return True
        case arith.AndIOp() | arith.OrIOp() as op:
            return all(_is_alike(loop, operand, count) for operand in op.operands)
        case arith.CmpiOp() as op:
            return _compares_alike(loop, op, count)
        case _:
            return False


def _compares_alike(loop: scf.ForOp, op: arith.CmpiOp, count: int) -> bool:
    position, limit = op.lhs, first_beyond(op)
    if isinstance(position.owner, arith.IndexCastOp):
        position = position.owner.input
    if limit is None or not isinstance(position.type, IndexType):
        return False
    induction = loop.body.block.args[0]
    exprs = IndexExpressions()
    expr = exprs.of(position)
    moves = exprs.stride_along(expr, induction)
    if moves == 0:
        return all(v is induction or not loop.is_ancestor(v.owner) for v in exprs.values)
    first = exprs.divisor(exprs.at(expr, induction, 0))
    return moves == 1 and first % count == 0 and limit % count == 0


@dataclass
class _Choice:
    """An ``if`` in an unrolled loop of ``count`` iterations that all of them decide alike."""

    loop: scf.ForOp
    op: scf.IfOp
    count: int

    def can_move(self) -> bool:
        """Return whether the branches and what they need may run before the loop."""
        moved = [*self._needed(self.op), *self.op.walk()]
        read = {each.buffer for each in moved if isinstance(each, LoadOp)}
        changed = any(map(Changes([self.loop]).may_change, read))
        return all(map(_may_move, moved)) and not changed

    def _needed(self, user: Operation) -> list[Operation]:
        """Return the operations of the loop's body that ``user`` needs, in order."""
        body = list(self.loop.body.block.ops)
        needed: set[Operation] = set()
        waiting = list(user.walk())
        while waiting:
            for operand in waiting.pop().operands:
                owner = operand.owner
                if isinstance(owner, Operation) and owner in body and owner not in needed:
                    needed.add(owner)
                    waiting += owner.walk()
        return [op for op in body if op in needed]

    def move(self) -> list[scf.ForOp]:
        """Move the choice; return the loops that stand in its branches."""
        stores = [_kept_as_it_is(self.op, number) for number in range(len(self.op.results))]
        places = [store or self._registers(number) for number, store in enumerate(stores)]
        registers = [place for place in places if isinstance(place, RegisterAllocOp)]
        buffers = [
            place.output if isinstance(place, RegisterAllocOp) else place.buffer for place in places
        ]
        condition, first = self._first_condition()
        inner = [self._branch(r, buffers) for r in (self.op.true_region, self.op.false_region)]
        then, otherwise = (Region(Block([each, scf.YieldOp()])) for each in inner)
        chosen = scf.IfOp(first, [], then, otherwise)
        block = self.loop.parent_block()
        assert block is not None
        new: list[Operation] = [*registers, *condition, chosen]
        for each in new:
            each.location = self.op.location
        block.insert_ops_before(new, self.loop)
        self._read_registers(stores, buffers)
        _erase_unused(self.loop)
        return inner

    def _registers(self, number: int) -> RegisterAllocOp:
        element = _stored(self.op, number)
        space = SpaceAttr(Space.REGISTER)
        return RegisterAllocOp(MemRefType(element, [self.count], memory_space=space))

    def _read_registers(
        self, stores: Sequence[StoreOp | None], buffers: Sequence[SSAValue]
    ) -> None:
        """Let the loop read what the branches left, but for what it would only store there."""
        at = [AffineExpr.dimension(0)], [self.loop.body.block.args[0]]
        for result, store, buffer in zip(self.op.results, stores, buffers, strict=True):
            if store:
                Rewriter.erase_op(store)
            else:
                load = LoadOp(buffer, *at)
                Rewriter.insert_op(load, InsertPoint.before(self.op))
                result.replace_all_uses_with(load.value)
        Rewriter.erase_op(self.op)

    def _first_condition(self) -> tuple[list[Operation], SSAValue]:
        """Return the condition of the first iteration, and the operations that compute it."""
        owner = self.op.cond.owner
        if not isinstance(owner, Operation) or not self.loop.is_ancestor(owner):
            return [], self.op.cond
        mapped: dict[SSAValue, SSAValue] = {self.loop.body.block.args[0]: self.loop.lb}
        made = [op.clone(mapped) for op in [*self._needed(owner), owner]]
        return made, mapped[self.op.cond]

    def _branch(self, region: Region, buffers: Sequence[SSAValue]) -> scf.ForOp:
        """Return a loop over the neighbours that leaves a branch's values in registers."""
        block = Block(arg_types=[IndexType()])
        mapped: dict[SSAValue, SSAValue] = {self.loop.body.block.args[0]: block.args[0]}
        *body, end = region.block.ops
        for op in [*self._needed_in([*body, end]), *body]:
            block.add_op(op.clone(mapped))
        for value, buffer in zip(end.operands, buffers, strict=True):
            at = [AffineExpr.dimension(0)], [block.args[0]]
            block.add_op(StoreOp(mapped.get(value, value), buffer, *at))
        block.add_op(scf.YieldOp())
        loop = scf.ForOp(self.loop.lb, self.loop.ub, self.loop.step, [], Region(block))
        UNROLL.mark(loop)
        loop.location = self.op.location
        return loop

    def _needed_in(self, body: Sequence[Operation]) -> list[Operation]:
        needed = {each for op in body for each in self._needed(op)}
        return [op for op in self.loop.body.block.ops if op in needed]


def _stored(choice: scf.IfOp, number: int) -> Attribute:
    """Return the type in which a result of a choice is kept: that of the buffers where all branches
    only load it, so that it is converted once, after the choice.
    """
    found = {
        _loaded(region.block.last_op, number)
        for region in (choice.true_region, choice.false_region)
    }
    element = found.pop() if len(found) == 1 else None
    return element or choice.results[number].type


def _kept_as_it_is(choice: scf.IfOp, number: int) -> StoreOp | None:
    """Return the store that leaves a result in registers of this type, made by a choice around."""
    user = choice.results[number].get_user_of_unique_use()
    if not isinstance(user, StoreOp) or space_of(user.buffer) is not Space.REGISTER:
        return None
    around = choice.parent_block()
    is_own = user.parent_block() is around and [*user.indices] == [*(around.args if around else ())]
    return user if is_own and buffer_element(user.buffer) == _stored(choice, number) else None


def _loaded(end: Operation | None, number: int) -> Attribute | None:
    assert isinstance(end, scf.YieldOp)
    match end.operands[number].owner:
        case LoadOp() as load:
            return buffer_element(load.buffer)
        case scf.IfOp() as choice if end.operands[number] in choice.results:
            return _stored(choice, choice.results.index(end.operands[number]))
        case _:
            return None


def _erase_unused(loop: scf.ForOp) -> None:
    """Erase what only the choice needed, and a loop of nothing."""
    for op in reversed(list(loop.body.block.ops)):
        if op.results and op.has_trait(Pure) and not any(result.uses for result in op.results):
            Rewriter.erase_op(op)
    if len(loop.body.block.ops) == 1:
        Rewriter.erase_op(loop)


def _may_move(op: Operation) -> bool:
    return isinstance(op, LoadOp | scf.IfOp | scf.YieldOp) or op.has_trait(Pure)
