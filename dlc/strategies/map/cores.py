"""The loops of ``map`` on a CPU: neighbours in SIMD lanes, the loops around them on cores."""

from collections.abc import Sequence
from itertools import pairwise
from math import prod

from xdsl.ir.affine import AffineExpr

from dlc.core.affine import linear_index, unflatten
from dlc.dialects.graph.computed import ReductionOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.lowering.axes import MergedAxes, Output, merge_axes, store_elements
from dlc.lowering.job import Job
from dlc.lowering.lanes import LaneReducer, lane_loops, lane_sizes
from dlc.lowering.scope import LoopScope
from dlc.strategies.map.nest import nest

MOST_CUTS = 64
"""More pieces of an axis are too much code; the choice is then made for each element."""

LEAST_SEGMENT = 8
"""Pieces that are shorter on average do not fill SIMD registers."""


def lower_on_cores(job: Job, cores: bool) -> None:
    """Write one loop nest per shape of the results, for a CPU.

    cores: whether the outer loops run on several cores. The innermost is SIMD.
    """
    for sizes, outputs in job.outputs_by_shape().items():
        axes = merge_axes(job, outputs, sizes)
        _cores(job, cores, axes, outputs)


def _cores(job: Job, cores: bool, axes: MergedAxes, outputs: Sequence[Output]) -> None:
    parallel = LoopMap.CORES if cores else LoopMap.SERIAL
    reduces = any(isinstance(op, ReductionOp) for op in job.group.body.block.ops)
    lanes = _LaneNest(job, axes, outputs)
    if len(axes.sizes) == 1 and cores and not reduces and not axes.cuts:
        nest(lanes.scope, axes.sizes, [parallel], [], lanes.write)
        return
    segments = _segments(axes)
    blocks = 1
    if len(segments) == 1 and reduces:
        size = segments[0][1]
        blocks = size // prod(lane_sizes(size, axes.period))
    outer = [*axes.sizes[:-1], blocks]

    def write(dims: Sequence[AffineExpr]) -> None:
        *before, block = unflatten(dims[0] if dims else AffineExpr.constant(0), outer)
        for start, size in segments:
            lanes.lanes(before, start + block * (size // blocks), size // blocks, reduces)

    nest(lanes.scope, [prod(outer)] if prod(outer) > 1 else [], [parallel], [], write)


def _segments(axes: MergedAxes) -> list[tuple[int, int]]:
    """Return start and size of the parts of the last axis."""
    size = axes.sizes[-1] if axes.sizes else 1
    worthwhile = len(axes.cuts) <= MOST_CUTS and size >= LEAST_SEGMENT * len(axes.cuts)
    ends = [0, *(axes.cuts if worthwhile else ()), size]
    return [(start, end - start) for start, end in pairwise(ends)]


class _LaneNest:
    """Writes results along the last axis, SIMD lane by SIMD lane."""

    def __init__(self, job: Job, axes: MergedAxes, outputs: Sequence[Output]):
        self._axes = axes
        self._outputs = outputs
        self._reducer = LaneReducer()
        self.scope = LoopScope(job.builder, job.buffers, self._reducer)

    def write(self, dims: Sequence[AffineExpr]) -> None:
        """Write the results at one index of the merged axes."""
        store_elements(self.scope, self._outputs, self._axes.index(dims))

    def lanes(
        self, before: Sequence[AffineExpr], start: AffineExpr, size: int, reduces: bool
    ) -> None:
        """Write ``size`` results from ``start`` on, in runs of lanes that share accumulators."""
        sizes = lane_sizes(size, self._axes.period) if reduces else [size]
        lanes = prod(sizes)
        if lanes < size:
            self.scope.parallel_loop(
                size // lanes,
                LoopMap.SERIAL,
                lambda run: self._run(before, start + run * lanes, sizes),
            )
        else:
            self._run(before, start, sizes)

    def _run(self, before: Sequence[AffineExpr], start: AffineExpr, sizes: Sequence[int]) -> None:
        def write_lane(lane: Sequence[AffineExpr]) -> None:
            self._reducer.enter(self.scope, lane, sizes)
            last = start + linear_index(lane, sizes)
            self.write([*before, last] if self._axes.sizes else [])

        lane_loops(self.scope, sizes, write_lane)
