"""Artifacts whose kernels wait for values of each other's blocks, on the stand-in driver."""

from pathlib import Path

import numpy as np
import published
import pytest
from cluster_cases import Case
from kernels_artifact import build
from published import NEXT

from dlc.backends.cuda.prelude import PRELUDE
from dlc.emulator.model import EmulatedFaultError
from dlc.runtime.native import native_text

CASES = [Case(*case) for case in published.KERNELS.values()]
STEPPED = CASES[0]


def test_blocks_take_turns(tmp_path: Path) -> None:
    pairs = [(case.input(), case.result) for case in CASES]
    artifact = build([case.text for case in CASES], pairs, "gpu-check-limits", tmp_path)
    outputs = artifact.emulated(tmp_path).run({f"x{n}": x for n, (x, _) in enumerate(pairs)})
    for number, (_, y) in enumerate(pairs):
        np.testing.assert_array_equal(outputs[f"y{number}"].view(np.uint8), y.view(np.uint8))


def fails(text: str, folder: Path, message: str) -> None:
    pair = STEPPED.input(), STEPPED.result
    artifact = build([text], [pair], "gpu-check-limits", folder)
    with pytest.raises(EmulatedFaultError, match=message):
        artifact.emulated(folder).run({"x0": pair[0]})


def test_a_value_that_never_comes(tmp_path: Path) -> None:
    fails(STEPPED.text.replace(NEXT, ""), tmp_path, "it waits at ld.relaxed for ever")


def test_a_wait_that_looks_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = PRELUDE["await_16"].replace("while (missing)", "while (false)")
    assert wrong != PRELUDE["await_16"]
    monkeypatch.setitem(PRELUDE, "await_16", wrong)
    pair = STEPPED.input(), STEPPED.result
    artifact = build([STEPPED.text], [pair], "gpu-check-limits", tmp_path)
    assert np.isnan(artifact.emulated(tmp_path).run({"x0": pair[0]})["y0"]).any()


LOOKS = "for (int i = 0; i < 2 * pieces; i++) missing |= "


SOME = {
    "the first word": "for (int i = 0; i < 1; i++) missing |= ",
    "the first of each vector": "for (int i = 0; i < 2 * pieces; i += 2) missing |= ",
    "the last of each vector": "for (int i = 1; i < 2 * pieces; i += 2) missing |= ",
    "the first piece": "for (int i = 0; i < 2; i++) missing |= ",
}
IN_PIECES = next(case for case in CASES if "pieces = 2" in case.text)


@pytest.mark.parametrize("some", SOME)
def test_a_wait_that_looks_at_some_words(
    some: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words of one publication come in any order."""
    wrong = PRELUDE["await_8"].replace(LOOKS, SOME[some])
    assert wrong != PRELUDE["await_8"]
    monkeypatch.setitem(PRELUDE, "await_8", wrong)
    pair = IN_PIECES.input(), IN_PIECES.result
    artifact = build([IN_PIECES.text], [pair], "gpu-check-limits", tmp_path)
    found = artifact.emulated(tmp_path).run({"x0": pair[0]})["y0"]
    assert (found != pair[1]).any()


NOT_FILLED = "kernel k0, operand 1: nothing has filled it for this launch"
HOST = {
    "nothing is filled": (
        "cuda_fills.c",
        (".value = ONES", ".value = 0"),
        "kernel k0, operand 1: byte 0 is not 0xff when it begins",
    ),
    "fills beside the kernel": (
        "cuda.c",
        ("fills->nodes, kernel->fill_count, &parameters", "fills->nodes, 0, &parameters"),
        "kernel k0, operand 1: its memory may be filled for another launch while this one runs",
    ),
    "blocks in any order": (
        "cuda.c",
        ("if (kernel->cooperative) TRY(cuGraph", "if (0) TRY(cuGraph"),
        "kernel k0 waits for other blocks, and is launched like one whose blocks come in any order",
    ),
    "where the buffer was in another run": (
        "cuda.c",
        ("TRY_STATUS(cuda_fills_update(", "if (0) TRY_STATUS(cuda_fills_update("),
        NOT_FILLED,
    ),
}


@pytest.mark.parametrize("name", HOST)
def test_faults_of_the_host_program(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, (old, new), message = HOST[name]
    assert native_text(file).count(old) == 1

    def changed(asked: str) -> str:
        text = native_text(asked)
        return text.replace(old, new) if asked == file else text

    monkeypatch.setattr("dlc.backends.host.link.native_text", changed)
    fails(STEPPED.text, tmp_path, message)


CROWDED = """
gpu.kernel @k(%x: memref<1xf32>, %y: memref<1025xf32>) attributes {
    grid = array<i64: 1025, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative} {
  %b = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %first = arith.cmpi eq, %t, %zero : index
  scf.if %first {
    %v = loop.load %x[0] : memref<1xf32> -> f32
    loop.store %v, %y[%b] : f32 -> memref<1025xf32>
  }
  gpu.end
}"""
"""The chip that it is compiled for has room for all blocks; the emulated device is smaller."""


def test_a_device_without_room_for_all_blocks(tmp_path: Path) -> None:
    x, y = np.ones(1, np.float32), np.ones(1025, np.float32)
    artifact = build([CROWDED], [(x, y)], "gpu-check-limits", tmp_path)
    message = (
        "kernel k0 has 1025 blocks that wait for each other, the device has room for 1024 at a"
    )
    with pytest.raises(EmulatedFaultError, match=message):
        artifact.emulated(tmp_path).run({"x0": x})
