"""Attention as one kernel, in the simulator and on the GPU, beside the same in float64."""

import numpy as np
import pytest
from attention_text import Case
from lowered import lowered
from simulated import Runner

from dlc.backends.cuda.cubins import compile_kernels

SMALL = "rows = 16, step = 16, warps = 1, stages = 1"
WIDE = "rows = 64, step = 32, warps = 2, stages = 3"
EXCHANGED = "rows = 64, step = 64, warps = 4, stages = 2, exchange = true"
WARPGROUP = 'rows = 64, step = 64, warps = 4, instruction = "wgmma.m64k16", stages = 2'
WARPGROUPS = (
    'rows = 128, step = 96, warps = 8, instruction = "wgmma.m64k16", stages = 3, exchange = true'
)
PRODUCERS = 'rows = 128, step = 64, warps = 8, instruction = "wgmma.m64k16", producers = 4'
REGISTERS = (
    'rows = 128, step = 128, warps = 8, instruction = "wgmma.m64k16", producers = 4, '
    "producer_registers = 24"
)
ON_HOPPER = [
    Case(WARPGROUP, 1, 1, 2, 16, 16),
    Case(WARPGROUP, 2, 67, 197, 64, 64, mask="added"),
    Case(WARPGROUP, 2, 64, 64, 64, 64, mask="added"),  # one step
    Case(WARPGROUP, 2, 71, 72, 32, 16, mask="seen", zero=True),
    Case(WARPGROUP.replace("rows = 64", "rows = 128"), 1, 130, 100, 32, 64, mask="scaled"),
    Case(WARPGROUPS, 1, 130, 197, 128, 128, mask="causal"),
    Case(WARPGROUPS, 3, 100, 100, 64, 64, packed=True),
    Case(WARPGROUP + ', order = "last<2>"', 2, 200, 200, 64, 64, mask="causal"),
    Case(PRODUCERS, 2, 130, 197, 64, 64, mask="scaled"),
    Case(PRODUCERS + ', order = "last<1>"', 1, 200, 200, 32, 64, mask="causal"),
    Case(PRODUCERS, 2, 100, 100, 64, 64, packed=True),
    Case(PRODUCERS + ", blocks = 2", 3, 200, 197, 64, 64),
    Case(PRODUCERS + ", blocks = 3", 4, 70, 50, 64, 64, mask="added"),  # one step
    Case(REGISTERS, 1, 130, 300, 128, 128),
    Case(REGISTERS + ", blocks = 2", 2, 130, 300, 128, 128),
    Case(WARPGROUP, 1, 70, 130, 256, 256),
    Case(WARPGROUP.replace("stages = 2", "stages = 3"), 1, 70, 197, 32, 16, mask="causal, later"),
]
CASES = [
    Case(SMALL, 1, 1, 2, 16, 8),
    Case(SMALL, 3, 17, 31, 24, 40),
    Case(WIDE, 2, 67, 77, 64, 64),
    Case(WIDE, 2, 64, 96, 64, 64, mask="scaled"),
    Case(SMALL, 1, 17, 16, 16, 16, mask="scaled, added"),  # one step
    Case(EXCHANGED, 1, 130, 197, 64, 64),
    Case(EXCHANGED, 1, 61, 131, 128, 128, mask="added"),
    Case(WIDE, 2, 71, 72, 32, 16, mask="seen"),
    Case(WIDE, 2, 71, 72, 32, 16, mask="seen", zero=True),
    Case(WIDE, 1, 77, 77, 32, 32, mask="causal"),
    Case(SMALL, 2, 37, 37, 16, 16, packed=True),
    Case(EXCHANGED, 3, 100, 100, 64, 64, mask="causal", packed=True),
    Case(WIDE + ', order = "last<3>"', 6, 130, 130, 32, 32, mask="causal"),
    Case(SMALL, 1, 37, 50, 16, 16, mask="causal, later"),
    Case(SMALL, 2, 50, 37, 16, 16, mask="causal, later"),  # the last rows see all
    Case(SMALL, 1, 5, 9, 16, 16, mask="causal"),  # one step
]


def largest_error(case: Case) -> float:
    """Return how far a result may be off: weights are rounded to 11 bits, and so is the result, of
    values below 6; sums and exponentials are of 24 bits.
    """
    return 6 * (2 * 2.0**-11 + case.keys * 2.0**-24 + 2.0**-20)


@pytest.mark.parametrize(
    "case", CASES + ON_HOPPER, ids=lambda case: f"{case.rows}x{case.keys}x{case.depth}{case.mask}"
)
def test_as_in_float64(runner: Runner, case: Case) -> None:
    if case in ON_HOPPER and runner.target != "sm_90a":
        pytest.skip(f"{runner.target} has no products of warpgroups")
    module = lowered(case.text(), f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}")
    inputs = case.inputs()
    (y,) = runner.run(module, *inputs.values())
    wanted = case.wanted(inputs)
    assert np.isnan(wanted).any() == (case.mask == "seen" and not case.zero)
    np.testing.assert_allclose(y, wanted, rtol=0, atol=largest_error(case))


@pytest.mark.parametrize("target", ["sm_80", "sm_86", "sm_89", "sm_90a"])
@pytest.mark.parametrize("depth", [64, 128])
def test_compiles_without_spills(target: str, depth: int) -> None:
    case = Case(EXCHANGED, 1, 130, 197, depth, depth, mask="added")
    module = lowered(case.text(), f"lower-to-loop,lower-to-gpu{{arch={target}}}")
    (compiled,) = compile_kernels(module, target)
    assert compiled.resources.spill_bytes == 0


@pytest.mark.parametrize("depth", [64, 128])
@pytest.mark.parametrize("schedule", [WARPGROUP, WARPGROUPS])
def test_compiles_for_warpgroups(schedule: str, depth: int) -> None:
    """Without spills, and without products that the assembler lets wait for each other."""
    case = Case(schedule, 1, 130, 197, depth, depth, mask="added")
    (compiled,) = compile_kernels(
        lowered(case.text(), "lower-to-loop,lower-to-gpu{arch=sm_90a}"), "sm_90a"
    )
    assert compiled.resources.spill_bytes == 0
