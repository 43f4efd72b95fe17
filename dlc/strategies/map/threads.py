"""The loops of ``map`` on a GPU: each thread computes a few neighbouring elements."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.core.affine import unflatten
from dlc.dialects.graph.computed import ReductionOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp, buffer_element
from dlc.ir.space import Space, SpaceAttr
from dlc.lowering.axes import MergedAxes, Output, merge_axes, store_elements
from dlc.lowering.job import Job
from dlc.lowering.lanes import lane_loops
from dlc.lowering.scope import LoopScope
from dlc.lowering.window import WindowReducer, pack_for_lanes
from dlc.strategies.map.lines import Lines
from dlc.strategies.map.nest import each_thread, nest


def lower_on_threads(job: Job, threads: int, vector: int, columns: int = 1) -> None:
    """Write one loop nest per shape of the results, for a GPU.

    threads: of a block, each of which computes ``vector`` neighbouring elements of the result (one
    of them what is left), at as many neighbouring places of the axis before the last as ``columns``
    says.
    """
    for sizes, outputs in job.outputs_by_shape().items():
        axes = merge_axes(job, outputs, sizes)
        if columns > 1 and len(axes.sizes) > 1 and axes.sizes[-2] % columns == 0:
            own = vector if axes.sizes[-1] % vector == 0 else 1
            _windows(job, threads, [columns, own], axes, outputs)
        else:
            own = vector if prod(axes.sizes) >= vector else 1
            _threads(job, threads, own, axes, outputs)


def _threads(
    job: Job, threads: int, vector: int, axes: MergedAxes, outputs: Sequence[Output]
) -> None:
    scope = LoopScope(job.builder, job.buffers)
    vectors, rest = divmod(prod(axes.sizes), vector)

    def write_some(position: AffineExpr, count: int, map: LoopMap) -> None:
        def write(dims: Sequence[AffineExpr]) -> None:
            (lane,) = dims or (AffineExpr.constant(0),)
            index = Lines(scope, axes.sizes, position * vector, vector).index(lane)
            store_elements(scope, outputs, axes.index(index))

        nest(scope, [count] if count > 1 else [], [map], [], write)

    def write_whole(position: AffineExpr) -> None:
        lines = Lines(scope, axes.sizes, position * vector, vector)
        if 1 < lines.unit < vector:
            _units(scope, lines, axes, outputs)
        else:
            write_some(position, vector, LoopMap.VECTOR)

    def write_vector(position: AffineExpr) -> None:
        if not rest:
            write_whole(position)
            return
        scope.where_below(position, vectors, lambda: write_whole(position))
        last = AffineExpr.constant(vectors)
        scope.where_below(last - position, 1, lambda: write_some(last, rest, LoopMap.SERIAL))

    each_thread(scope, threads, vectors + bool(rest), write_vector)


def _units(scope: LoopScope, lines: Lines, axes: MergedAxes, outputs: Sequence[Output]) -> None:
    """Write neighbours that are in a line all or none together, so that what they read are
    neighbours, and all of a thread when they are computed.
    """
    kept = [scope.b.insert(AllocOp(_registers(buffer, lines.vector))) for _, buffer in outputs]

    def write_unit(unit: AffineExpr) -> None:
        def write(lane: AffineExpr) -> None:
            number = unit * lines.unit + lane
            index = axes.index(lines.index(number))
            elements = [scope.read(value, index) for value, _ in outputs]
            at, values = scope.resolve([number])
            for element, registers in zip(elements, kept, strict=True):
                scope.b.builder.insert(StoreOp(element, registers, at, values))

        scope.parallel_loop(lines.unit, LoopMap.VECTOR, write)

    def store(number: AffineExpr) -> None:
        index = axes.index(unflatten(lines.first + number, lines.sizes))
        for (_, buffer), registers in zip(outputs, kept, strict=True):
            at, values = scope.resolve([number])
            element = scope.b.insert(LoadOp(registers, at, values))
            at, values = scope.resolve(index)
            scope.b.builder.insert(StoreOp(element, buffer, at, values))

    scope.parallel_loop(lines.vector // lines.unit, LoopMap.UNROLL, write_unit)
    scope.parallel_loop(lines.vector, LoopMap.VECTOR, store)


def _registers(buffer: SSAValue, count: int) -> MemRefType[Attribute]:
    return MemRefType(buffer_element(buffer), [count], memory_space=SpaceAttr(Space.REGISTER))


def _windows(
    job: Job, threads: int, own: Sequence[int], axes: MergedAxes, outputs: Sequence[Output]
) -> None:
    """own: the elements of a thread along the last two axes."""
    found = [op for op in job.group.body.block.ops if isinstance(op, ReductionOp)]
    reducer = WindowReducer(pack_for_lanes(job, found[0]) if len(found) == 1 else {})
    scope = LoopScope(job.builder, job.buffers, reducer)
    sizes = [*axes.sizes[:-2], *(n // own for n, own in zip(axes.sizes[-2:], own, strict=True))]

    def write_window(position: AffineExpr) -> None:
        def write(lane: Sequence[AffineExpr]) -> None:
            reducer.enter(scope, lane, own)
            *before, column, last = unflatten(position, sizes)
            inner = [x * n + i for n, x, i in zip(own, (column, last), lane, strict=True)]
            store_elements(scope, outputs, axes.index([*before, *inner]))

        lane_loops(scope, own, write)

    each_thread(scope, threads, prod(sizes), write_window)
