"""Faults put into kernels that exchange through shared memory are found in the simulator: tiles of
inputs that lie turned, rows that stand there alone or as one run, totals of teams.
"""

from collections.abc import Callable

import numpy as np
import pytest
from lowered import lowered
from test_rows_and_elements import group
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.shared_conflict import shared_accesses
from dlc.core.affine import simplify
from dlc.dialects import gpu
from dlc.dialects.loop import LoadOp
from dlc.ir.access import canonical_access
from dlc.ir.space import Space, space_of
from dlc.simulator import SimulationError, run_module

GPU = "lower-to-loop,lower-to-gpu{arch=sm_90a}"
Fault = Callable[[ModuleOp], None]


def turned() -> ModuleOp:
    """A transpose through a tile."""
    body = (
        "%r = graph.transpose %g0 {permutation = array<i64: 1, 0>} : "
        "tensor<64x96xf32> -> tensor<96x64xf32>"
    )
    keys = 'strategy = "map", target = "gpu", threads = 128, vector = 4, tile = [32, 32]'
    return lowered(group("tensor<64x96xf32>", "tensor<96x64xf32>", keys, body), GPU)


def from_the_largest(width: int, keys: str) -> ModuleOp:
    """Differences from the largest of three rows."""
    full = f"tensor<3x{width}xf32>"
    body = (
        f"%m = graph.reduce_max %g0 axes [1] keep_dims : {full} -> tensor<3x1xf32>\n"
        f"%r = graph.sub %g0, %m : ({full}, tensor<3x1xf32>) -> {full}"
    )
    return lowered(group(full, full, f'strategy = "row", target = "gpu", {keys}', body), GPU)


def held() -> ModuleOp:
    """A row that stands in shared memory."""
    return from_the_largest(96, "threads = 64, vector = 1, held = true")


def packed() -> ModuleOp:
    """Rows that come and go as one run."""
    return from_the_largest(203, "threads = 16, rows = 4, packed = true")


def in_turns() -> ModuleOp:
    """Rows that two teams go through one after the other."""
    return from_the_largest(203, "threads = 16, rows = 4, packed = true, turns = 2")


def across() -> ModuleOp:
    """Sums of columns by teams that lie apart."""
    body = "%r = graph.reduce_sum %g0 axes [0] : tensor<96x32xf32> -> tensor<32xf32>"
    keys = 'strategy = "row", target = "gpu", threads = 8, rows = 16, vector = 1, lanes = "across"'
    return lowered(group("tensor<96x32xf32>", "tensor<32xf32>", keys, body), GPU)


def shared_by_blocks() -> ModuleOp:
    """Differences from the largest of a row that two blocks of a cluster share."""
    full = "tensor<3x203xf32>"
    body = (
        f"%m = graph.reduce_max %g0 axes [1] keep_dims : {full} -> tensor<3x1xf32>\n"
        f"%r = graph.sub %g0, %m : ({full}, tensor<3x1xf32>) -> {full}"
    )
    keys = 'strategy = "row", target = "gpu", threads = 64, vector = 4, cluster = 2'
    return lowered(group(full, full, keys, body), GPU)


def scanned() -> ModuleOp:
    """Running sums of rows that two warps share."""
    full = "tensor<3x203xf32>"
    body = f"%r = graph.cum_sum %g0 axis 1 : {full} -> {full}"
    keys = 'strategy = "scan", target = "gpu", threads = 64, vector = 4'
    return lowered(group(full, full, keys, body), GPU)


def _is_right(module: ModuleOp, made: Callable[[], ModuleOp]) -> bool:
    rows = (3, 203)
    sizes = {turned: (64, 96), held: (3, 96), across: (96, 32)}.get(made, rows)
    x = np.random.default_rng(0).integers(-9, 9, sizes).astype(np.float32)
    (y,) = run_module(module, [x], block_order=1)
    right = {turned: x.T, across: x.sum(0), scanned: x.cumsum(1)}
    return np.array_equal(y, right.get(made, x - x.max(1, keepdims=True)))


