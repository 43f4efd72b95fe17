"""Faults put into attention by parts of the keys are found, by the simulator or by results."""

from collections.abc import Callable

import numpy as np
import pytest
from attention_text import Case
from lowered import lowered
from test_attention import largest_error
from test_attention_faults import left_out, ops
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AffineMapAttr, FloatAttr, IntegerAttr, ModuleOp, f32, i32, i64
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import Rewriter

from dlc.dialects import gpu
from dlc.simulator import SimulationError, run_module, simulate

TEAMS = "rows = 16, step = 32, warps = 1, stages = 2, split = 3, teams = 2"
OF_TEAMS = Case(TEAMS, 2, 5, 77, 32, 32, "scaled")
IN_CLUSTER = "rows = 16, step = 16, warps = 1, stages = 2, split = 4, exchange = true"
OF_CLUSTER = Case(IN_CLUSTER, 2, 5, 77, 32, 32, "scaled")
CASE = Case("rows = 16, step = 16, warps = 1, stages = 2, split = 3", 2, 5, 77, 32, 32, "scaled")
GPU = "lower-to-loop,lower-to-gpu{arch=sm_90a}"


def second_is_last(module: ModuleOp) -> None:
    """Let the second of three blocks take itself for the last."""
    (op,) = (
        op
        for op in ops(module, arith.ConstantOp)
        if isinstance(op, arith.ConstantOp) and op.value == IntegerAttr(2, i32)
    )
    Rewriter.replace_op(op, arith.ConstantOp(IntegerAttr(1, i32)))


def one_level(number: int) -> Callable[[ModuleOp], None]:
    """Return what lets a power, counted from the end, be 1: parts stay at their own levels."""

    def change(module: ModuleOp) -> None:
        Rewriter.replace_op(ops(module, math.Exp2Op)[number], arith.ConstantOp(FloatAttr(1.0, f32)))

    return change


def lane_left_out(number: int) -> Callable[[ModuleOp], None]:
    """Return what leaves a lane's weights out of a total."""

    def change(module: ModuleOp) -> None:
        shuffle = ops(module, gpu.ShuffleOp)[number]
        Rewriter.replace_op(shuffle, [], [shuffle.operands[0]])

    return change


def test_right_without_a_fault() -> None:
    module, inputs = lowered(CASE.text(), GPU), CASE.inputs()
    (y,) = run_module(module, list(inputs.values()))
    np.testing.assert_allclose(y, CASE.wanted(inputs), rtol=0, atol=largest_error(CASE))


@pytest.mark.parametrize(
    "fault",
    [
        left_out(gpu.FenceOp, 0),  # what it has written may not be there
        left_out(gpu.FenceOp, 1),  # what others have written may not be
        left_out(gpu.BarrierOp, -1),  # whether it is the last is not written yet
        second_is_last,
    ],
)
def test_the_simulator_finds(fault: Callable[[ModuleOp], None]) -> None:
    module, inputs = lowered(CASE.text(), GPU), CASE.inputs()
    fault(module)
    y = np.zeros((CASE.batch, CASE.rows, CASE.columns), np.float16)
    with pytest.raises(SimulationError):
        simulate(module, "g", [*inputs.values(), y], blocks_at_once=1)


@pytest.mark.parametrize("number", [-3, -4])
def test_the_simulator_finds_in_teams(number: int) -> None:
    """A barrier that is missing behind, or before, what teams write to shared memory."""
    module = lowered(OF_TEAMS.text(), GPU)
    left_out(gpu.BarrierOp, number)(module)
    with pytest.raises(SimulationError):
        run_module(module, list(OF_TEAMS.inputs().values()))


@pytest.mark.parametrize("fault", [one_level(-1), *map(lane_left_out, (-1, -2))])
def test_the_result_shows(fault: Callable[[ModuleOp], None]) -> None:
    module, inputs = lowered(CASE.text(), GPU), CASE.inputs()
    fault(module)
    (y,) = run_module(module, list(inputs.values()))
    far = np.abs(y - CASE.wanted(inputs))
    assert not (far <= largest_error(CASE)).all()


def half_of_the_bytes(module: ModuleOp) -> None:
    """A block waits for half of what is sent to it."""
    found = ops(module, gpu.MbarrierArriveOp)[0]
    assert isinstance(found, gpu.MbarrierArriveOp)
    found.bytes = IntegerAttr(found.expected_bytes // 2, i64)


def in_one_place(module: ModuleOp) -> None:
    """All blocks send to the first part's place."""
    for op in ops(module, gpu.StAsyncOp):
        assert isinstance(op, gpu.StAsyncOp)
        at = op.destination_map.data
        places = (at.results[0] * 0, *at.results[1:])
        op.destination_map = AffineMapAttr(AffineMap(at.num_dims, at.num_symbols, places))


FAULTS_OF_CLUSTERS: dict[str, tuple[Callable[[ModuleOp], None], str]] = {
    "blocks may not have begun": (left_out(gpu.ClusterWaitOp, 0), "may not have begun"),
    "parts may not have come": (left_out(gpu.MbarrierWaitOp, 0), "not waited for"),
    "fewer parts are waited for": (
        half_of_the_bytes,
        "has filled that it did not wait for: a race",
    ),
    "all parts in one place": (in_one_place, "a race"),
}


@pytest.mark.parametrize("name", FAULTS_OF_CLUSTERS)
def test_the_simulator_finds_in_clusters(name: str) -> None:
    fault, message = FAULTS_OF_CLUSTERS[name]
    module, inputs = lowered(OF_CLUSTER.text(), GPU), OF_CLUSTER.inputs()
    fault(module)
    y = np.zeros((OF_CLUSTER.batch, OF_CLUSTER.rows, OF_CLUSTER.columns), np.float16)
    with pytest.raises(SimulationError, match=message):
        simulate(module, "g", [*inputs.values(), y])


def test_the_result_shows_in_clusters() -> None:
    module, inputs = lowered(OF_CLUSTER.text(), GPU), OF_CLUSTER.inputs()
    one_level(-1)(module)
    (y,) = run_module(module, list(inputs.values()))
    far = np.abs(y - OF_CLUSTER.wanted(inputs))
    assert not (far <= largest_error(OF_CLUSTER)).all()
