"""Let some warps of a block bring slices while the others multiply them."""

from dataclasses import dataclass
from functools import cached_property

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from dlc.analysis.index_expression import constant_of
from dlc.analysis.index_range import range_of
from dlc.arch.fragments import WARP_LANES
from dlc.core.locations import operation_text
from dlc.core.passes import DlcPass
from dlc.dialects.gpu.mbarrier import MbarrierOp
from dlc.dialects.loop import ForOp, KernelOp, RolesOp, StageOp, YieldOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.errors import CompileError
from dlc.lowering.scope import LoopScope
from dlc.simt.ring import Ring
from dlc.simt.slots import check_slices
from dlc.simt.tile_walk import loop_over_tiles


class LoopAssignRolesPass(DlcPass):
    """Obey ``producers = P`` of a pipelined loop: the block gets P warps more, which bring its
    slices; the threads that there were multiply them and do all the rest.

    1. The body of the loop over threads is written twice, as the regions of ``loop.roles``: once
       without the stages, once with what leads to them and nothing else.
    2. Each staged tile gets ``pipeline`` slots. Slice number n of all slices that the block brings
       is in slot n mod ``pipeline``. For each slot there are two ``mbarrier`` objects. Who brings
       waits until the slot is empty; who multiplies waits until it is full.
       Where tensor copies bring all tiles, one thread starts them.
    3. With ``turns = T`` there are T teams of threads that multiply. Each takes every T-th
       tile of the loop over tiles, and they multiply one after the other: one finishes its tile
       while the next one multiplies.
    4. Who multiplies a ``staggered`` loop begins a slice while the one before ends, and gives that
       one's slot back then.
    5. ``registers`` of the loop become those of the roles.

    Slices are counted through a loop over tiles around the loop, so that the first slices of the
    next tile come while the sums of the one before are finished. Loops without ``producers`` stay.

    Runs on: ``loop``. Leaves: ``loop`` with the synchronisation of ``gpu``. Order: before
    ``loop-pipeline-stages``, which takes the loops where all threads bring slices.

    ::

        loop.for %t = 0 to 128 map = thread {       loop.for %t = 0 to 160 map = thread {
          loop.for %k = 0 to 9                        (mbarrier_init of %full and %empty, barrier)
            {pipeline = 3, producers = 1} {           loop.roles %t threads [128, 32] {
            loop.stage %s {..}                 ->       loop.for %k = 0 to 9
            loop.contract %acc, %s, ..                    mbarrier_wait %full[%k mod 3] parity ..
          }                                               loop.contract %acc, %s[%k mod 3], ..
          loop.drain %acc ..                              mbarrier_arrive %empty[%k mod 3]
        }                                               loop.drain %acc ..
                                                      }, {
                                                        loop.for %k = 0 to 9
                                                          mbarrier_wait %empty[%k mod 3] parity ..
                                                          loop.stage async %s[%k mod 3] {..}
                                                          cp_async_arrive %full[%k mod 3]
    """

    name = "loop-assign-roles"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                loops = [o for o in kernel.walk() if isinstance(o, ForOp) and o.producer_warps]
                for loop in loops:
                    _Roles(kernel, loop).write()


@dataclass(frozen=True)
class _Roles:
    """A loop over slices that warps of their own bring."""

    kernel: KernelOp
    loop: ForOp

    @cached_property
    def threads(self) -> ForOp:
        """The loop over the threads that multiply."""
        parent = self.loop.parent_op()
        while not (isinstance(parent, ForOp) and parent.map.data is LoopMap.THREAD):
            if parent is None:
                raise CompileError("is in no loop over threads", at=operation_text(self.loop))
            parent = parent.parent_op()
        return parent

    def write(self) -> None:
        """Write the loop over threads anew."""
        self._check()
        teams, multiplying = self.loop.team_count, len(self.threads.range)
        bringing = self.loop.producer_warps * WARP_LANES
        sizes = [*[multiplying] * teams, bringing]
        threads = ForOp(0, sum(sizes), kind=self.threads.kind.data, map=LoopMap.THREAD)
        threads.induction.name_hint = self.threads.induction.name_hint
        threads.location = self.threads.location
        scope = LoopScope(Builder(InsertPoint.at_start(threads.body.block)), {})
        ring = Ring.of(scope, self.loop, multiplying, bringing)
        ring.write_objects(scope, threads.induction)
        roles = RolesOp(threads.induction, sizes, self._registers)
        roles.location = self.threads.location
        scope.b.builder.insert(roles)
        scope.b.builder.insert(YieldOp())
        *products, copies = (self._copied(body.block) for body in roles.bodies)
        for team, loop in enumerate(products):
            _take_turns(loop, team, teams)
            ring.write_products(loop, team)
        ring.write_copies(copies)
        _keep_stages(roles.bodies[-1].block)
        if ring.by_one_thread:
            _leave_to_first(roles.bodies[-1].block)
        Rewriter.replace_op(self.threads, threads, [])
        if self.kernel.threads is not None:
            self.kernel.threads = IntegerAttr(sum(sizes), i64)

    @property
    def _registers(self) -> list[int]:
        """The registers of a thread of each role; none where all have the same."""
        *many, few = self.loop.role_registers or [0]
        return [*many * self.loop.team_count, few] if many else []

    def _check(self) -> None:
        check_slices(self.loop, self.loop.slots)
        others = [o for o in self.threads.walk() if isinstance(o, ForOp) and o.producer_warps]
        if others != [self.loop]:
            raise CompileError(
                "has two loops with producers; bring the slices of one of them with all threads",
                at=operation_text(self.threads),
            )

    def _copied(self, block: Block) -> ForOp:
        """Write the body of the loop over threads to a role; return the loop over slices there."""
        number = block.args[0]
        number.name_hint = self.threads.induction.name_hint
        known: dict[SSAValue, SSAValue] = {self.threads.induction: number}
        for op in self.threads.body.block.ops:
            block.add_op(op.clone(known))
        return next(op for op in block.walk() if isinstance(op, ForOp) and op.producer_warps)


def _take_turns(loop: ForOp, team: int, teams: int) -> None:
    """Let a team take every ``teams``-th tile from its own on."""
    tiles = loop_over_tiles(loop)
    if tiles is None or teams == 1:
        return
    scope = LoopScope(Builder(InsertPoint.before(tiles)), {})
    step = constant_of(tiles.step)
    assert step is not None
    first = scope.dim(tiles.lb, range_of(tiles.lb)) + team * step
    lower, wide = scope.index_value(first), scope.b.constant(teams * step, IndexType())
    tiles.operands[0], tiles.operands[2] = lower, wide


def _leave_to_first(block: Block) -> None:
    """Let one thread of a role do what all would do."""
    *ops, last = block.ops
    scope = LoopScope(Builder(InsertPoint.before(last)), {})
    taken = Block()
    for op in ops:
        op.detach()
        taken.add_op(op)
    taken.add_op(scf.YieldOp())
    first = scope.b.compare("eq", block.args[0], scope.b.constant(0, IndexType()))
    scope.b.builder.insert(scf.IfOp(first, [], Region(taken)))


def _keep_stages(block: Block) -> None:
    """Erase what is not needed to bring tiles."""
    for op in reversed(list(block.ops)):
        if any(isinstance(inner, StageOp | MbarrierOp) for inner in op.walk()):
            inner = [] if isinstance(op, StageOp) else [b for r in op.regions for b in r.blocks]
            for block_inside in inner:
                _keep_stages(block_inside)
        elif not op.has_trait(IsTerminator) and not any(r.uses for r in op.results):
            Rewriter.erase_op(op)
