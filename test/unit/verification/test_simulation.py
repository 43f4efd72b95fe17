"""Kernels for a GPU are checked where there is none."""

from collections.abc import Iterator

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc import registry
from dlc.compiler.levels import lower
from dlc.compiler.targets import Target
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.dialects.gpu import BarrierOp, CounterAllocOp, KernelOp
from dlc.errors import CompileError
from dlc.ir.access import MemoryOp
from dlc.simulator import SimulationError
from dlc.verification.simulation import KernelsSimulated, verify_by_simulation

MODEL = """
func.func @main(%x: tensor<70x96xf16>, %w: tensor<96x40xf16>, %b: tensor<40xf16>)
    -> tensor<70x40xf16> {
  %0 = graph.matmul %x, %w : (tensor<70x96xf16>, tensor<96x40xf16>) -> tensor<70x40xf16>
  %1 = graph.add %0, %b : (tensor<70x40xf16>, tensor<40xf16>) -> tensor<70x40xf16>
  %2 = graph.softmax %1 axis 0 : tensor<70x40xf16> -> tensor<70x40xf16>
  func.return %2 : tensor<70x40xf16>
}
"""
PRODUCT = """
func.func @main(%x: tensor<1x4096xf16>, %w: tensor<4096x40xf16>) -> tensor<1x40xf16> {
  %0 = fused_group.group @g0(%x, %w) : (tensor<1x4096xf16>, tensor<4096x40xf16>) -> tensor<1x40xf16>
      attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu",
      tile = [32, 32, 32], warps = [2, 2],
      instruction = "mma.m16n8k16", stages = 2, split = 4, order = "row">} {
  ^bb0(%a: tensor<1x4096xf16>, %b: tensor<4096x40xf16>):
    %1 = graph.matmul %a, %b : (tensor<1x4096xf16>, tensor<4096x40xf16>) -> tensor<1x40xf16>
    fused_group.yield %1 : tensor<1x40xf16>
  }
  func.return %0 : tensor<1x40xf16>
}
"""
BEST_THREE = """
func.func @main(%x: tensor<64x40xf16>) -> tensor<64x3xf16> {
  %v, %i = graph.top_k %x axis 1 count 3 largest
      : tensor<64x40xf16> -> tensor<64x3xf16>, tensor<64x3xi64>
  func.return %v : tensor<64x3xf16>
}
"""
TILE = "tile = [32, 32, 32], warps = [2, 2]"
MMA, FMA = f'{TILE}, instruction = "mma.m16n8k16"', f'{TILE}, instruction = "fma"'
COLUMNS = 'tile = [4, 64, 32], warps = [1, 2], instruction = "fma.1x32"'
CONTRACT = 'strategy = "contract", target = "gpu"'
SCHEDULES = {
    "map": 'strategy = "map", target = "gpu", threads = 96',
    "map of vectors": 'strategy = "map", target = "gpu", threads = 32, vector = 3',
    "row": 'strategy = "row", target = "gpu", threads = 32, rows = 4',
    "mma": f'{CONTRACT}, {MMA}, stages = 2, split = 1, order = "row"',
    "mma split": f'{CONTRACT}, {MMA}, stages = 2, split = 4, order = "grouped<8>"',
    "fma": f'{CONTRACT}, {FMA}, stages = 2, split = 1, order = "grouped<8>"',
    "fma split": f'{CONTRACT}, {FMA}, stages = 1, split = 3, order = "row"',
    "fma of columns": f"{CONTRACT}, {COLUMNS}, stages = 3, split = 2",
}
SPLIT = {"mma split": 4, "fma split": 3, "fma of columns": 2}
"""How many blocks share a tile."""
PRECISION = "fp16"


