"""Compute the accumulators of a block with its instructions, each thread its elements."""

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.index_range import range_of
from dlc.arch.fragments import WARP_LANES
from dlc.arch.scope import Scope
from dlc.core.locations import operation_text
from dlc.core.passes import DlcPass
from dlc.dialects import gpu
from dlc.dialects.loop import (
    CombinePartsOp,
    ContractOp,
    DrainOp,
    ForOp,
    KernelOp,
    LoadFragmentOp,
    MapAccumulatorOp,
    NormalizeOp,
    OnlineSoftmaxOp,
    ZeroOp,
)
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import buffer_element
from dlc.dialects.loop.spread import spread_of
from dlc.errors import CompileError
from dlc.lowering.scope import LoopScope
from dlc.simt.accumulator import Accumulator, Held, Operand
from dlc.simt.drain import drain
from dlc.simt.exchange import Exchange
from dlc.simt.exchange_parts import PartExchange
from dlc.simt.fma_tile import FmaTile
from dlc.simt.map_accumulator import map_accumulator
from dlc.simt.matrix_tile import MatrixTile
from dlc.simt.online_softmax import OnlineSoftmax
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

_USERS = (ContractOp, CombinePartsOp, DrainOp, MapAccumulatorOp, OnlineSoftmaxOp, NormalizeOp)

LEAST_SLICES = 4
"""Of a loop in which it pays to leave the last products of a slice to the next one: they are done
once more than there are slices, with zeros.
"""


