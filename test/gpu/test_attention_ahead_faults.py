"""Faults put into attention whose scores come ahead are found by the simulator."""

from collections.abc import Callable

import numpy as np
import pytest
from attention_text import Case
from lowered import lowered
from test_attention import largest_error
from test_attention_ahead import PIPELINE, PRODUCERS, THREADS
from test_attention_faults import left_out, ops
from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import FloatAttr, ModuleOp, f32
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.dialects import gpu
from dlc.simulator import SimulationError, run_module

CASE = Case(THREADS, 1, 40, 109, 32, 32, mask="added")
PRODUCED = Case(PRODUCERS.replace("step = 64", "step = 32"), 1, 100, 109, 32, 32, mask="scaled")


def far_off(case: Case, fault: Callable[[ModuleOp], None]) -> bool:
    """Return whether a result with a fault is farther off than one may be."""
    module, inputs = lowered(case.text(), PIPELINE), case.inputs()
    fault(module)
    (y,) = run_module(module, list(inputs.values()))
    return not (np.abs(y - case.wanted(inputs)) <= largest_error(case)).all()


@pytest.mark.parametrize("case", [CASE, PRODUCED], ids=["threads", "producers"])
def test_right_without_a_fault(case: Case) -> None:
    assert not far_off(case, lambda module: None)


def sums_stay(module: ModuleOp) -> None:
    """Leave out what rescales the sums of the step before: the second slice's first power."""
    powers = ops(module, math.Exp2Op)
    power = powers[len(powers) // 2]
    Rewriter.replace_op(power, arith.ConstantOp(FloatAttr(1.0, f32)))


def last_values_left_out(module: ModuleOp) -> None:
    """Leave the values of the last step out."""
    Rewriter.erase_op(ops(module, gpu.WgmmaOp)[-1])


@pytest.mark.parametrize("fault", [sums_stay, last_values_left_out])
def test_the_result_shows(fault: Callable[[ModuleOp], None]) -> None:
    assert far_off(CASE, fault)


@pytest.mark.parametrize(
    "fault",
    [
        *(left_out(gpu.WgmmaWaitOp, n) for n in range(4)),  # 1: scores of a step, 2: sums before
        *(left_out(gpu.WgmmaFenceOp, n) for n in (0, 1, 3)),
        *(left_out(gpu.BarrierOp, n) for n in range(2)),  # the slot of the values is written
        *(left_out(gpu.AsyncFenceOp, n) for n in range(2)),
        left_out(gpu.CpAsyncWaitOp, 2),
    ],
)
def test_the_simulator_finds_where_scores_come_ahead(fault: Callable[[ModuleOp], None]) -> None:
    module = lowered(CASE.text(), PIPELINE)
    fault(module)
    with pytest.raises(SimulationError):
        run_module(module, list(CASE.inputs().values()))


def slot_given_back_early(module: ModuleOp) -> None:
    """Give a slot back while the values in it are multiplied."""
    given = ops(module, gpu.MbarrierArriveOp)[0].parent_op()
    assert isinstance(given, scf.IfOp)
    given.detach()
    Rewriter.insert_op(given, InsertPoint.before(ops(module, gpu.WgmmaWaitOp)[2]))


@pytest.mark.parametrize(
    "fault",
    [
        slot_given_back_early,
        *(left_out(gpu.MbarrierWaitOp, n) for n in (1, 2, 3)),  # for slices, for a slot
        *(left_out(gpu.MbarrierArriveOp, n) for n in (0, 2)),
        *(left_out(gpu.WgmmaWaitOp, n) for n in range(4)),
        *(left_out(gpu.WgmmaFenceOp, n) for n in (0, 1, 3)),
    ],
)
def test_the_simulator_finds_where_producers_bring_what_comes_ahead(
    fault: Callable[[ModuleOp], None],
) -> None:
    module = lowered(PRODUCED.text(), PIPELINE)
    fault(module)
    with pytest.raises(SimulationError):
        run_module(module, list(PRODUCED.inputs().values()))