def kernel_of(schedule: str, columns: int = 41) -> tuple[ModuleOp, ModuleOp, KernelOp]:
    """Return the levels of a kernel on 249 rows of 41: a tail along each axis of each tile."""
    given, wide = f"tensor<249x{columns}xf16>", "tensor<249x300xf16>"
    types, op = [given], f"graph.softmax %a0 axis 1 : {given} -> {given}"
    if "map" in schedule:
        op = f"graph.relu %a0 : {given} -> {given}"
    elif "row" not in schedule:
        types = [wide, f"tensor<300x{columns}xf16>"]
        op = f"graph.matmul %a0, %a1 : ({', '.join(types)}) -> {given}"
    outer = ", ".join(f"%x{n}: {type}" for n, type in enumerate(types))
    groups, lowered = scheduled(
        f"func.func @main({outer}) -> {given} {{ %0 = fused_group.group "
        f"@g0({', '.join(f'%x{n}' for n in range(len(types)))}) : ({', '.join(types)}) -> {given} "
        f"attributes {{schedule = #loop.schedule<{SCHEDULES[schedule]}>}} {{\n"
        f"^bb0({outer.replace('%x', '%a')}):\n"
        f"%1 = {op}\nfused_group.yield %1 : {given} }} func.return %0 : {given} }}"
    )
    (kernel,) = (op for op in lowered.ops if isinstance(op, KernelOp))
    return groups, lowered, kernel


def stores_to(kernel: KernelOp, *buffers: SSAValue) -> list[Operation]:
    """Return what writes one of the buffers and adds nothing to it."""
    memory = [op for op in kernel.walk() if isinstance(op, MemoryOp)]
    return [
        op
        for op in memory
        if any(x.writes and not x.reads and x.buffer in buffers for x in op.accesses())
    ]


def around(op: Operation) -> Iterator[Operation]:
    """Give the operations that ``op`` is in, from inside to outside."""
    while (parent := op.parent_op()) is not None:
        yield parent
        op = parent


def one_less(user: Operation, operand: int) -> None:
    """Let an operation take the constant before the one it takes."""
    constant = user.operands[operand].owner
    assert isinstance(constant, arith.ConstantOp)
    assert isinstance(constant.value, IntegerAttr)
    wrong = arith.ConstantOp(IntegerAttr(constant.value.value.data - 1, IndexType()))
    Rewriter.insert_op(wrong, InsertPoint.before(user))
    user.operands[operand] = wrong.result


def levels(model: str = MODEL) -> tuple[ModuleOp, ModuleOp]:
    """Return the module of groups and that of kernels."""
    context = registry.new_context()
    module = parse_module(model, context)
    groups = module
    for level in lower(context, module, Target("sm_90a"), PRECISION):
        if level == "fused-group":
            groups = module.clone()
    return groups, module


def scheduled(text: str) -> tuple[ModuleOp, ModuleOp]:
    """Return a module of groups with schedules, and that of their kernels."""
    context = registry.new_context()
    groups = parse_module(text, context)
    lowered = groups.clone()
    for step in registry.build_passes("lower-to-loop,lower-to-gpu{arch=sm_90a}"):
        step.apply(context, lowered)
    return groups, lowered


def verify(groups: ModuleOp, lowered: ModuleOp) -> KernelsSimulated:
    return verify_by_simulation(groups, lowered, WeightStore(), PRECISION)


def test_correct_kernels() -> None:
    found = verify(*levels())
    assert found.kernels == 2
    assert found.blocks >= found.tiles >= found.kernels
    assert found.text() == f"2 of 2 kernels at {found.tiles} sampled tiles"


def test_integers_are_what_the_model_makes_of_random_numbers() -> None:
    # The kernel that picks the elements is right for ranks only, of which each occurs once.
    found = verify(*levels(BEST_THREE))
    assert found.kernels == 2


def test_blocks_that_share_a_tile_are_one_sample() -> None:
    found = verify(*scheduled(PRODUCT))
    assert (found.tiles, found.blocks) == (2, 8)


def test_wrong_result_is_found() -> None:
    groups, lowered = levels()
    *_, last = [
        op for op in lowered.walk() if isinstance(op, arith.AddfOp)
    ]  # others find a maximum
    Rewriter.replace_op(last, arith.SubfOp(last.lhs, last.rhs))
    with pytest.raises(CompileError, match="verification failed: a result is off by"):
        verify(groups, lowered)


