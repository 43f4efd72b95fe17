"""What one thread does to bring elements of a staged tile: a copy, or a computation and a store."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.traits import IsTerminator, Pure

from dlc.analysis.staged_copy import StagedLoad
from dlc.dialects import gpu
from dlc.dialects.loop import LoadOp, StageOp, StoreOp
from dlc.dialects.loop.memory import buffer_shape
from dlc.dialects.loop.stage import tile_index
from dlc.ir.space import buffer_type
from dlc.ir.tensor import compute_type, element_bytes
from dlc.lowering.scope import LoopScope
from dlc.simt.region import RegionWriter

Place = tuple[AffineExpr, AffineExpr]
"""A line of the tile and a place in it."""


def store_element(
    scope: LoopScope, stage: StageOp, staged: StagedLoad | None, place: Place
) -> None:
    """Write the element at a place of the tile, ``staged`` where it is a load, and its store."""
    writer = RegionWriter(scope, dict(zip(stage.element.block.args, place, strict=True)))
    if staged is None:
        *ops, last = stage.element.block.ops
        writer.write(ops)
        value = writer.value(last.operands[0])
    else:
        value = _load(_Source.of(writer, stage, staged))
    target, values = scope.resolve(_target(writer, stage, place))
    scope.b.builder.insert(StoreOp(value, stage.tile, target, values))


def copy_from(
    scope: LoopScope, stage: StageOp, staged: StagedLoad, place: Place, elements: int
) -> None:
    """Write the asynchronous copy of neighbouring elements from a place of the tile on."""
    writer = RegionWriter(scope, dict(zip(stage.element.block.args, place, strict=True)))
    source = _Source.of(writer, stage, staged)
    rank = len(source.index)
    exprs, values = scope.resolve([*source.index, *_target(writer, stage, place)])
    bytes = elements * element_bytes(buffer_type(stage.tile).element_type)
    places = (source.buffer, exprs[:rank], values), (stage.tile, exprs[rank:], values)
    scope.b.builder.insert(gpu.CpAsyncOp(*places, bytes, source.inside))


def _target(writer: RegionWriter, stage: StageOp, place: Place) -> list[AffineExpr]:
    slot = writer.composed(stage.slot.data.results, stage.indices)
    return tile_index(stage.tile, slot, *place)


@dataclass(frozen=True)
class _Source:
    """An element in global memory. inside: whether it is there; ``None`` when it always is."""

    scope: LoopScope
    buffer: SSAValue
    index: Sequence[AffineExpr]
    inside: SSAValue | None

    @staticmethod
    def of(writer: RegionWriter, stage: StageOp, staged: StagedLoad) -> "_Source":
        """Write the position of a staged load and the condition of its element."""
        load = staged.load
        writer.write(_positions(stage.element.block.ops))
        if load.parent_op() is not stage:  # in a branch
            branch = load.parent_block()
            assert branch is not None
            writer.write(_positions(branch.ops))
        index = writer.composed(load.affine_map.results, load.indices)
        return _Source(writer.scope, load.buffer, index, _inside(writer, staged, index))


def _positions(ops: Iterable[Operation]) -> Iterator[Operation]:
    """Yield what computes indices and conditions."""
    return (op for op in ops if op.has_trait(Pure) and not op.has_trait(IsTerminator))


def _inside(
    writer: RegionWriter, staged: StagedLoad, index: Sequence[AffineExpr]
) -> SSAValue | None:
    """Write whether a load's guard and its branch's condition hold."""
    scope, sizes = writer.scope, buffer_shape(staged.load.buffer)
    axes = [a for a in staged.load.guard_axes if not scope.is_inside(index[a], sizes[a])]
    condition = None if staged.condition is None else writer.value(staged.condition)
    if not axes:
        return condition
    guard = scope.inside(index, sizes, axes)
    return guard if condition is None else scope.b.logical("and", condition, guard)


def _load(source: _Source) -> SSAValue:
    """Write the load of an element, zero where it is not there."""
    scope = source.scope

    def load() -> list[SSAValue]:
        exprs, values = scope.resolve(source.index)
        return [scope.b.insert(LoadOp(source.buffer, exprs, values))]

    if source.inside is None:
        return load()[0]
    zero = scope.b.constant(0, compute_type(buffer_type(source.buffer).element_type))
    return scope.b.branch(source.inside, load, lambda: [zero])[0]
