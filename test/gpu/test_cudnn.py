"""Artifacts whose kernels call cuDNN itself, beside the reference in ``f64``."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dnn_models import attention, convolution
from numpy.typing import NDArray

import dlc
from dlc.analysis.entry import find_main, input_names
from dlc.compiler.driver import compile_to
from dlc.compiler.emission import emit
from dlc.compiler.options import Options
from dlc.compiler.targets import device_capability
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.oracle import run_reference
from dlc.registry import new_context
from dlc.runtime.device_feeds import DeviceFeeds
from dlc.runtime.gpu_driver import Driver
from dlc.runtime.model import Model

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(device_capability() != (9, 0), reason="no GPU of compute capability 9.0"),
]

Array = NDArray[Any]

ONE = ("2x13x11x16xf16", "24x3x3x16xf16", "2x13x11x24xf16")
PADDED = "1, 1, 1, 1"

EXACT = {
    "f16": convolution(*ONE, padding=PADDED),
    "bias": convolution(*ONE, "bias", padding=PADDED),
    "relu": convolution(*ONE, "relu", padding=PADDED),
    "bias, then relu": convolution(*ONE, "bias", "relu", padding=PADDED),
    "relu, then bias": convolution(*ONE, "relu", "bias", padding=PADDED),
    "residual, then relu": convolution(*ONE, "residual", "relu", padding=PADDED),
    "two numbers": convolution(*ONE, "bias", "relu6", padding=PADDED),
    "bf16": convolution(*(x.replace("f", "bf") for x in ONE), "bias", "relu", padding=PADDED),
    "one tap": convolution("1x7x7x64xf16", "32x1x1x64xf16", "1x7x7x32xf16", "bias"),
    "strides": convolution(
        "1x15x13x8xf16", "16x3x3x8xf16", "1x7x5x16xf16", "bias", "relu", strides="2, 3",
        padding="0, 1, 1, 1",
    ),
    "dilations": convolution(
        "1x15x13x8xf16", "16x3x3x8xf16", "1x11x7x16xf16", "bias", dilations="2, 3"
    ),
    "groups": convolution("1x9x9x32xf16", "64x3x3x8xf16", "1x9x9x64xf16", groups=4, padding=PADDED),
    "three axes": convolution(
        "1x5x6x7x16xf16", "24x3x3x3x16xf16", "1x5x6x7x24xf16", "relu", strides="1, 1, 1",
        padding="1, 1, 1, 1, 1, 1", dilations="1, 1, 1",
    ),
}  # fmt: skip
"""Sums of small integers, which are exact in any order: each result is rounded once."""

ROUNDED = {
    "swish": convolution(*ONE, "bias", "swish", padding=PADDED),
    "sigmoid": convolution(*ONE, "sigmoid", padding=PADDED),
    "tanh": convolution(*ONE, "bias", "tanh", padding=PADDED),
    "gelu": convolution(*ONE, "bias", "gelu", padding=PADDED),
}

ATTENTION = {
    "short": ("1x2x16x64", "1x2x16x64", "1x2x16x64", "1x2x16x64", False),
    "odd": ("2x3x197x64", "2x3x197x64", "2x3x197x64", "2x3x197x64", False),
    "turned": ("2x3x129x64", "2x3x129x64", "2x3x129x64", "2x3x129x64", True),
    "longer keys": ("1x4x65x128", "1x4x300x128", "1x4x300x128", "1x4x65x128", False),
    "short values": ("1x4x64x64", "1x4x128x64", "1x4x128x32", "1x4x64x32", True),
}


def load(folder: Path, text: str) -> Model:
    """Compile a model of groups and load it; a test is skipped where cuDNN is not found."""
    source, path = folder / "model.mlir", folder / "model.so"
    source.write_text(text)
    compile_to(path, source, Options("sm_90a", weights_from={}, verify=False))
    model = dlc.load(path)
    model.workspace_bytes  # noqa: B018  (makes the model)
    found = model.report["libraries"]["cudnn"]
    if not found["used"]:
        pytest.skip(f"cuDNN is not found: {found['state']}")
    assert "generated ones run" not in found["state"], found["state"]
    return model


def feeds_of(model: Model, seed: int, largest: int) -> dict[str, Array]:
    """Return random integers up to ``largest``, random numbers where that is 0."""
    numbers = np.random.default_rng(seed)
    found: dict[str, Array] = {}
    for info in model.inputs:
        drawn = numbers.integers(-largest, largest + 1, info.shape)
        found[info.name] = (drawn if largest else numbers.standard_normal(info.shape)).astype(
            info.dtype
        )
    return found


def exact(text: str, feeds: dict[str, Array]) -> Array:
    """Return what the only result of a model is in ``f64``, rounded once; feeds are in order."""
    module = parse_module(text, new_context())
    names = input_names(find_main(module))
    named = dict(zip(names, feeds.values(), strict=True))
    (result,) = run_reference(module, named, WeightStore()).values()
    return result


@pytest.mark.parametrize("text", EXACT.values(), ids=EXACT)
def test_a_convolution_is_exact(text: str, tmp_path: Path) -> None:
    model = load(tmp_path, text)
    for seed in range(3):
        feeds = feeds_of(model, seed, 3)
        np.testing.assert_array_equal(model(*feeds.values())[0], exact(text, feeds))


@pytest.mark.parametrize("text", ROUNDED.values(), ids=ROUNDED)
def test_what_follows_is_right(text: str, tmp_path: Path) -> None:
    """Of one, functions are right within two roundings to 11 digits."""
    model = load(tmp_path, text)
    feeds = feeds_of(model, 0, 1)
    found, wanted = model(*feeds.values())[0], exact(text, feeds)
    np.testing.assert_allclose(found, wanted, rtol=2.0**-10, atol=2.0**-10)


@pytest.mark.parametrize("case", ATTENTION.values(), ids=ATTENTION)
def test_attention_is_right(case: tuple[str, str, str, str, bool], tmp_path: Path) -> None:
    """Weights are rounded to 11 digits before the second product, and sum up to one."""
    *types, turned = case
    graph = attention(*(f"{each}xf16" for each in types), scale=0.125, turned=turned)
    source = tmp_path / "graph.mlir"
    source.write_text(graph)
    text = emit(source, Options("sm_90a", weights_from={}), "fused-group")
    head, schedule = "#loop.schedule<", '#loop.schedule<library = "cudnn", '
    assert text.count(head) == 1
    model = load(tmp_path, text.replace(head, schedule))
    feeds = feeds_of(model, 0, 0)
    found, wanted = model(*feeds.values())[0], exact(graph, feeds)
    largest = np.abs(feeds[model.inputs[2].name]).max()
    assert np.abs(found.astype(np.float64) - wanted).max() <= largest * 2.0**-9


@pytest.mark.parametrize("algorithm", range(3))
def test_another_algorithm_is_right(algorithm: int, tmp_path: Path) -> None:
    text = EXACT["bias, then relu"]
    named = text.replace('library = "cudnn"', f'library = "cudnn", algorithm = {algorithm}')
    model = load(tmp_path, named)
    feeds = feeds_of(model, 0, 3)
    np.testing.assert_array_equal(model(*feeds.values())[0], exact(text, feeds))


def test_buffers_may_move_from_run_to_run(tmp_path: Path) -> None:
    """In the graph, whose nodes get new addresses, and by steps, on the stream itself."""
    text = EXACT["residual, then relu"]
    model = load(tmp_path, text)
    driver = Driver()
    with driver.context(0), driver.stream() as stream:
        for seed in range(4):
            feeds = feeds_of(model, seed, 3)
            with DeviceFeeds.of(driver, model, feeds) as device:
                if seed % 2:
                    steps = model.step_runner(device.inputs, device.outputs, stream)
                    steps(0, len(model.steps()))
                else:
                    model.enqueue(device.inputs, device.outputs, stream)
                np.testing.assert_array_equal(device.results()[0], exact(text, feeds))
