"""Where a thread stands among the workers of each mapping: blocks and threads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import WARP_LANES
from dlc.core.locations import operation_text
from dlc.dialects import gpu
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.roles import RolesOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.dialects.loop.structure import ForOp
from dlc.errors import CompileError
from dlc.ir.formation import Formation
from dlc.ir.space import Space

WORKERS = (LoopMap.GRID, LoopMap.THREAD)
"""The mappings whose iterations run at the same time, each on its own worker."""

BLOCK, THREAD = AffineExpr.dimension(0), AffineExpr.dimension(1)
"""The dims of every position: the block's place in the grid, the thread's place in the block."""


class Position(NamedTuple):
    """A worker is number ``expr`` of ``total``."""

    expr: AffineExpr
    total: int


@dataclass(frozen=True)
class Workers:
    """The position of this thread, less what the loops around a place have used.

    A mapping that is absent is used up: each of its workers is in another iteration. team: how
    the threads of the loop with teams around the place stand.
    """

    positions: Mapping[LoopMap, Position]
    team: Formation | None = None

    @staticmethod
    def of(blocks: int, threads: int) -> "Workers":
        """Return the position outside all loops."""
        return Workers(
            {
                LoopMap.GRID: Position(BLOCK, blocks),
                LoopMap.THREAD: Position(THREAD, threads),
            }
        )

    def inside(self, map: LoopMap, rest: Position) -> "Workers":
        """Return the position inside a loop over workers; ``rest`` is left for loops within it."""
        left = {m: p for m, p in self.positions.items() if m is not map}
        return Workers({**left, map: rest} if rest.total > 1 else left, self.team)

    def in_team(self, team: Formation) -> "Workers":
        """Return the position in a loop that has teams."""
        return Workers(self.positions, team)

    def idle(self, space: Space) -> list[AffineExpr]:
        """Return what must be 0 in the one thread that writes to a buffer in ``space``.

        Empty inside loops that give each thread that shares the buffer its own iteration.
        """
        if space is Space.REGISTER:
            return []
        maps = [LoopMap.THREAD, *([LoopMap.GRID] if space is Space.GLOBAL else [])]
        found = [self.positions[map] for map in maps if map in self.positions]
        return [position.expr for position in found if position.total > 1]


def extent(block: Block, map: LoopMap) -> int:
    """Return how many workers the loops of a mapping in ``block`` occupy; nested ones multiply."""
    largest = 1
    for op in block.ops:
        inner = max((extent(b, map) for r in op.regions for b in r.blocks), default=1)
        if isinstance(op, ForOp) and op.map.data is map:
            inner = len(op.range) * (op.team_threads or inner)
        largest = max(largest, inner)
    return largest


def threads_of(block: Block, limit: int) -> int:
    """Return the threads per block that a kernel's loops ask for: whole warps, at most ``limit``.

    A loop over more threads than ``limit`` takes several rounds.
    """
    threads = extent(block, LoopMap.THREAD)
    warps = min(-(-threads // WARP_LANES), limit // WARP_LANES)
    return warps * WARP_LANES


@dataclass(frozen=True)
class Team:
    """The threads that do an op together: those of a role, or all of a block.

    number: that of this thread among them. threads: how many they are. role: the number of their
    role; ``None`` for all of a block.
    """

    number: SSAValue
    threads: int
    role: int | None = None

    def wait(self, b: ScalarBuilder) -> None:
        """Write a barrier of the team."""
        if self.role is None:
            b.builder.insert(gpu.BarrierOp())
        else:
            barrier = b.constant(1 + self.role, IndexType())
            b.builder.insert(gpu.BarSyncOp(barrier, self.threads))


def team_of(op: Operation) -> Team:
    """Return who does an op; raises CompileError where it stands in no loop over threads."""
    block, parent = op.parent_block(), op.parent_op()
    while parent is not None:
        if isinstance(parent, ForOp) and parent.map.data is LoopMap.THREAD:
            return Team(parent.induction, len(parent.range))
        if isinstance(parent, RolesOp):
            assert block is not None
            role = parent.number_of(block)
            return Team(block.args[0], parent.sizes[role], role)
        block, parent = parent.parent_block(), parent.parent_op()
    raise CompileError(f"{op.name} is in no loop over threads", at=operation_text(op))
