"""Loops of steps as one kernel, in the simulator and on the GPU, beside the same in float64."""

import numpy as np
import pytest
from lowered import lowered
from recurrent_text import Case
from simulated import Runner

from dlc.backends.cuda.cubins import compile_kernels

MATRIX = 'units = 8, sequences = {}, warps = [1, {}], instruction = "mma.m16n8k16"'
FMA = 'units = 8, sequences = {}, warps = [1, {}], instruction = "fma"'
TF32 = 'units = 8, sequences = {}, warps = [1, {}], instruction = "mma.m16n8k8"'
CASES = [
    Case("lstm", MATRIX.format(1, 2), 3, 1, 64),
    Case("lstm", MATRIX.format(1, 1), 1, 1, 1),
    Case("lstm", MATRIX.format(3, 4), 2, 3, 20, initial=True, last=True),
    Case("lstm", MATRIX.format(5, 4), 3, 65, 20, initial=True),
    Case("lstm", MATRIX.format(9, 2), 3, 9, 77, backward=True),
    Case("lstm", MATRIX.format(7, 2), 5, 7, 40, lengths=True, last=True),
    Case("gru", MATRIX.format(1, 4), 17, 1, 100),
    Case("gru", MATRIX.format(4, 2), 3, 8, 48, initial=True, last=True),
    Case("rnn", MATRIX.format(2, 8), 17, 2, 300),
    Case("lstm", MATRIX.replace("units = 8", "units = 16").format(16, 4), 3, 32, 64),
    Case("lstm", MATRIX.format(16, 2) + ", pieces = 2", 3, 16, 72),
    Case("lstm", MATRIX.replace("[1, {}]", "[2, 2]").format(2), 3, 2, 96),
    Case("gru", MATRIX.replace("[1, {}]", "[3, 2]").format(1), 3, 1, 44, lengths=True),
    Case("lstm", MATRIX.format(3, 1) + ", shared_chunks = 2", 3, 3, 100),
    Case("rnn", MATRIX.format(1, 2) + ", shared_chunks = 9", 3, 1, 64),
    Case("stack", MATRIX.replace("[1, {}]", "[2, 2]").format(2), 4, 2, 56, last=True),
    Case("stack", MATRIX.format(3, 2) + ", shared_chunks = 1", 3, 6, 100, initial=True, last=True),
    Case("stack", FMA.replace("[1, {}]", "[2, 2]").format(2), 4, 4, 56, "f32", last=True),
    Case("lstm", MATRIX.format(1, 2), 3, 1, 44, room=4, last=True),
    Case("gru", MATRIX.format(2, 2), 3, 2, 13, room=6, backward=True, lengths=True),
    Case("rnn", FMA.format(1, 1), 2, 1, 1, "f32", room=7),
    Case("lstm", MATRIX.format(2, 2), 3, 4, 52, "bf16", initial=True),
    Case("gru", TF32.format(3, 2), 3, 3, 52, "f32", initial=True, last=True, tf32=True),
    Case("stack", TF32.format(1, 4), 3, 1, 64, "f32", tf32=True),
    Case("reset", MATRIX.format(1, 4), 17, 1, 100),
    Case("reset", MATRIX.format(3, 2), 3, 9, 77, initial=True, backward=True, last=True),
    Case("reset", MATRIX.replace("[1, {}]", "[2, 2]").format(5), 3, 5, 44, lengths=True, room=4),
    Case("reset", MATRIX.format(1, 2) + ", shared_chunks = 1", 3, 1, 64, "bf16"),
    Case("reset", TF32.format(2, 4), 3, 4, 52, "f32", initial=True, tf32=True),
    Case("reset", FMA.format(2, 4), 5, 4, 77, "f32", backward=True, lengths=True),
    Case("reset", FMA.format(1, 1), 2, 1, 1, "f32", last=True),
    Case("deep", MATRIX.replace("[1, {}]", "[3, 2]").format(2), 3, 4, 60, initial=True),
    Case("deep", FMA.format(1, 2) + ", shared_chunks = 3", 3, 1, 50, "f32", initial=True),
    Case("lstm", FMA.format(1, 2) + ", shared_chunks = 5", 3, 1, 64, "f32"),
    Case("lstm", FMA.format(1, 2), 3, 1, 64, "f32"),
    Case("lstm", FMA.format(3, 4), 3, 3, 20, "f32", initial=True, last=True),
    Case("gru", FMA.format(2, 4), 5, 4, 77, "f32", backward=True, lengths=True),
    Case("rnn", FMA.format(1, 1), 2, 1, 1, "f32"),
    Case("lstm", FMA.replace("units = 8", "units = 24").format(2, 4), 3, 2, 50, "f32"),
]
RESETS = [case for case in CASES if case.cell == "reset"]


def name(case: Case) -> str:
    return f"{case.cell}-{case.steps}-{case.sequences}-{case.units}-{case.element}"


def largest_error(case: Case) -> float:
    """Return how far a result may be off: states are below 1, or 3 for those of cells, and rounded
    in each step; weights and states of a step add up to less than 2 for each unit of error.
    """
    digits = {"f16": 11, "bf16": 8, "f32": 22}[case.element]
    return 8 * 2.0 ** -(11 if case.tf32 else digits)


@pytest.mark.parametrize("case", CASES, ids=name)
def test_as_in_float64(runner: Runner, case: Case) -> None:
    module = lowered(case.text(), f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}")
    inputs = case.inputs()
    found = runner.run(module, *inputs.values())
    for y, wanted in zip(found, case.wanted(inputs), strict=True):
        np.testing.assert_allclose(y, wanted, rtol=0, atol=largest_error(case))


@pytest.mark.parametrize("target", ["sm_80", "sm_86", "sm_89", "sm_90a"])
@pytest.mark.parametrize("case", CASES[-4:] + CASES[:3] + RESETS, ids=name)
def test_compiles_without_spills(target: str, case: Case) -> None:
    module = lowered(case.text(), f"lower-to-loop,lower-to-gpu{{arch={target}}}")
    (compiled,) = compile_kernels(module, target)
    assert compiled.resources.spill_bytes == 0


@pytest.mark.parametrize(
    ("target", "case"),
    [
        ("sm_80", Case("lstm", "", 100, 1, 1024)),
        ("sm_90a", Case("lstm", "", 100, 1, 1024)),
        ("sm_90a", Case("lstm", "", 100, 64, 1024)),
        ("sm_80", Case("reset", "", 100, 1, 1024)),
        ("sm_90a", Case("reset", "", 100, 1, 1024)),
        ("sm_90a", Case("reset", "", 100, 64, 1024)),
        ("sm_90a", Case("stack", "", 100, 1, 2048)),
        ("sm_90a", Case("lstm", "", 100, 1, 1024, "f32")),
    ],
)
def test_large_layers_compile_without_spills(target: str, case: Case) -> None:
    """With the schedules that the model of the chip chooses."""
    passes = f"tile{{arch={target}}},lower-to-loop,lower-to-gpu{{arch={target}}}"
    (compiled,) = compile_kernels(lowered(case.text(), passes), target)
    assert compiled.resources.spill_bytes == 0
