"""Strategy ``map``: every result element is computed on its own.

Schedule keys: ``threads`` (GPU) is the number of threads per block, each computing ``vector``
neighbouring elements of the last axis. Without it the nest is for a CPU, where ``cores`` (default:
by the amount of work) says whether the outer loops run on several cores. The innermost loop is
SIMD.
"""

from collections.abc import Callable, Sequence
from math import prod

from xdsl.ir.affine import AffineExpr

from dlc.core.affine import unflatten
from dlc.dialects.graph._structure import ReductionOp
from dlc.dialects.loop._attributes import LoopMap
from dlc.lowering._axes import MergedAxes, Output, merge_axes, store_elements
from dlc.lowering._job import Job
from dlc.lowering._lanes import LaneReducer, lanes_for
from dlc.lowering._scope import LoopScope

PARALLEL_POINTS = 1 << 14
"""Below this many result elements one core is as fast as several: starting a team of OpenMP threads
takes some microseconds, in which one core computes about as many elements."""

Write = Callable[[Sequence[AffineExpr]], None]


def lower(job: Job) -> None:
    """Write one loop nest per shape of the results."""
    for sizes, outputs in job.outputs_by_shape().items():
        axes = merge_axes(job, outputs, sizes)
        nest = _threads if "threads" in job.schedule else _cores
        nest(job, axes, outputs)


def _cores(job: Job, axes: MergedAxes, outputs: Sequence[Output]) -> None:
    cores = job.schedule.get("cores", prod(axes.sizes) >= PARALLEL_POINTS)
    parallel = LoopMap.CORES if cores else LoopMap.SERIAL
    inner = axes.sizes[-1] if axes.sizes else 1
    reduces = any(isinstance(op, ReductionOp) for op in job.group.body.block.ops)
    lanes = lanes_for(inner) if reduces else inner
    outer = [*axes.sizes[:-1], inner // lanes]
    reducer = LaneReducer(lanes)
    scope = LoopScope(job.builder, job.buffers, reducer)

    def write(dims: Sequence[AffineExpr]) -> None:
        *before, last = unflatten(dims[0], outer)
        index = [*before, last * lanes + dims[1]] if axes.sizes else []
        store_elements(scope, outputs, axes.index(index))

    def write_lanes(dims: Sequence[AffineExpr]) -> None:
        def write_lane(lane: AffineExpr) -> None:
            reducer.enter(scope, lane)
            write([*dims, lane])

        scope.parallel_loop(lanes, LoopMap.VECTOR, write_lane)

    if lanes == 1:
        zero = AffineExpr.constant(0)
        _nest(scope, [prod(outer)], [parallel], [], lambda dims: write([*dims, zero]))
    elif prod(outer) > 1:
        _nest(scope, [prod(outer)], [parallel], [], write_lanes)
    elif cores and not reduces:
        zero = AffineExpr.constant(0)
        _nest(scope, [lanes], [LoopMap.CORES], [], lambda dims: write([zero, *dims]))
    else:
        write_lanes([AffineExpr.constant(0)])


def _nest(
    scope: LoopScope,
    sizes: Sequence[int],
    maps: Sequence[LoopMap],
    dims: Sequence[AffineExpr],
    write: Write,
) -> None:
    """Open one parallel loop per size and write into the innermost."""
    if not sizes:
        write(dims)
        return
    scope.parallel_loop(
        sizes[0], maps[0], lambda dim: _nest(scope, sizes[1:], maps[1:], [*dims, dim], write)
    )


def _threads(job: Job, axes: MergedAxes, outputs: Sequence[Output]) -> None:
    scope = LoopScope(job.builder, job.buffers)
    threads = job.schedule.get("threads", 0)
    vector = job.schedule.get("vector", 1)
    if not axes.sizes or axes.sizes[-1] % vector:
        vector = 1
    vectors = prod(axes.sizes) // vector
    blocks = -(-vectors // threads)

    def write_vector(position: AffineExpr) -> None:
        def write(dims: Sequence[AffineExpr]) -> None:
            (lane,) = dims or (AffineExpr.constant(0),)
            index = axes.index(unflatten(position * vector + lane, axes.sizes))
            store_elements(scope, outputs, index)

        _nest(scope, [vector] if vector > 1 else [], [LoopMap.VECTOR], [], write)

    def write_thread(dims: Sequence[AffineExpr]) -> None:
        position = dims[0] * threads + dims[1]
        if vectors == blocks * threads:
            write_vector(position)
        else:
            scope.where_below(position, vectors, lambda: write_vector(position))

    _nest(scope, [blocks, threads], [LoopMap.GRID, LoopMap.THREAD], [], write_thread)
