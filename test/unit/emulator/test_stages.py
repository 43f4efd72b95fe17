"""Artifacts whose kernels have several stages, on the stand-in driver."""

from pathlib import Path

import numpy as np
import pytest
import stages
from kernels_artifact import Artifact, build

from dlc.backends.cuda.prelude import PRELUDE
from dlc.emulator.model import EmulatedFaultError
from dlc.runtime.native import native_text

PASSES = "lower-to-gpu{arch=sm_90a}"
CASES = [
    (stages.three_stages(1000, 6), stages.numbers(1000), stages.staged),
    (stages.three_stages(997, 7), stages.numbers(997), stages.staged),
    (stages.in_clusters(), stages.pairs(), stages.from_the_other),
    (stages.in_blocks(), stages.pairs(), stages.turned),
    (stages.with_sums(), stages.pairs(), stages.less_other_sums),
    (stages.stored_over(), stages.pairs(), stages.over_the_last),
]
X = stages.numbers(1000)
Y = stages.staged(X)
STAGED = stages.three_stages(1000, 2)
MANY = stages.three_stages(1000, 6)
"""Blocks enough that the last one to come need not be one that the one before it reads from."""


def test_stages_wait(tmp_path: Path) -> None:
    pairs = [(x, wanted(x)) for _, x, wanted in CASES]
    artifact = build([text for text, _, _ in CASES], pairs, PASSES, tmp_path)
    model = artifact.emulated(tmp_path)
    for _ in range(3):  # the counters are filled for each run
        outputs = model.run({f"x{n}": x for n, (x, _) in enumerate(pairs)})
        for number, (_, y) in enumerate(pairs):
            np.testing.assert_array_equal(outputs[f"y{number}"], y)


def changed(
    monkeypatch: pytest.MonkeyPatch, old: str, new: str, folder: Path, kernel: str = STAGED
) -> Artifact:
    """Return the artifact of a kernel with another barrier."""
    text = PRELUDE["grid_barrier"]
    assert old in text
    monkeypatch.setitem(PRELUDE, "grid_barrier", text.replace(old, new))
    return build([kernel], [(X, Y)], PASSES, folder)


def fails(artifact: Artifact, folder: Path, message: str) -> None:
    with pytest.raises(EmulatedFaultError, match=message):
        artifact.emulated(folder).run({"x0": X})


WAITS_FOR_LESS = {
    "nobody": ("while (arrival < last_arrival)", "while (false)"),
    "all but one": ("arrival < last_arrival", "arrival < last_arrival - 1"),
    "its own thread": ("  }\n  __syncthreads();\n}", "  }\n}"),
    "the first threads of others": ("{\n  __syncthreads();\n  if", "{\n  if"),
}


@pytest.mark.parametrize("kernel", [STAGED, MANY], ids=["two blocks", "six blocks"])
@pytest.mark.parametrize("name", WAITS_FOR_LESS)
def test_a_barrier_that_waits_for_less(
    name: str, kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A value that is read too early is what nobody has written, and so is the result."""
    artifact = changed(monkeypatch, *WAITS_FOR_LESS[name], tmp_path, kernel)
    fails(artifact, tmp_path, "kernel k0 does not write [0-9]+ of the 1000 elements of operand 1")


def test_a_barrier_that_waits_for_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more = "arrival < last_arrival", "arrival < last_arrival + 1"
    artifact = changed(monkeypatch, *more, tmp_path)
    fails(artifact, tmp_path, "it waits at ld.acquire for ever")


def test_blocks_that_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    artifact = changed(monkeypatch, "[%0], 1;", "[%0], 0;", tmp_path)
    fails(artifact, tmp_path, "it waits at ld.acquire for ever")


HOST = {
    "nothing is filled": (
        ("cuda_fills.c", ".value = ONES", ".value = 0"),
        "kernel k0, operand 4: byte 0 is not 0xff when it begins",
    ),
    "blocks in any order": (
        ("cuda.c", "if (kernel->cooperative) TRY(cuGraph", "if (0) TRY(cuGraph"),
        "kernel k0 waits for other blocks, and is launched like one whose blocks come in any order",
    ),
}


@pytest.mark.parametrize("name", HOST)
def test_faults_of_the_host_program(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file, old, new), message = HOST[name]

    def other(asked: str) -> str:
        text = native_text(asked)
        return text.replace(old, new) if asked == file else text

    assert other(file) != native_text(file)
    monkeypatch.setattr("dlc.backends.host.link.native_text", other)
    fails(build([STAGED], [(X, Y)], PASSES, tmp_path), tmp_path, message)
