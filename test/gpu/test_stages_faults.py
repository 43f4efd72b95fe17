"""What the simulator says of kernels whose stages do not wait for each other as they should."""

from collections.abc import Callable

import numpy as np
import pytest
import stages
from lowered import lowered
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, i32, i64
from xdsl.ir import Block, Operation, Region
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.dialects import gpu, loop
from dlc.errors import CompileError
from dlc.simulator import SimulationError, simulate
from dlc.simulator.launch import Order

SIZE, BLOCKS = 1000, 6
STAGED = stages.three_stages(SIZE, BLOCKS)
MET_AT_THE_END = STAGED.replace("loop.end", f"{stages.barrier(3)}\n  loop.end")
Change = Callable[[ModuleOp], None]


def barriers(module: ModuleOp) -> list[gpu.MeetingOp]:
    """Return what the threads of a kernel meet at."""
    return [op for op in module.walk() if isinstance(op, gpu.MeetingOp)]


def left_out(number: int) -> Change:
    """Return what takes a barrier away."""

    def change(module: ModuleOp) -> None:
        Rewriter.erase_op(barriers(module)[number])

    return change


def weaker(number: int) -> Change:
    """Return what makes a barrier one of the block."""

    def change(module: ModuleOp) -> None:
        Rewriter.replace_op(barriers(module)[number], gpu.BarrierOp())

    return change


def numbered(*numbers: int) -> Change:
    """Return what gives the barriers of the grid other numbers."""

    def change(module: ModuleOp) -> None:
        for op, number in zip(barriers(module), numbers, strict=True):
            assert isinstance(op, gpu.GridBarrierOp)
            op.number = IntegerAttr(number, i64)

    return change


def under_a_condition(of: type[Operation], below: int) -> Change:
    """Return what lets only the first blocks, or threads, come to the last barrier."""

    def change(module: ModuleOp) -> None:
        barrier = barriers(module)[-1]
        number = next(op for op in module.walk() if isinstance(op, of)).results[0]
        limit = arith.ConstantOp(IntegerAttr(below, IndexType()))
        some = arith.CmpiOp(number, limit, "slt")
        taken = scf.IfOp(some, [], Region(Block()))
        Rewriter.insert_op([limit, some, taken], InsertPoint.before(barrier))
        barrier.detach()
        taken.true_region.block.add_ops([barrier, scf.YieldOp()])

    return change


def not_filled(module: ModuleOp) -> None:
    """Let the counter hold anything when the kernel begins."""
    for op in module.ops:
        if isinstance(op, gpu.KernelOp):
            op.filled = None


def stored(module: ModuleOp) -> None:
    """Let a block store to the counter between the barriers."""
    second = barriers(module)[1]
    assert isinstance(second, gpu.GridBarrierOp)
    zero = arith.ConstantOp(IntegerAttr(7, i32))
    place = [AffineExpr.constant(0)]
    Rewriter.insert_op(
        [zero, loop.StoreOp(zero.result, second.counter, place, [])], InsertPoint.before(second)
    )


FAULTS = {
    "no first barrier": (left_out(0), r"reads element \d+ of %s, which"),
    "no second barrier": (left_out(1), r"reads element \d+ of %u, which"),
    "a barrier of the block": (weaker(0), r"reads element \d+ of %s, which"),
    "swapped numbers": (numbered(2, 1), "has the number 2, and is barrier 1 to come"),
    "one number twice": (numbered(1, 1), "has the number 1, and is barrier 2 to come"),
    "not filled": (not_filled, "counts in a buffer that is not filled"),
    "stored over": (stored, r"(finds 7 in its counter|together with another thread)"),
}


def fails(text: str, change: Change, order: Order | None, message: str, shape: int = SIZE) -> None:
    module = lowered(text, "lower-to-gpu{arch=sm_90a}")
    change(module)
    x = stages.numbers(SIZE) if shape == SIZE else stages.pairs()
    with pytest.raises(SimulationError, match=message):
        simulate(module, "k", [x, np.zeros_like(x)], warp_order=order)


@pytest.mark.parametrize("order", [None, "forward", "backward", 1])
@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str, order: Order | None) -> None:
    change, message = FAULTS[name]
    fails(STAGED, change, order, message)


@pytest.mark.parametrize("order", [None, "forward", "backward", 1])
@pytest.mark.parametrize("of", [(gpu.BlockIdOp, 4), (gpu.ThreadIdOp, 32)])
def test_some_do_not_come(of: tuple[type[Operation], int], order: Order | None) -> None:
    message = "does not come to a barrier where others of its grid wait"
    fails(MET_AT_THE_END, under_a_condition(*of), order, message)


@pytest.mark.parametrize("order", [None, "forward", "backward", 1])
@pytest.mark.parametrize("change", [left_out(0), weaker(0)])
def test_blocks_of_a_cluster(change: Change, order: Order | None) -> None:
    fails(stages.in_clusters(), change, order, "element [0-9]+ of %s, which", 0)


@pytest.mark.parametrize("order", [None, "forward", "backward", 1])
def test_threads_of_a_block(order: Order | None) -> None:
    fails(
        stages.in_blocks(), left_out(0), order, "element [0-9]+ of %s, which (.* a race|nothing)", 0
    )


def test_no_barrier_is_inserted_where_one_is() -> None:
    module = lowered(stages.in_blocks(), "lower-to-gpu{arch=sm_90a}")
    assert len(barriers(module)) == 1
    assert len(barriers(lowered(STAGED, "lower-to-gpu{arch=sm_90a}"))) == 2


@pytest.mark.parametrize(
    "text",
    [
        STAGED.replace(stages.barrier(1), "").replace(stages.barrier(2), stages.barrier(1)),
        STAGED.replace(stages.barrier(2), "loop.barrier over block"),
        stages.in_clusters("block"),
        stages.in_blocks().replace("%s[%b, 63 - %t]", "%s[11 - %b, %t]"),
    ],
)
def test_passes_reject_what_no_barrier_orders(text: str) -> None:
    with pytest.raises(CompileError, match="another block writes in the same launch"):
        lowered(text, "lower-to-gpu{arch=sm_90a}")


def test_some_blocks_alone() -> None:
    module = lowered(STAGED, "lower-to-gpu{arch=sm_90a}")
    x = stages.numbers(SIZE)
    with pytest.raises(CompileError, match="all blocks of @k wait for each other; run all"):
        simulate(module, "k", [x, np.zeros_like(x)], blocks=[0, 5])
