"""The end of sums of weights of which each block of a cluster has a part: the parts meet in the
shared memory of these blocks, each of which finishes some runs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from math import gcd

from xdsl.dialects.builtin import IndexType, MemRefType, f32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects import gpu
from dlc.dialects.gpu.buffers import Place as BufferPlace
from dlc.dialects.gpu.cluster import REMOTE_BYTES
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.combination import ArrivalsOp, MeetOp
from dlc.dialects.loop.drain_parts import DrainInClusterOp
from dlc.dialects.loop.memory import AllocOp
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import element_bytes
from dlc.ir.weighed_row import ROW_MARGIN
from dlc.lowering.tile_scope import open_loop
from dlc.model.contraction import EXCHANGE_RUN
from dlc.simt.weighed_run import WeighedRun
from dlc.simt.weighed_sums import WeighedSums

_ZERO = AffineExpr.constant(0)
_STATE = 2


@dataclass(frozen=True)
class WeighedExchange:
    """What becomes of a ``loop.drain_in_cluster``. sums: those of this block. part: its number.

    A run of a row travels with the largest score and the total of the row. Blocks send without
    waiting, and each waits for what arrives at its own.
    """

    op: DrainInClusterOp
    sums: WeighedSums
    part: AffineExpr

    @property
    def _share(self) -> int:
        """The runs that a block finishes, if there are as many."""
        return -(-self.sums.runs // self.op.blocks)

    def write(self) -> None:
        """Write what sends the runs of this block, the wait for those of all blocks, and what
        becomes of them.
        """
        sums, b = self.sums, self.sums.scope.b
        shared = sums.meet()
        sizes = [self.op.blocks, self._share, EXCHANGE_RUN + ROW_MARGIN]
        room = self._new(sizes, Space.SHARED)
        b.builder.insert(MeetOp())
        arrived = sums.tile.place(b.insert(ArrivalsOp()), [_ZERO])
        sums.scope.where_below(sums.thread, 1, lambda: self._expect(arrived))
        sums.each_run(lambda row, run: self._send(shared, room, arrived, row, run))
        b.builder.insert(gpu.MbarrierWaitOp(arrived, b.constant(0, IndexType())))
        threads = sums.team.threads
        rounds = -(-self._share // threads)
        open_loop(
            sums.scope,
            rounds,
            LoopMap.SERIAL,
            lambda round: self._take(room, round * threads + sums.thread),
        )

    def _new(self, sizes: Sequence[int], space: Space) -> SSAValue:
        type = MemRefType(f32, sizes, memory_space=SpaceAttr(space))
        return self.sums.scope.b.insert(AllocOp(type))

    def _expect(self, arrived: BufferPlace) -> None:
        """Write how many bytes arrive at a block: its runs of all blocks. The last blocks may have
        fewer, or none.
        """
        scope, blocks = self.sums.scope, self.op.blocks
        run_bytes = blocks * (self.sums.width + _STATE) * element_bytes(f32)
        whole, rest = divmod(self.sums.runs, self._share)
        counts = [self._share] * whole + [rest] + [0] * blocks

        def write(runs: int) -> None:
            bytes = runs * run_bytes if runs else None
            scope.b.builder.insert(gpu.MbarrierArriveOp(arrived, bytes))

        for runs, some in groupby(range(blocks), counts.__getitem__):
            which = list(some)
            scope.where_below(
                AffineExpr.constant(which[0]) - self.part,
                1,
                partial(scope.where_below, self.part, which[-1] + 1, partial(write, runs)),
            )

    def _send(
        self,
        shared: SSAValue,
        room: SSAValue,
        arrived: BufferPlace,
        row: AffineExpr,
        run: AffineExpr,
    ) -> None:
        """Write what sends a run to the block that finishes it."""
        sums, teams = self.sums, self.sums.tile.spread.teams
        whole = sums.run(shared, lambda part: [part, row], teams, run * sums.width)
        number = row * sums.row_runs + run
        block, place = sums.scope.index_value(number // self._share), number % self._share

        def send(count: int, value: Callable[[int], SSAValue], first: int) -> None:
            piece = gcd(count, REMOTE_BYTES[-1] // element_bytes(f32))
            held = self._new([piece], Space.REGISTER)
            for n in range(piece):
                sums.tile.store(value(n), held, [AffineExpr.constant(n)])
            source = sums.tile.place(held, [_ZERO])
            at = [self.part, place, AffineExpr.constant(first)]
            there = sums.tile.place(room, at)
            sums.scope.b.builder.insert(gpu.StAsyncOp(source, there, arrived, block, piece))

        state = whole.state()
        send(sums.width, lambda n: whole.sum(AffineExpr.constant(n)), 0)
        send(_STATE, lambda n: state[n], EXCHANGE_RUN)

    def _take(self, room: SSAValue, number: AffineExpr) -> None:
        """Write what becomes of a run of this block's, by its number."""
        sums, scope = self.sums, self.sums.scope
        of_all = self.part * self._share + number
        row, run = of_all // sums.row_runs, of_all % sums.row_runs

        def sum_up() -> WeighedRun:
            row = lambda part: [part, number]
            found = WeighedRun(sums.tile, room, row, EXCHANGE_RUN, _ZERO, sums.width)
            found.write(self.op.blocks)
            return found

        def take() -> None:
            scope.where_below(row, self.op.rows, lambda: sums.finish(row, run, sum_up))

        scope.where_below(number, self._share, take)
