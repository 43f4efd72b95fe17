"""Window reductions on a CPU: pools and depthwise convolutions, SIMD along the last axis.

The accumulators of a run of neighbouring results stand in a small buffer, and the window is the
outer loop: each step adds one tap to all of them, which the compiler turns into vector code.
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.epilogue import NotFusibleError
from dlc.core.affine import unflatten
from dlc.dialects._space import Space, SpaceAttr
from dlc.dialects._tensor import shape
from dlc.dialects.graph._structure import ReductionOp
from dlc.dialects.loop._attributes import LoopKind, LoopMap
from dlc.dialects.loop._memory import AllocOp, LoadOp, StoreOp
from dlc.dialects.loop._structure import ForOp, YieldOp
from dlc.lowering._job import Job
from dlc.lowering._tile_scope import TileScope, open_loop

RUN = 64
"""Neighbouring results that share a buffer: four vectors of 16, which is what hides the latency of
the additions.
"""


def window_of(job: Job) -> ReductionOp | None:
    """Return the one reduction of a group all of whose results follow from its elements one by
    one, else ``None``.
    """
    found = [op for op in job.group.body.block.ops if isinstance(op, ReductionOp)]
    if len(found) != 1 or len(found[0].results) != 1 or shape(found[0].results[0])[-1:] < (8,):
        return None
    try:
        scope = TileScope(job, found[0].results[0])
    except NotFusibleError:
        return None
    return found[0] if all(value in scope.places for value, _ in job.outputs) else None


def lower(job: Job, op: ReductionOp, cores: LoopMap) -> None:
    """Write the loops of a group around the window reduction ``op``."""
    *outer, last = shape(op.results[0])
    whole, rest = divmod(last, RUN)

    scope = TileScope(job, op.results[0])

    def write(position: AffineExpr) -> None:
        at = unflatten(position, outer)
        if whole:
            open_loop(scope, whole, LoopMap.SERIAL, lambda n: _run(scope, op, at, n * RUN, RUN))
        if rest:
            _run(scope, op, at, AffineExpr.constant(whole * RUN), rest)

    open_loop(scope, prod(outer), cores, write)


def _run(
    scope: TileScope, op: ReductionOp, at: Sequence[AffineExpr], first: AffineExpr, width: int
) -> None:
    """Write the results ``first ... first + width`` of the last axis."""
    start = op.identity(scope.b)
    buffers = [_buffer(scope, value, width) for value in start]

    def clear(lane: AffineExpr) -> None:
        _store(scope, buffers, lane, start)

    def finish(lane: AffineExpr) -> None:
        index = [*at, first + lane]
        scope.store(index, lambda: op.finish(scope, index, _load(scope, buffers, lane)))

    def reduce(sizes: Sequence[int], taps: Sequence[AffineExpr]) -> None:
        if sizes:
            loop = ForOp(0, sizes[0], kind=LoopKind.SEQUENTIAL)
            with scope.loop(loop) as dim:
                reduce(sizes[1:], [*taps, dim])
                scope.b.builder.insert(YieldOp())
        else:
            open_loop(scope, width, LoopMap.VECTOR, lambda lane: add(lane, taps))

    def add(lane: AffineExpr, taps: Sequence[AffineExpr]) -> None:
        part = op.contribution(scope, [*at, first + lane], taps)
        _store(scope, buffers, lane, op.combine(scope.b, _load(scope, buffers, lane), part))

    with scope.branch_level():
        open_loop(scope, width, LoopMap.VECTOR, clear)
        reduce(op.domain.reduction, [])
        open_loop(scope, width, LoopMap.VECTOR, finish)


def _buffer(scope: TileScope, value: SSAValue, width: int) -> SSAValue:
    type = MemRefType(value.type, [width], memory_space=SpaceAttr(Space.REGISTER))
    return scope.b.insert(AllocOp(type))


def _load(scope: TileScope, buffers: Sequence[SSAValue], lane: AffineExpr) -> list[SSAValue]:
    flat, values = scope.resolve([lane])
    return [scope.b.insert(LoadOp(buffer, flat, values)) for buffer in buffers]


def _store(
    scope: TileScope, buffers: Sequence[SSAValue], lane: AffineExpr, values: Sequence[SSAValue]
) -> None:
    flat, dims = scope.resolve([lane])
    for buffer, value in zip(buffers, values, strict=True):
        scope.b.builder.insert(StoreOp(value, buffer, flat, dims))
