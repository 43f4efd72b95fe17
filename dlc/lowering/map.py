"""Strategy ``map``: every result element is computed on its own.

Schedule keys: ``threads`` (GPU) is the number of threads per block, each computing ``vector``
neighbouring elements of the last axis; without it the nest is for a CPU, where ``cores`` (default: by
the amount of work) says whether the outer loops run on several cores. The innermost loop is SIMD.
"""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import IndexType
from xdsl.ir.affine import AffineExpr

from dlc.core.affine import unflatten
from dlc.dialects.loop._attributes import LoopMap
from dlc.dialects.loop._structure import ForOp
from dlc.lowering._axes import MergedAxes, Output, merge_axes, store_elements
from dlc.lowering._job import Job
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
    scope = LoopScope(job.builder, job.buffers)
    points = 1
    for size in axes.sizes:
        points *= size
    cores = job.schedule.get("cores", points >= PARALLEL_POINTS)
    outer = LoopMap.CORES if cores else LoopMap.SERIAL
    maps = [outer] * (len(axes.sizes) - 1) + [LoopMap.VECTOR]
    if len(maps) == 1 and cores:
        maps = [LoopMap.CORES]

    def write(dims: Sequence[AffineExpr]) -> None:
        store_elements(scope, outputs, axes.index(dims))

    _nest(scope, axes.sizes, maps, [], write)


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
    points = 1
    for size in axes.sizes:
        points *= size
    blocks = -(-points // (threads * vector))

    def write(dims: Sequence[AffineExpr]) -> None:
        position = (dims[0] * threads + dims[1]) * vector + (dims[2] if vector > 1 else 0)
        store_elements(scope, outputs, axes.index(unflatten(position, axes.sizes)))

    sizes = [blocks, threads, vector][: 3 if vector > 1 else 2]
    maps = [LoopMap.GRID, LoopMap.THREAD, LoopMap.VECTOR]
    _nest(scope, sizes, maps, [], write)
