"""Combination of the values of the threads of a team, by shuffles and shared memory."""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import IndexType, MemRefType, i1, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import WARP_LANES
from dlc.dialects import gpu
from dlc.dialects.loop.memory import IndexOp, LoadOp, StoreOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.ir.formation import Formation
from dlc.ir.space import Space, SpaceAttr
from dlc.simt.thread_program import ThreadProgram

Parts = Sequence[SSAValue]
Combine = Callable[[Parts, Parts], Parts]
"""Writes the combination of two lanes' values."""

CARRIED: dict[Attribute, Attribute] = {i1: i32, IndexType(): i64}
"""How types that a shuffle cannot carry travel."""


def combine_over_team(
    program: ThreadProgram, parts: Parts, combine: Combine, team: Formation
) -> Parts:
    """Return the total over the threads of each team, in each of them.

    The lanes of a warp combine first, by shuffles. What is left goes through shared memory.
    """
    parts = over_lanes(program.b, parts, combine, team.lanes, team.apart)
    far = team.threads // team.lanes
    return parts if far == 1 else _over_warps(program, parts, combine, team, far)


def over_lanes(b: ScalarBuilder, parts: Parts, combine: Combine, lanes: int, apart: int) -> Parts:
    """Return the total of each ``lanes`` (a power of two) lanes that are ``apart``, in all of them.

    A butterfly: after the step of distance ``d``, lanes that differ in bits below ``d`` agree.
    """
    distance = lanes // 2
    while distance:
        moved = [shuffle(b, part, distance * apart) for part in parts]
        parts, distance = combine(parts, moved), distance // 2
    return parts


def shuffle(
    b: ScalarBuilder,
    value: SSAValue,
    offset: int,
    mode: gpu.ShuffleMode = gpu.ShuffleMode.XOR,
) -> SSAValue:
    """Return the value of another lane."""
    carried = b.cast(value, CARRIED.get(value.type, value.type))
    other = b.insert(gpu.ShuffleOp(mode, carried, offset))
    return b.cast(other, value.type)


def _over_warps(
    program: ThreadProgram, parts: Parts, combine: Combine, team: Formation, far: int
) -> Parts:
    """Return the total over ``far`` groups of lanes of a team: one thread of each puts its total
    in shared memory, and each thread of the team combines them all.
    """
    types = [part.type for part in parts]
    buffers = stored_once(program, parts, team)
    thread = AffineExpr.dimension(0)
    first = thread // (team.threads * team.apart) * far
    if program.threads == team.threads * team.apart:
        first = AffineExpr.constant(0)

    def load(number: AffineExpr | int) -> Parts:
        index = [first + number, *([thread % team.apart] if team.apart > 1 else [])]
        return load_parts(program.b, buffers, types, index, [program.thread])

    if team.apart == 1 and far & (far - 1) == 0:
        return over_lanes(program.b, load(thread % far), combine, far, 1)
    total = load(0)
    for number in range(1, far):
        total = combine(total, load(number))
    return total


def stored_once(program: ThreadProgram, parts: Parts, team: Formation) -> list[SSAValue]:
    """Write the totals of each warp to shared buffers, which are returned: a line for each
    ``max(32, apart)`` threads, in it an element for each team that they belong to.
    """
    b, thread = program.b, AffineExpr.dimension(0)
    width = max(WARP_LANES, team.apart)
    sizes = [program.threads // width, *([team.apart] if team.apart > 1 else [])]
    values = [b.cast(part, CARRIED.get(part.type, part.type)) for part in parts]
    space = SpaceAttr(Space.SHARED)
    buffers: list[SSAValue] = [
        program.shared_buffer(MemRefType(value.type, sizes, memory_space=space)).output
        for value in values
    ]
    index = [thread // width, *([thread % team.apart] if team.apart > 1 else [])]

    def write() -> None:
        for value, buffer in zip(values, buffers, strict=True):
            b.builder.insert(StoreOp(value, buffer, index, [program.thread]))

    if team.apart >= WARP_LANES:
        write()
        return buffers
    lane = b.insert(IndexOp(thread % WARP_LANES, [program.thread]))
    first = ("eq", 0) if team.apart == 1 else ("lt", team.apart)
    with program.where(b.compare(first[0], lane, program.constant(first[1]))):
        write()
    return buffers


def load_parts(
    b: ScalarBuilder,
    buffers: Sequence[SSAValue],
    types: Sequence[Attribute],
    index: Sequence[AffineExpr],
    dims: Sequence[SSAValue],
) -> Parts:
    """Return the totals at a place of the buffers, in the types that they had."""
    loaded = [b.insert(LoadOp(buffer, index, dims)) for buffer in buffers]
    return [b.cast(value, type) for value, type in zip(loaded, types, strict=True)]
