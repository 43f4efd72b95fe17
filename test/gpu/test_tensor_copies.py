"""Boxes of tensors go to shared memory and back, in the simulator and on the GPU."""

from pathlib import Path

import numpy as np
import pytest
from kernels_artifact import build
from launch import Gpu
from lowered import lowered
from tensor_copies import CASES, STORED, loading, storing
from xdsl.dialects.builtin import IntegerAttr, i64

from dlc.backends.cuda.cubins import compile_kernels
from dlc.dialects.gpu import SharedAllocOp
from dlc.dialects.graph.structure import Array
from dlc.runtime.model import Model
from dlc.simulator import SimulationError, simulate

PASSES = "gpu-allocate-shared,gpu-check-limits"


@pytest.fixture(scope="module")
def hopper(gpu: Gpu) -> Gpu:
    """The GPU, if it has tensor maps."""
    if gpu.target != "sm_90a":
        pytest.skip(f"{gpu.target} has no tensor maps")
    return gpu


def simulated(text: str, x: Array, y: Array) -> Array:
    simulate(lowered(text, PASSES), "k", [x, y])
    return y


@pytest.mark.parametrize("name", CASES)
def test_a_box_is_loaded(name: str) -> None:
    case = CASES[name]
    np.testing.assert_array_equal(
        simulated(loading(case), case.x, np.zeros_like(case.tile)), case.tile
    )


@pytest.mark.parametrize(
    ("name", "right", "wrong", "message"),
    [
        ("2d, 128", "<3, 4, 3>", "<2, 4, 3>", "swizzles rows of 128 bytes, the tile has swizzle"),
        ("2d, 128", "{swizzle = #gpu.swizzle<3, 4, 3>}", "", "the tile has no swizzle"),
        ("2d, 128", ", swizzle = 128", "", "swizzles rows of 0 bytes, the tile has swizzle"),
        ("2d", "%s[0, 0] at", "%s[1, 0] at", "axis 0 of size 8, 8 of it"),
        ("2d", "parity %zero", "parity %one", "was not waited for"),
        (
            "2d",
            "%x[24, 64] to",
            "%x[24, 64 + %b + 1] to",
            "at byte 130 of a row, no multiple of 16",
        ),
        ("2d", "bytes = 1024", "bytes = 1008", "waits for ever"),
    ],
)
def test_fault_is_found(name: str, right: str, wrong: str, message: str) -> None:
    case = CASES[name]
    text = loading(case)
    assert right in text
    with pytest.raises(SimulationError, match=message):
        simulated(text.replace(right, wrong), case.x, np.zeros_like(case.tile))


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.rounded_bits])
def test_elements_that_are_not_rounded_are_others(name: str) -> None:
    case = CASES[name]
    text = loading(case).replace(", rounded_bits = 13", "")
    assert text != loading(case)
    assert (simulated(text, case.x, np.zeros_like(case.tile)) != case.tile).any()


def test_a_tile_at_a_place_that_it_cannot_have_is_found() -> None:
    case = CASES["2d, 128"]
    module = lowered(loading(case), PASSES)
    (tile,) = (op for op in module.walk() if isinstance(op, SharedAllocOp) and op.swizzle)
    tile.offset = IntegerAttr(128, i64)
    with pytest.raises(SimulationError, match="tile at byte 128, no multiple of 1024"):
        simulate(module, "k", [case.x, np.zeros_like(case.tile)])


@pytest.mark.parametrize("name", STORED)
def test_boxes_are_stored(name: str) -> None:
    case = CASES[name]
    x = case.x
    np.testing.assert_array_equal(simulated(storing(case), x, np.zeros_like(x)), x + x)


STORE_FAULTS = [
    (
        "  gpu.async_fence\n",
        "",
        "reads byte 0 .* by a store of a tile, which sees .* async_fence is missing",
    ),
    ("  gpu.async_fence\n  gpu.barrier\n", "  gpu.async_fence\n", "nothing orders the two: a race"),
    ("    gpu.bulk_wait {outstanding = 0 : i64, read}\n", "", "a store that nobody waits for"),
    ("gpu.bulk_wait {outstanding = 0", "gpu.bulk_wait {outstanding = 1", "a store that nobody"),
    ("    gpu.bulk_commit\n", "", "a store that nobody waits for"),
    (
        "    gpu.bulk_commit\n",
        "    gpu.bulk_commit\n    loop.store %none, %s[0, 0] : f32 -> TILE\n",
        "which a store of a tile of thread 0 .* reads that was not waited for",
    ),
    ("%y[%b floordiv 3 mod 2 * 64, ", "%y[0, ", "which block . has written"),
]


@pytest.mark.parametrize(("right", "wrong", "message"), STORE_FAULTS)
def test_fault_of_a_store_is_found(right: str, wrong: str, message: str) -> None:
    case = CASES["2d, 128"]
    text = storing(case)
    assert right in text
    wrong = wrong.replace("TILE", "memref<64x64xf16, #loop.space<shared>>")
    text = text.replace(right, wrong)
    with pytest.raises(SimulationError, match=message):
        simulated(text, case.x, np.zeros_like(case.x))


@pytest.mark.parametrize("name", CASES)
def test_kernel_compiles(name: str) -> None:
    assert compile_kernels(lowered(loading(CASES[name]), PASSES), "sm_90a")[0].code


@pytest.mark.gpu
@pytest.mark.parametrize("name", CASES)
def test_a_box_is_loaded_on_the_gpu(hopper: Gpu, name: str) -> None:
    case = CASES[name]
    (tile,) = hopper.run(lowered(loading(case), PASSES), case.x)
    np.testing.assert_array_equal(tile, case.tile)


@pytest.mark.gpu
@pytest.mark.parametrize("name", STORED)
def test_boxes_are_stored_on_the_gpu(hopper: Gpu, name: str) -> None:
    case = CASES[name]
    (y,) = hopper.run(lowered(storing(case), PASSES), case.x)
    np.testing.assert_array_equal(y, case.x + case.x)


@pytest.mark.gpu
@pytest.mark.usefixtures("hopper")
def test_the_host_program_encodes_maps_on_the_gpu(tmp_path: Path) -> None:
    """Arrays of the host first; then arrays of the device, each time at other addresses."""
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    cases = list(CASES.values())
    built = build(list(map(loading, cases)), [(c.x, c.tile) for c in cases], PASSES, tmp_path)
    model = Model(built.path)
    feeds = {f"x{n}": case.x for n, case in enumerate(cases)}
    on_device = [{name: torch.from_numpy(x).cuda() for name, x in feeds.items()} for _ in range(2)]
    for given in (feeds, *on_device):
        found = model.run(given)
        for number, (name, case) in enumerate(CASES.items()):
            y = found[f"y{number}"]
            y = y if isinstance(y, np.ndarray) else torch.from_dlpack(y).cpu().numpy()
            np.testing.assert_array_equal(y, case.tile, err_msg=name)
