"""The loop over tiles in which a block finishes one after the other."""

from xdsl.dialects import scf
from xdsl.ir.affine import AffineExpr

from dlc.analysis.index_expression import constant_of
from dlc.analysis.index_range import range_of
from dlc.core.locations import operation_text
from dlc.dialects.loop import ForOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.errors import CompileError
from dlc.lowering.scope import LoopScope


def loop_over_tiles(loop: ForOp) -> scf.ForOp | None:
    """Return the loop over tiles around a loop over slices, if there is one."""
    parent = loop.parent_op()
    return parent if isinstance(parent, scf.ForOp) else None


def step_of_tiles(loop: ForOp) -> int:
    """Return the step of the loop over tiles around a loop over slices, 0 where there is none.

    That is ``scf.for %tile = %first to .. step %s``, ``%first`` below ``%s``, directly in the loop
    over threads; raises CompileError for anything else.
    """
    tiles = loop_over_tiles(loop)
    step = 0
    if tiles is not None:
        step, first = constant_of(tiles.step) or 0, range_of(tiles.lb)
        step = step if first.within(0, step - 1) else 0
    around = tiles if step else loop
    assert around is not None
    threads = around.parent_op()
    if not isinstance(threads, ForOp) or threads.map.data is not LoopMap.THREAD:
        raise CompileError(
            "a loop with producers stands in the loop over threads, or there in one loop over "
            "tiles, scf.for from below its step on",
            at=operation_text(loop),
        )
    if loop.team_count > 1 and not step:
        raise CompileError(
            "teams take turns in tiles; there is no loop over tiles", at=operation_text(loop)
        )
    return step


def tiles_before(scope: LoopScope, loop: ForOp, step: int) -> AffineExpr:
    """Return how many tiles the block has brought before the one of the loop over slices."""
    tiles = loop_over_tiles(loop)
    if tiles is None:
        return AffineExpr.constant(0)
    tile = tiles.body.block.args[0]
    return scope.dim(tile, range_of(tile)) // step
