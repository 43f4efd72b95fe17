"""Attention in which the scores of a step are multiplied under the softmax of the step before."""

import numpy as np
import pytest
from attention_text import Case
from lowered import lowered
from simulated import Runner, Simulated
from test_attention import largest_error

from dlc.backends.cuda.cubins import compile_kernels
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError

THREADS = 'rows = 64, step = 32, warps = 4, instruction = "wgmma.m64k16", stages = 3, ahead = true'
GROUPS = (
    'rows = 128, step = 64, warps = 8, instruction = "wgmma.m64k16", stages = 3, exchange = true, '
    "ahead = true"
)
FOUR_STEPS = THREADS.replace("stages = 3", "stages = 4")
PRODUCERS = (
    'rows = 128, step = 64, warps = 8, instruction = "wgmma.m64k16", stages = 2, producers = 4, '
    "ahead = true"
)
THREE_STEPS = PRODUCERS.replace("stages = 2", "stages = 3")
REGISTERS = THREE_STEPS.replace("step = 64", "step = 96") + ", producer_registers = 24"
CASES = [
    Case(THREADS, 1, 40, 77, 32, 32),
    Case(THREADS, 2, 67, 197, 64, 64, mask="added"),
    Case(THREADS, 1, 130, 197, 64, 64, mask="causal"),  # blocks of two, four and five steps
    Case(THREADS.replace("step = 32", "step = 64"), 1, 130, 130, 128, 128, mask="causal"),  # of one
    Case(THREADS, 1, 40, 70, 32, 16, mask="causal, later"),
    Case(THREADS, 1, 71, 65, 32, 16, mask="seen"),
    Case(THREADS, 1, 71, 65, 32, 16, mask="seen", zero=True),
    Case(THREADS, 1, 64, 96, 128, 64),  # a slot for each step
    Case(THREADS, 1, 64, 33, 64, 64, mask="scaled, added"),  # two steps, three slots
    Case(THREADS + ", split = 2", 1, 70, 197, 64, 64, mask="added"),
    Case(FOUR_STEPS, 1, 70, 300, 64, 64, mask="scaled"),
    Case(GROUPS, 1, 130, 197, 128, 128, mask="added"),
    Case(GROUPS, 3, 100, 100, 64, 64, packed=True),
    Case(GROUPS + ', order = "last<2>"', 2, 200, 200, 64, 64, mask="causal"),
    Case(PRODUCERS, 2, 130, 197, 64, 64, mask="scaled"),
    Case(PRODUCERS, 1, 200, 200, 128, 128, mask="causal"),
    Case(PRODUCERS + ", blocks = 2", 3, 130, 131, 64, 64, mask="added"),
    Case(THREE_STEPS + ', order = "last<1>"', 1, 200, 200, 32, 64, mask="causal"),
    Case(THREE_STEPS + ", blocks = 2", 3, 200, 197, 64, 64),
    Case(REGISTERS, 1, 130, 300, 128, 128),
    Case(REGISTERS + ", blocks = 2", 2, 130, 197, 128, 128, mask="added"),
]
PIPELINE = "lower-to-loop,lower-to-gpu{arch=sm_90a}"


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case.rows}x{case.keys}x{case.depth}{case.mask}"
)
def test_as_in_float64(runner: Runner, case: Case) -> None:
    if runner.target != "sm_90a":
        pytest.skip(f"{runner.target} has no products of warpgroups")
    inputs = case.inputs()
    (y,) = runner.run(lowered(case.text(), PIPELINE), *inputs.values())
    wanted = case.wanted(inputs)
    assert np.isnan(wanted).any() == (case.mask == "seen" and not case.zero)
    np.testing.assert_allclose(y, wanted, rtol=0, atol=largest_error(case))


def test_the_result_is_that_of_one_step_after_the_other() -> None:
    """To the bit, in the simulator: the same sums are added in the same order."""
    plain = THREADS.replace("ahead = true", "ahead = false")
    found = list[Array]()
    for schedule in (THREADS, plain):
        case = Case(schedule, 1, 67, 197, 64, 64, mask="added")
        found += Simulated().run(lowered(case.text(), PIPELINE), *case.inputs().values())
    ahead, after = found
    np.testing.assert_array_equal(ahead, after)


@pytest.mark.parametrize("depth", [64, 128])
@pytest.mark.parametrize("mask", ["added", "causal"])
@pytest.mark.parametrize("schedule", [THREADS, GROUPS, PRODUCERS, REGISTERS])
def test_compiles(schedule: str, mask: str, depth: int) -> None:
    """Without spills, and without products that the assembler lets wait for each other."""
    case = Case(schedule, 1, 130, 197, depth, depth, mask=mask)
    (compiled,) = compile_kernels(lowered(case.text(), PIPELINE), "sm_90a")
    assert compiled.resources.spill_bytes == 0


@pytest.mark.parametrize("target", ["sm_80", "sm_86", "sm_89"])
def test_other_chips_have_no_such_products(target: str) -> None:
    case = Case(THREADS, 1, 40, 77, 32, 32)
    with pytest.raises(CompileError, match=f"which {target} has not"):
        lowered(case.text(), f"lower-to-loop,lower-to-gpu{{arch={target}}}")
