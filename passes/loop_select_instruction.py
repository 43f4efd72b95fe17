"""Compute the accumulators of a block with its instructions, each thread its elements."""

from collections.abc import Callable
from typing import Any

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
    DrainInClusterOp,
    DrainOp,
    DrainPartsOp,
    ForOp,
    KernelOp,
    LoadFragmentOp,
    MapAccumulatorOp,
    NormalizeOp,
    OnlineSoftmaxOp,
    RoundFragmentOp,
    TotalRowsOp,
    ZeroOp,
)
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.drain_parts import WeighedDrainOp
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
from dlc.simt.online_softmax import Mask, OnlineSoftmax
from dlc.simt.part_sum import PartSum
from dlc.simt.region import RegionWriter
from dlc.simt.row_totals import RowTotals
from dlc.simt.warpgroup_tile import WarpgroupTile
from dlc.simt.weighed_exchange import WeighedExchange
from dlc.simt.weighed_parts import WeighedParts
from dlc.simt.weighed_sums import WeighedSums
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
    it, ``loop.load_fragment`` and ``loop.contract`` load fragments, ``loop.contract`` multiplies
    them, ``loop.round_fragment`` writes them from sums, the other ops go through its places.

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

    loops: of products, where one only adds it. with_softmax: sums of weights. rounded: what tiles
    are rounded to. tiles: the thread's parts so far. held: those of a lhs. softmaxes: what rows of
    sums have beside them.
    """

    def __init__(self, kernel: KernelOp):
        self.ops = [op for op in kernel.walk() if type(op) in _WRITERS]
        self.loops = {op: _loop_of(op) for op in self.ops if isinstance(op, ContractOp)}
        weighing = (op for op in self.ops if isinstance(op, OnlineSoftmaxOp | NormalizeOp))
        parts = {op.accumulator for op in self.ops if isinstance(op, WeighedDrainOp)}
        self.with_softmax = {op.sums for op in weighing} | parts
        self.rounded = {op.rounded for op in self.ops if isinstance(op, RoundFragmentOp)}
        self.scope = LoopScope(Builder(InsertPoint.at_start(kernel.body.block)), {})
        self.writer = RegionWriter(self.scope, {})
        self.tiles: dict[SSAValue, Accumulator] = {}
        self.held: dict[SSAValue, Held] = {}
        self.softmaxes: dict[SSAValue, OnlineSoftmax] = {}

    def write(self) -> None:
        """Replace the ops."""
        for op in self.ops:
            self.scope.b.builder.insertion_point = InsertPoint.before(op)
            self.writer = RegionWriter(self.scope, {})
            _WRITERS[type(op)](self, op)
        for op in reversed(self.ops):
            Rewriter.erase_op(op)

    # What each op becomes ------------------------------------------------------------------------

    def zero(self, op: ZeroOp) -> None:
        """Write registers of zeros, and of softmaxes what rows have beside them."""
        made = op.accumulator
        self.tiles[made] = tile = self._tile(op, made)
        if made in self.rounded:
            assert isinstance(tile, MatrixTile)
            self.held[made] = tile.make_held()
            return
        tile.make()
        if made in self.with_softmax:
            assert isinstance(tile, MatrixTile)
            self.softmaxes[made] = OnlineSoftmax.of(tile)

    def load_fragment(self, op: LoadFragmentOp) -> None:
        """Write the loads of a lhs."""
        tile = self._tile(op, op.held)
        assert isinstance(tile, MatrixTile)
        self.held[op.held] = tile.hold(Operand(op.tile, (), along_k=op.transpose is None))

    def round_fragment(self, op: RoundFragmentOp) -> None:
        """Write the elements of a tile, rounded, as a lhs."""
        tile = self.tiles[op.tile]
        assert isinstance(tile, MatrixTile)
        tile.round(self.held[op.rounded])

    def contract(self, op: ContractOp) -> None:
        """Write the product."""
        rhs = self.writer.composed(op.rhs_slot.data.results, op.rhs_indices)
        self.tiles[op.accumulator].multiply(
            op.instruction,
            self._lhs(op),
            Operand(op.rhs, rhs, op.transpose_rhs is not None),
            self.loops[op],
        )
        if op.instruction.is_asynchronous and op.asynchronous is None:
            self.scope.b.builder.insert(gpu.WgmmaWaitOp(0))

    def map_accumulator(self, op: MapAccumulatorOp) -> None:
        """Write the region for each element, which it replaces."""
        map_accumulator(self.writer, op, self.tiles[op.accumulator])

    def online_softmax(self, op: OnlineSoftmaxOp) -> None:
        """Write weights in place of scores."""
        scores = self.tiles[op.scores]
        assert isinstance(scores, MatrixTile)
        first, *seen = self.writer.composed(op.first.data.results, op.indices)
        mask = Mask(scores, first, op.limit, seen[0] if seen else None)
        users = (use.operation for use in op.scores.uses)
        are_products = not any(isinstance(user, MapAccumulatorOp) for user in users)
        awaits = op.awaits is not None
        self.softmaxes[op.sums].weigh(mask, op.factor, are_products, awaits)

    def normalize(self, op: NormalizeOp) -> None:
        """Write the division by the totals."""
        self.softmaxes[op.sums].normalize(op.zero is not None)

    def total_rows(self, op: TotalRowsOp) -> None:
        """Write the combination of rows over the threads and blocks that have parts of them."""
        team, rank = team_of(op), self._rank() if op.blocks > 1 else AffineExpr.constant(0)
        tile = self.tiles[op.accumulator]
        RowTotals(self.writer, op, tile, team, self._number(team), rank).write()

    def drain(self, op: DrainOp) -> None:
        """Write the region for each element, where it is or where an exchange brings it."""
        tile, team = self.tiles[op.accumulator], team_of(op)
        if op.exchange is None:
            drain(self.writer, op, tile)
        elif op.blocks > 1:
            PartExchange(self.writer, op, tile, team, self._number(team), self._rank()).write()
        else:
            Exchange(self.writer, op, tile, team, self._number(team)).write()

    def drain_parts(self, op: DrainPartsOp) -> None:
        """Write the exchange of parts through scratch, and the region where all have met."""
        WeighedParts(op, self._weighed(op)).write()

    def drain_in_cluster(self, op: DrainInClusterOp) -> None:
        """Write the exchange of parts through the shared memory of a cluster, and the region."""
        WeighedExchange(op, self._weighed(op), self._rank()).write()

    def combine_parts(self, op: CombinePartsOp) -> None:
        """Write the exchange of parts through scratch, and whether this block has the sum."""
        team, sums = team_of(op), self.tiles[op.accumulator]
        place, part = map(self.writer.expr, (op.tile, op.part))
        buffers, thread = (op.scratch, op.counters), self._number(team)
        is_last = PartSum(self.scope, sums, *buffers, place, part, team, thread).write()
        op.is_last.replace_all_uses_with(is_last)

    # Tiles ---------------------------------------------------------------------------------------

    def _tile(self, op: Operation, made: SSAValue) -> Accumulator:
        """Return the thread's part; raises CompileError for a layout over other threads, and for an
        op that cannot use it.
        """
        for user in (use.operation for use in made.uses):
            if type(user) not in _WRITERS:
                raise CompileError(
                    f"{user.name} cannot use an accumulator, which is spread over the threads",
                    at=operation_text(user),
                )
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

    def _weighed(self, op: WeighedDrainOp) -> WeighedSums:
        team, softmax = team_of(op), self.softmaxes[op.accumulator]
        users = (use.operation for use in op.accumulator.uses)
        scale = next((user.factor for user in users if isinstance(user, OnlineSoftmaxOp)), 1.0)
        return WeighedSums(self.writer, op, softmax, team, self._number(team), scale)

    def _rank(self) -> AffineExpr:
        """Return the number of the block in its cluster."""
        rank = self.scope.b.insert(gpu.ClusterRankOp())
        return self.scope.dim(rank, range_of(rank))

    def _number(self, team: Team) -> AffineExpr:
        return self.scope.dim(team.number, range_of(team.number))

    def _value(self, expr: AffineExpr) -> AffineExpr:
        interval = self.scope.interval(expr)
        return self.scope.dim(self.scope.index_value(expr), interval)

    def _lhs(self, op: ContractOp) -> Operand | Held:
        if not op.holds_lhs:
            slot = self.writer.composed(op.lhs_slot.data.results, op.lhs_indices)
            return Operand(op.lhs, slot, op.transpose_lhs is None, op.products)
        if op.lhs in self.held:
            return self.held[op.lhs]
        tile = self.tiles[op.lhs]
        assert isinstance(tile, MatrixTile)
        return tile.rounded(buffer_element(op.rhs))


_WRITERS: dict[type[Operation], Callable[[_Selection, Any], None]] = {
    ZeroOp: _Selection.zero,
    LoadFragmentOp: _Selection.load_fragment,
    ContractOp: _Selection.contract,
    MapAccumulatorOp: _Selection.map_accumulator,
    OnlineSoftmaxOp: _Selection.online_softmax,
    RoundFragmentOp: _Selection.round_fragment,
    NormalizeOp: _Selection.normalize,
    TotalRowsOp: _Selection.total_rows,
    DrainOp: _Selection.drain,
    DrainInClusterOp: _Selection.drain_in_cluster,
    DrainPartsOp: _Selection.drain_parts,
    CombinePartsOp: _Selection.combine_parts,
}
"""What writes the instructions of each op on accumulators."""


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
