"""What the threads of a team before a thread hold, combined: by shuffles and shared memory."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import WARP_LANES
from dlc.dialects import gpu
from dlc.dialects.loop.memory import IndexOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.errors import CompileError
from dlc.ir.formation import Formation
from dlc.simt.combine import Combine, Parts, load_parts, shuffle, stored_once
from dlc.simt.thread_program import ThreadProgram

_THREAD = AffineExpr.dimension(0)
_UP, _INDEX = gpu.ShuffleMode.UP, gpu.ShuffleMode.INDEX


def prefix_over_team(
    program: ThreadProgram, values: Parts, nothing: Parts, combine: Combine, team: Formation
) -> Parts:
    """Return the combination of the threads before each thread of a team, then that of all.

    Lanes combine with those 1, 2, 4, .. before them; then each warp with those before it. Raises
    CompileError for a team that is not of whole warps.
    """
    if team.lanes != WARP_LANES or team.apart != 1:
        raise CompileError(f"a team of {team.threads} threads has no whole warps; take some of 32")
    b = program.b
    lane = b.insert(IndexOp(_THREAD % WARP_LANES, [program.thread]))
    through = _through_lanes(b, values, combine, lane)
    moved = [shuffle(b, value, 1, _UP) for value in through]
    before = _where(b, b.compare("ge", lane, b.constant(1, IndexType())), moved, nothing)
    total = [shuffle(b, value, WARP_LANES - 1, _INDEX) for value in through]
    if team.threads == WARP_LANES:
        return [*before, *total]
    warps, total = _before_warps(program, total, nothing, combine, team.threads // WARP_LANES)
    return [*combine(warps, before), *total]


def _through_lanes(b: ScalarBuilder, values: Parts, combine: Combine, lane: SSAValue) -> Parts:
    """Return the combination of the lanes up to each lane."""
    distance = 1
    while distance < WARP_LANES:
        moved = [shuffle(b, value, distance, _UP) for value in values]
        has = b.compare("ge", lane, b.constant(distance, IndexType()))
        values, distance = _where(b, has, combine(moved, values), values), 2 * distance
    return values


def _before_warps(
    program: ThreadProgram, totals: Parts, nothing: Parts, combine: Combine, warps: int
) -> tuple[Parts, Parts]:
    """Return the combination of the warps of a team before each warp, and that of all."""
    b, types = program.b, [value.type for value in totals]
    buffers = stored_once(program, totals, Formation(WARP_LANES, 1))
    own = b.insert(IndexOp(_THREAD // WARP_LANES % warps, [program.thread]))
    first = _THREAD // (WARP_LANES * warps) * warps
    if program.threads == WARP_LANES * warps:
        first = AffineExpr.constant(0)
    before = total = nothing
    for number in range(warps):
        part = load_parts(b, buffers, types, [first + number], [program.thread])
        total = combine(total, part)
        is_before = b.compare("gt", own, b.constant(number, IndexType()))
        before = _where(b, is_before, total, before)
    return before, total


def _where(
    b: ScalarBuilder, condition: SSAValue, some: Sequence[SSAValue], others: Sequence[SSAValue]
) -> Parts:
    return [b.select(condition, x, y) for x, y in zip(some, others, strict=True)]
