"""Faults put into attention are found: by the simulator, or by what comes out."""

from collections.abc import Callable

import numpy as np
import pytest
from attention_text import Case
from lowered import lowered
from test_attention import largest_error
from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, f32
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.dialects import gpu
from dlc.simulator import SimulationError, run_module

CASE = Case("rows = 32, step = 32, warps = 2, stages = 3", 1, 40, 77, 32, 32, mask="added")
GROUP = 'rows = 64, step = 32, warps = 4, instruction = "wgmma.m64k16", stages = 2'
ON_HOPPER = Case(GROUP, 1, 40, 77, 32, 32, mask="added")
PRODUCERS = (
    'rows = 128, step = 32, warps = 8, instruction = "wgmma.m64k16", stages = 2, producers = 4'
)
PRODUCED = Case(PRODUCERS, 1, 100, 77, 32, 32, mask="scaled")
CAUSAL = Case("rows = 32, step = 16, warps = 2, stages = 2", 1, 64, 64, 32, 32, mask="causal")
GPU = "lower-to-loop,lower-to-gpu{arch=sm_90a}"


def ops(module: ModuleOp, kind: type[Operation]) -> list[Operation]:
    """Return the ops of a kind in program order."""
    return [op for op in module.walk() if isinstance(op, kind)]


def without_barrier(number: int) -> Callable[[ModuleOp], None]:
    """Return what takes a barrier away."""
    return lambda module: Rewriter.erase_op(ops(module, gpu.BarrierOp)[number])


def late_wait(module: ModuleOp) -> None:
    """Let a step begin while its keys are under way."""
    wait = ops(module, gpu.CpAsyncWaitOp)[1]
    assert isinstance(wait, gpu.CpAsyncWaitOp)
    later = wait.outstanding.value.data + 1
    Rewriter.replace_op(wait, gpu.CpAsyncWaitOp(later))


def lane_left_out(number: int) -> Callable[[ModuleOp], None]:
    """Return what lets an exchange between lanes give each its own value."""

    def change(module: ModuleOp) -> None:
        shuffle = ops(module, gpu.ShuffleOp)[number]
        Rewriter.replace_op(shuffle, [], [shuffle.operands[0]])

    return change


def sums_stay(module: ModuleOp) -> None:
    """Leave out what rescales: the weight of what was the largest score is 1."""
    power = ops(module, math.Exp2Op)[0]
    Rewriter.replace_op(power, arith.ConstantOp(FloatAttr(1.0, f32)))


def columns_beyond(module: ModuleOp) -> None:
    """Give keys that are not there a weight."""
    select = ops(module, arith.SelectOp)[0]
    Rewriter.replace_op(select, [], [select.operands[1]])


def lowest_level(module: ModuleOp) -> None:
    """Subtract minus infinity in rows that have seen no score yet."""
    select = ops(module, arith.SelectOp)[1]
    Rewriter.replace_op(select, [], [select.operands[2]])


def a_step_less(module: ModuleOp) -> None:
    """Leave out the last step of each block."""
    loop = next(op for op in ops(module, scf.ForOp) if gpu.BarrierOp in map(type, op.walk()))
    assert isinstance(loop, scf.ForOp)
    one = arith.ConstantOp(IntegerAttr.from_index_int_value(1))
    fewer = arith.SubiOp(loop.ub, one.result)
    Rewriter.insert_op([one, fewer], InsertPoint.before(loop))
    loop.operands[1] = fewer.result


def later_keys(module: ModuleOp) -> None:
    """Give keys that come later a weight: those of the block's last steps are not masked."""
    select = ops(module, arith.SelectOp)[0]
    Rewriter.replace_op(select, [], [select.operands[1]])


def left_out(kind: type[Operation], number: int) -> Callable[[ModuleOp], None]:
    """Return what takes an op away."""
    return lambda module: Rewriter.erase_op(ops(module, kind)[number])


@pytest.mark.parametrize(
    "case",
    [CASE, ON_HOPPER, PRODUCED, CAUSAL],
    ids=["warps", "warpgroups", "producers", "causal"],
)
def test_right_without_a_fault(case: Case) -> None:
    module, inputs = lowered(case.text(), GPU), case.inputs()
    (y,) = run_module(module, list(inputs.values()))
    np.testing.assert_allclose(y, case.wanted(inputs), rtol=0, atol=largest_error(case))


@pytest.mark.parametrize("fault", [without_barrier(0), without_barrier(1), late_wait])
def test_the_simulator_finds(fault: Callable[[ModuleOp], None]) -> None:
    module = lowered(CASE.text(), GPU)
    fault(module)
    with pytest.raises(SimulationError):
        run_module(module, list(CASE.inputs().values()))


@pytest.mark.parametrize(
    "fault",
    [
        *(left_out(gpu.WgmmaWaitOp, n) for n in range(2)),  # of scores, of sums
        *(left_out(gpu.WgmmaFenceOp, n) for n in range(2)),
        left_out(gpu.AsyncFenceOp, -1),
        left_out(gpu.BarrierOp, 0),
        late_wait,
    ],
)
def test_the_simulator_finds_in_products_of_warpgroups(fault: Callable[[ModuleOp], None]) -> None:
    module = lowered(ON_HOPPER.text(), GPU)
    fault(module)
    with pytest.raises(SimulationError):
        run_module(module, list(ON_HOPPER.inputs().values()))


@pytest.mark.parametrize(
    "fault",
    [*map(lane_left_out, range(4)), sums_stay, columns_beyond, lowest_level],
)
def test_the_result_shows(fault: Callable[[ModuleOp], None]) -> None:
    module, inputs = lowered(CASE.text(), GPU), CASE.inputs()
    fault(module)
    (y,) = run_module(module, list(inputs.values()))
    far = np.abs(y - CASE.wanted(inputs))
    assert not (far <= largest_error(CASE)).all()


@pytest.mark.parametrize("fault", [a_step_less, later_keys])
def test_the_result_shows_what_rows_do_not_see(fault: Callable[[ModuleOp], None]) -> None:
    module, inputs = lowered(CAUSAL.text(), GPU), CAUSAL.inputs()
    fault(module)
    (y,) = run_module(module, list(inputs.values()))
    far = np.abs(y - CAUSAL.wanted(inputs))
    assert not (far <= largest_error(CAUSAL)).all()


@pytest.mark.parametrize(
    "fault",
    [
        *(left_out(gpu.MbarrierWaitOp, n) for n in range(3)),  # for queries, for both, for a slot
        *(left_out(gpu.MbarrierArriveOp, n) for n in range(3)),
        *(left_out(gpu.MbarrierInitOp, n) for n in range(5)),
        *(left_out(gpu.WgmmaWaitOp, n) for n in range(2)),
        *(left_out(gpu.WgmmaFenceOp, n) for n in range(2)),
        left_out(gpu.BarrierOp, 0),
    ],
)
def test_the_simulator_finds_where_producers_bring_what_comes(
    fault: Callable[[ModuleOp], None],
) -> None:
    module = lowered(PRODUCED.text(), GPU)
    fault(module)
    with pytest.raises(SimulationError):
        run_module(module, list(PRODUCED.inputs().values()))