def without_barriers(module: ModuleOp) -> None:
    """Take the barriers away."""
    for op in [op for op in module.walk() if isinstance(op, gpu.BarrierOp)]:
        Rewriter.erase_op(op)


def other_place(module: ModuleOp) -> None:
    """Read the last element from shared memory one place further on."""
    for op in reversed(list(module.walk())):
        if shared_accesses(op) and isinstance(op, LoadOp | gpu.CopyOp):
            access = op.accesses()[0]
            if space_of(access.buffer) is Space.SHARED and access.reads:
                last = access.map.results[-1] + 1
                sizes = access.type.get_shape()
                exprs = [*access.map.results[:-1], simplify(last) % sizes[-1]]
                key = "map" if isinstance(op, LoadOp) else "source_map"
                op.properties[key] = canonical_access(exprs, list(access.operands))[0]
                return
    raise AssertionError("nothing reads shared memory")


def half_a_butterfly(module: ModuleOp) -> None:
    """Leave out the widest exchange of lanes."""
    shuffle = next(op for op in module.walk() if isinstance(op, gpu.ShuffleOp))
    Rewriter.replace_op(shuffle, [], [shuffle.operands[0]])


def without_waiting_for_blocks(module: ModuleOp) -> None:
    """Read what other blocks send without waiting for it."""
    for op in [op for op in module.walk() if isinstance(op, gpu.MbarrierWaitOp)]:
        Rewriter.erase_op(op)


def without_meeting(module: ModuleOp) -> None:
    """Let a block send to one that may not have begun."""
    Rewriter.erase_op(next(op for op in module.walk() if isinstance(op, gpu.ClusterWaitOp)))


def with_objects_made_late(module: ModuleOp) -> None:
    """Make the objects at which others arrive when they know that the block has begun."""
    begun = next(op for op in module.walk() if isinstance(op, gpu.ClusterArriveOp))
    thread = next(op for op in module.walk() if isinstance(op, gpu.ThreadIdOp))
    begun.detach()
    Rewriter.insert_op(begun, InsertPoint.before(thread))


def with_half_of_the_bytes(module: ModuleOp) -> None:
    """Wait for what one of two blocks sends."""
    op = next(op for op in module.walk() if isinstance(op, gpu.MbarrierArriveOp))
    op.bytes = IntegerAttr(op.expected_bytes // 2, i64)


def without_a_send(module: ModuleOp) -> None:
    """Keep the total of a block from the others."""
    Rewriter.erase_op(next(op for op in module.walk() if isinstance(op, gpu.StAsyncOp)))


def at_any_place(module: ModuleOp) -> None:
    """Take the elements of a line that is not in the row as if they were."""
    for op in [op for op in module.walk() if isinstance(op, arith.SelectOp)]:
        Rewriter.replace_op(op, [], [op.lhs])


@pytest.mark.parametrize(
    "made", [turned, held, packed, in_turns, across, shared_by_blocks, scanned]
)
def test_without_a_fault_the_result_is_right(made: Callable[[], ModuleOp]) -> None:
    assert _is_right(made(), made)


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        (turned, without_barriers),
        (held, without_barriers),
        (packed, without_barriers),
        (across, without_barriers),
        (turned, other_place),
        (held, other_place),
        (packed, other_place),
        (across, other_place),
        (held, half_a_butterfly),
        (across, half_a_butterfly),
        (shared_by_blocks, without_barriers),
        (shared_by_blocks, without_waiting_for_blocks),
        (shared_by_blocks, without_meeting),
        (shared_by_blocks, with_objects_made_late),
        (shared_by_blocks, with_half_of_the_bytes),
        (shared_by_blocks, without_a_send),
        (in_turns, without_barriers),
        (in_turns, other_place),
        (scanned, without_barriers),
        (scanned, half_a_butterfly),
        (scanned, at_any_place),
    ],
)
def test_a_fault_is_found(made: Callable[[], ModuleOp], fault: Fault) -> None:
    module = made()
    fault(module)
    try:
        assert not _is_right(module, made)
    except SimulationError:
        return  # said by the simulator, where the result might have been right
