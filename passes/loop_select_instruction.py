"""Compute the accumulators of a block with its instructions, each thread its elements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.index_range import range_of
from dlc.arch.fragments import WARP_LANES
from dlc.arch.scope import Scope
from dlc.core.locations import operation_text
from dlc.core.passes import DlcPass
from dlc.dialects import gpu
from dlc.dialects.loop import CombinePartsOp, ContractOp, DrainOp, ForOp, KernelOp, ZeroOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import buffer_element
from dlc.dialects.loop.spread import spread_of
from dlc.errors import CompileError
from dlc.lowering.scope import LoopScope
from dlc.simt.accumulator import Accumulator, Operand
from dlc.simt.drain import drain
from dlc.simt.exchange import Exchange
from dlc.simt.exchange_parts import PartExchange
from dlc.simt.fma_tile import FmaTile
from dlc.simt.matrix_tile import MatrixTile
from dlc.simt.part_sum import PartSum
from dlc.simt.region import RegionWriter
from dlc.simt.warpgroup_tile import WarpgroupTile
from dlc.simt.workers import Team, team_of

_TILES: dict[Scope, type[Accumulator]] = {
    Scope.THREAD: FmaTile,
    Scope.WARP: MatrixTile,
    Scope.WARPGROUP: WarpgroupTile,
}
"""How the threads of a scope hold a tile of sums and bring factors to them."""

LEAST_SLICES = 4
"""Of a loop in which it pays to leave the last products of a slice to the next one: they are done
once more than there are slices, with zeros.
"""


class LoopSelectInstructionPass(DlcPass):
    """Obey the layout of an accumulator.

    A thread gets the elements that the layout gives it, as a register buffer: ``loop.zero`` clears
    it, ``loop.contract`` loads fragments and multiplies them,
    ``loop.combine_parts`` and ``loop.drain`` go through its places.

    Runs on: ``loop``. Leaves: ``loop`` with instructions of ``gpu``. Order: after
    ``loop-pipeline-stages``, which moves contractions' tiles; before ``convert-loop-to-gpu``.

    ::

        %acc = loop.zero : memref<64x64xf32, ->  %r = loop.alloc : memref<2x4x4xf32, register>
          #loop.spread<instruction =
            "mma.m16n8k16", map =
            spatial(2, 2) * repeat(2, 4)>>       for %i = 0 to 2, %j = 0 to 4 map = unroll
        loop.contract %acc, %a, %b                 gpu.ldmatrix %a[..] to %fa[%i, 0]
                                                   gpu.mma %fa[%i, 0], %fb[..], %r[%i, %j, 0]
        loop.drain %acc at [0, 0] {              for %i, %half, %j, %v
        ^bb0(%row, %column, %v): ..                %v = loop.load %r[%i, %j, %half * 2 + %v]
    """

    name = "loop-select-instruction"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                for zero in [o for o in kernel.walk() if isinstance(o, ZeroOp)]:
                    _Selection(zero).write()


@dataclass
class _Selection:
    """One accumulator and all that is done with it, op by op in the order of its uses."""

    zero: ZeroOp
    scope: LoopScope = field(init=False)
    team: Team = field(init=False)
    thread: AffineExpr = field(init=False)
    users: Sequence[Operation] = field(init=False)
    loops: Mapping[Operation, ForOp | None] = field(init=False)

    def write(self) -> None:
        """Replace the ops on the accumulator."""
        self.users = [use.operation for use in self.zero.accumulator.uses]
        # While all users are there: one that is replaced is in no loop any more.
        self.loops = {op: self._loop_of(op) for op in self.users if isinstance(op, ContractOp)}
        self.team = team_of(self.zero)
        self.scope = LoopScope(Builder(InsertPoint.before(self.zero)), {})
        self.thread = self.scope.dim(self.team.number, range_of(self.team.number))
        accumulator = self._accumulator()
        accumulator.clear()
        for op in self.users:
            self.scope.b.builder.insertion_point = InsertPoint.before(op)
            Rewriter.replace_op(op, [], self._replace(op, accumulator))
        Rewriter.erase_op(self.zero)

    def _accumulator(self) -> Accumulator:
        """Return the thread's part; raises CompileError for a layout over other threads."""
        spread, threads = spread_of(self.zero.accumulator), self.team.threads
        if spread.threads != threads:
            who = "block" if self.team.role is None else "role"
            raise CompileError(
                f"{spread.map} is for {spread.threads} threads, the {who} has {threads}",
                at=operation_text(self.zero),
            )
        warp = self._value(self.thread // WARP_LANES)
        lane = self._value(self.thread % WARP_LANES)
        compute = buffer_element(self.zero.accumulator)
        return _TILES[spread.row.scope](self.scope, spread, warp, lane, compute)

    def _value(self, expr: AffineExpr) -> AffineExpr:
        interval = self.scope.interval(expr)
        return self.scope.dim(self.scope.index_value(expr), interval)

    def _loop_of(self, op: ContractOp) -> ForOp | None:
        """Return the loop over slices, of which there are many, that only adds this product to the
        sums; ``None`` where there is none.
        """
        loop = op.parent_op()
        if not isinstance(loop, ForOp) or loop.map.data is not LoopMap.SERIAL:
            return None
        inside = [user for user in (self.zero, *self.users) if loop.is_ancestor(user)]
        if inside != [op] or len(loop.range) < LEAST_SLICES:
            return None
        return loop

    def _replace(self, op: Operation, accumulator: Accumulator) -> Sequence[SSAValue]:
        """Write what an op becomes; return what its results become."""
        writer = RegionWriter(self.scope, {})
        match op:
            case ContractOp():
                lhs = writer.composed(op.lhs_slot.data.results, op.lhs_indices)
                rhs = writer.composed(op.rhs_slot.data.results, op.rhs_indices)
                accumulator.multiply(
                    op.instruction,
                    Operand(op.lhs, lhs, op.transpose_lhs is None, op.products),
                    Operand(op.rhs, rhs, op.transpose_rhs is not None),
                    self.loops[op],
                )
                if op.instruction.is_asynchronous and op.asynchronous is None:
                    self.scope.b.builder.insert(gpu.WgmmaWaitOp(0))
            case DrainOp() if op.exchange is not None:
                exchange = PartExchange if op.blocks > 1 else Exchange
                exchange(writer, op, accumulator, self.team, self.thread).write()
            case DrainOp():
                drain(writer, op, accumulator)
            case CombinePartsOp():
                tile, part = map(writer.expr, (op.tile, op.part))
                buffers, team = (op.scratch, op.counters), self.team
                return [
                    PartSum(
                        self.scope, accumulator, *buffers, tile, part, team, self.thread
                    ).write()
                ]
            case _:
                raise CompileError(
                    f"{op.name} cannot use an accumulator, which is spread over the threads",
                    at=operation_text(op),
                )
        return []
