"""The tensor copies that bring a staged tile."""

from xdsl.ir.affine import AffineExpr

from dlc.analysis.index_range import range_of
from dlc.analysis.tensor_stage import tensor_stage
from dlc.core.locations import operation_text
from dlc.dialects import gpu
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.loop import StageOp
from dlc.dialects.loop.memory import buffer_shape
from dlc.errors import CompileError
from dlc.lowering.scope import LoopScope


def write_tensor_copies(scope: LoopScope, stage: StageOp) -> None:
    """Write the copies of a ``tensor`` stage: one for each group of short lines.

    Raises CompileError where the tile is no box, or where nobody has said at which object the
    bytes arrive.
    """
    if stage.barrier is None or stage.barrier_map is None:
        raise CompileError(
            "tensor copies arrive at an mbarrier object, which a pipeline of two or more slots has",
            at=operation_text(stage),
        )
    found = tensor_stage(stage)
    map = gpu.TensorMapAttr.of(found.map)
    dims = [scope.dim(value, range_of(value)) for value in found.values]
    first = [e.replace_dims_and_symbols(dims, ()) for e in found.coordinates]
    barrier = stage.barrier, stage.barrier_map.data.results, tuple(stage.barrier_indices)
    for group in range(found.groups):
        at = list(first)
        at[map.map.rank - 1] += group * found.length
        source, values = scope.resolve(at)
        places = (found.buffer, source, values), _group_of(stage, group), barrier
        scope.b.builder.insert(gpu.TensorCopyOp(*places, map))


def _group_of(stage: StageOp, group: int) -> Place:
    """Return the place of a group's first element in the tile's buffer."""
    slot = list(stage.slot.data.results)
    inner = len(buffer_shape(stage.tile)) - len(slot)
    numbers = [group, 0, 0][-inner:]
    return stage.tile, [*slot, *map(AffineExpr.constant, numbers)], tuple(stage.indices)