class LoopSelectInstructionPass(DlcPass):
    """Obey the layout of an accumulator.

    A thread gets the elements that the layout gives it, as a register buffer: ``loop.zero`` clears
    it, ``loop.load_fragment`` and ``loop.contract`` load fragments, ``loop.contract`` multiplies
    them, the other ops go through its places.

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
                _Selection(kernel).write()


class _Selection:
    """The accumulators of a kernel and all that is done with them, in program order.

    loops: of products, where one only adds it. tiles: the thread's parts so far. held: those of a
    lhs. softmaxes: what rows of sums have beside them.
    """

    def __init__(self, kernel: KernelOp):
        self.ops = [op for op in kernel.walk() if isinstance(op, (ZeroOp, LoadFragmentOp, *_USERS))]
        # While all are there: one that is replaced is in no loop any more.
        self.loops = {op: _loop_of(op) for op in self.ops if isinstance(op, ContractOp)}
        self.scope = LoopScope(Builder(InsertPoint.at_start(kernel.body.block)), {})
        self.tiles: dict[SSAValue, Accumulator] = {}
        self.held: dict[SSAValue, Held] = {}
        self.softmaxes: dict[SSAValue, OnlineSoftmax] = {}

    def write(self) -> None:
        """Replace the ops, those that make accumulators last."""
        makers = [op for op in self.ops if isinstance(op, ZeroOp | LoadFragmentOp)]
        for op in self.ops:
            self.scope.b.builder.insertion_point = InsertPoint.before(op)
            if isinstance(op, ZeroOp | LoadFragmentOp):
                self._make(op)
            else:
                Rewriter.replace_op(op, [], self._replace(op))
        for op in makers:
            Rewriter.erase_op(op)

    def _make(self, op: ZeroOp | LoadFragmentOp) -> None:
        (made,) = op.results
        users = [use.operation for use in made.uses]
        for user in users:
            if not isinstance(user, _USERS):
                raise CompileError(
                    f"{user.name} cannot use an accumulator, which is spread over the threads",
                    at=operation_text(user),
                )
        tile = self._tile(op, made)
        if isinstance(op, LoadFragmentOp):
            assert isinstance(tile, MatrixTile)
            self.held[made] = tile.hold(Operand(op.tile, (), along_k=op.transpose is None))
            return
        self.tiles[made] = tile
        tile.clear()
        if any(
            isinstance(user, OnlineSoftmaxOp | NormalizeOp) and user.sums is made for user in users
        ):
            assert isinstance(tile, MatrixTile)
            self.softmaxes[made] = OnlineSoftmax.of(tile)

    def _tile(self, op: Operation, made: SSAValue) -> Accumulator:
        """Return the thread's part; raises CompileError for a layout over other threads."""
        spread, team = spread_of(made), team_of(op)
        if spread.threads != team.threads:
            who = "block" if team.role is None else "role"
            raise CompileError(
                f"{spread.map} is for {spread.threads} threads, the {who} has {team.threads}",
                at=operation_text(op),
            )
        thread = self._number(team)
        warp, lane = self._value(thread // WARP_LANES), self._value(thread % WARP_LANES)
        tile = _TILES[spread.row.scope]
        return tile(self.scope, spread, warp, lane, buffer_element(made))

    def _number(self, team: Team) -> AffineExpr:
        return self.scope.dim(team.number, range_of(team.number))

    def _value(self, expr: AffineExpr) -> AffineExpr:
        interval = self.scope.interval(expr)
        return self.scope.dim(self.scope.index_value(expr), interval)

    def _replace(self, op: Operation) -> Sequence[SSAValue]:
        """Write what an op becomes; return what its results become."""
        writer, team = RegionWriter(self.scope, {}), team_of(op)
        match op:
            case ContractOp():
                self._multiply(writer, op)
            case MapAccumulatorOp():
                map_accumulator(writer, op, self.tiles[op.accumulator])
            case OnlineSoftmaxOp():
                scores = self.tiles[op.scores]
                assert isinstance(scores, MatrixTile)
                (first,) = writer.composed(op.first.data.results, op.indices)
                softmax = self.softmaxes[op.sums]
                softmax.weigh(scores, first, op.limit)
            case NormalizeOp():
                self.softmaxes[op.sums].normalize(op.zero is not None)
            case DrainOp() if op.exchange is not None:
                exchange = PartExchange if op.blocks > 1 else Exchange
                tile, thread = self.tiles[op.accumulator], self._number(team)
                exchange(writer, op, tile, team, thread).write()
            case DrainOp():
                drain(writer, op, self.tiles[op.accumulator])
            case CombinePartsOp():
                place, part = map(writer.expr, (op.tile, op.part))
                buffers, thread = (op.scratch, op.counters), self._number(team)
                sums = self.tiles[op.accumulator]
                parts = PartSum(self.scope, sums, *buffers, place, part, team, thread)
                return [parts.write()]
            case _:
                raise AssertionError(op.name)
        return []

    def _multiply(self, writer: RegionWriter, op: ContractOp) -> None:
        rhs = writer.composed(op.rhs_slot.data.results, op.rhs_indices)
        self.tiles[op.accumulator].multiply(
            op.instruction,
            self._lhs(writer, op),
            Operand(op.rhs, rhs, op.transpose_rhs is not None),
            self.loops[op],
        )
        if op.instruction.is_asynchronous and op.asynchronous is None:
            self.scope.b.builder.insert(gpu.WgmmaWaitOp(0))

    def _lhs(self, writer: RegionWriter, op: ContractOp) -> Operand | Held:
        if not op.holds_lhs:
            slot = writer.composed(op.lhs_slot.data.results, op.lhs_indices)
            return Operand(op.lhs, slot, op.transpose_lhs is None, op.products)
        if op.lhs in self.held:
            return self.held[op.lhs]
        tile = self.tiles[op.lhs]
        assert isinstance(tile, MatrixTile)
        return tile.rounded(buffer_element(op.rhs))


def _loop_of(op: ContractOp) -> ForOp | None:
    """Return the loop over slices, of which there are many, that only adds this product to the
    sums; ``None`` where there is none.
    """
    loop, made = op.parent_op(), op.accumulator.owner
    if not isinstance(loop, ForOp) or loop.map.data is not LoopMap.SERIAL or op.holds_lhs:
        return None
    assert not isinstance(made, Block)
    users = [made, *(use.operation for use in op.accumulator.uses)]
    inside = [user for user in users if loop.is_ancestor(user)]
    if inside != [op] or len(loop.range) < LEAST_SLICES:
        return None
    return loop