def test_missing_barrier_is_found() -> None:
    groups, lowered = levels()
    for barrier in [op for op in lowered.walk() if isinstance(op, BarrierOp)]:
        Rewriter.erase_op(barrier)
    with pytest.raises(SimulationError, match=r"a race|nothing was written"):
        verify(groups, lowered)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_kernels_with_tails_are_right(schedule: str) -> None:
    groups, lowered, _ = kernel_of(schedule)
    assert verify(groups, lowered).kernels == 1


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_missing_tile_is_found(schedule: str) -> None:
    groups, lowered, kernel = kernel_of(schedule)
    blocks, *rest = kernel.grid_size
    kernel.grid = DenseArrayBase.from_list(i64, [blocks - SPLIT.get(schedule, 1), *rest])
    with pytest.raises(SimulationError, match=r"of output %.* was never written"):
        verify(groups, lowered)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_guard_one_too_small_is_found(schedule: str) -> None:
    groups, lowered, kernel = kernel_of(schedule)
    (store, *_) = stores_to(kernel, *kernel.output_buffers)
    conditions = [op.cond.owner for op in around(store) if isinstance(op, scf.IfOp)]
    guards = [x for x in conditions if isinstance(x, arith.CmpiOp) and x.predicate.value.data == 2]
    one_less(guards[-1], 1)
    with pytest.raises(SimulationError, match=r"of output %.* was never written"):
        verify(groups, lowered)


@pytest.mark.parametrize("schedule", [x for x in SCHEDULES if "map" not in x])  # those are straight
def test_loop_over_stores_one_too_short_is_found(schedule: str) -> None:
    columns = 2051 if schedule == "row" else 41  # the rounds of short rows are written out
    groups, lowered, kernel = kernel_of(schedule, columns)
    (store, *_) = stores_to(kernel, *kernel.output_buffers)
    loops = [op for op in around(store) if isinstance(op, scf.ForOp)]
    one_less(loops[-1], 1)
    with pytest.raises(SimulationError, match=r"of output %.* was never written"):
        verify(groups, lowered)


@pytest.mark.parametrize("schedule", SPLIT)
def test_counter_that_is_not_set_back_is_found(schedule: str) -> None:
    groups, lowered, kernel = kernel_of(schedule)
    counters = [op.output for op in kernel.walk() if isinstance(op, CounterAllocOp)]
    (reset,) = stores_to(kernel, *counters)
    Rewriter.erase_op(reset)
    with pytest.raises(SimulationError, match="counter 0 is not zero again"):
        verify(groups, lowered)


@pytest.mark.parametrize("schedule", SPLIT)
def test_last_part_that_does_not_know_it_is_last_is_found(schedule: str) -> None:
    groups, lowered, kernel = kernel_of(schedule)
    (store, *_) = stores_to(kernel, *kernel.output_buffers)
    (arrival,) = (
        op.cond.owner
        for op in around(store)
        if isinstance(op, scf.IfOp)
        and isinstance(op.cond.owner, arith.CmpiOp)
        and op.cond.owner.predicate.value.data == 0
    )
    never = arith.CmpiOp(arrival.operands[0], arrival.operands[0], "ne")
    Rewriter.replace_op(arrival, never)
    with pytest.raises(SimulationError, match=r"of output %.* was never written"):
        verify(groups, lowered)


def test_a_block_without_a_tile_is_no_sample() -> None:
    # In this order a column of 2 tiles has 8 places, so that the last of 4 tiles is at place 9 of
    # 16. The place chosen at random is among the 6 that are empty after it.
    text = PRODUCT.replace('"row"', '"grouped<8>"').replace("1x4096", "40x4096")
    found = verify(*scheduled(text.replace("1x40xf16", "40x40xf16")))
    assert (found.tiles, found.blocks) == (2, 8)
