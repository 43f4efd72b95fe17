"""Artifacts whose kernels call cuDNN itself, beside the reference in ``f64``."""

from pathlib import Path

import numpy as np
import pytest
from called_on_gpu import loaded
from dnn_cases import ATTENTION, EXACT, NORMALIZATION, ROUNDED, Case, exact, feeds_of, grouped
from dnn_models import attention

from dlc.compiler.targets import device_capability
from dlc.runtime.device_feeds import DeviceFeeds
from dlc.runtime.gpu_driver import Driver

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(device_capability() != (9, 0), reason="no GPU of compute capability 9.0"),
]


@pytest.mark.parametrize("text", EXACT.values(), ids=EXACT)
def test_a_convolution_is_exact(text: str, tmp_path: Path) -> None:
    model = loaded("cudnn", tmp_path, text)
    for seed in range(3):
        feeds = feeds_of(model.inputs, seed, 3)
        np.testing.assert_array_equal(model(*feeds.values())[0], exact(text, feeds))


@pytest.mark.parametrize("text", ROUNDED.values(), ids=ROUNDED)
def test_what_follows_is_right(text: str, tmp_path: Path) -> None:
    """Of one, functions are right within two roundings to 11 digits."""
    model = loaded("cudnn", tmp_path, text)
    feeds = feeds_of(model.inputs, 0, 1)
    found, wanted = model(*feeds.values())[0], exact(text, feeds)
    np.testing.assert_allclose(found, wanted, rtol=2.0**-10, atol=2.0**-10)


@pytest.mark.parametrize("case", ATTENTION.values(), ids=ATTENTION)
def test_attention_is_right(case: Case, tmp_path: Path) -> None:
    """Weights are rounded to 11 digits before the second product, and sum up to one."""
    graph = attention(*case, scale=0.125)
    model = loaded("cudnn", tmp_path, grouped(graph, tmp_path))
    feeds = feeds_of(model.inputs, 0, 0)
    found, wanted = model(*feeds.values())[0], exact(graph, feeds)
    largest = np.abs(feeds[model.inputs[2].name]).max()
    assert np.abs(found.astype(np.float64) - wanted).max() <= largest * 2.0**-9


@pytest.mark.parametrize("graph", NORMALIZATION.values(), ids=NORMALIZATION)
def test_a_normalization_is_right(graph: str, tmp_path: Path) -> None:
    """Within a unit of the last digit, and roundings to f32 before the bias is added."""
    model = loaded("cudnn", tmp_path, grouped(graph, tmp_path))
    for seed in range(3):
        feeds = feeds_of(model.inputs, seed, 0)
        found, wanted = model(*feeds.values())[0], exact(graph, feeds).astype(np.float64)
        digits = 8 if found.dtype.name == "bfloat16" else 11
        found = found.astype(np.float64)
        np.testing.assert_allclose(found, wanted, rtol=2.0 ** (1 - digits), atol=2.0**-18)


def test_a_normalization_far_from_zero_is_right(tmp_path: Path) -> None:
    """A variance that is not the difference of two large sums."""
    graph = NORMALIZATION["layer norm"]
    model = loaded("cudnn", tmp_path, grouped(graph, tmp_path))
    feeds = feeds_of(model.inputs, 0, 0)
    name = model.inputs[0].name
    feeds[name] = (feeds[name] + 100).astype(np.float16)
    found, wanted = model(*feeds.values())[0], exact(graph, feeds)
    np.testing.assert_allclose(found, wanted, rtol=2.0**-9, atol=2.0**-9)


@pytest.mark.parametrize("algorithm", range(3))
def test_another_algorithm_is_right(algorithm: int, tmp_path: Path) -> None:
    text = EXACT["bias, then relu"]
    named = text.replace('library = "cudnn"', f'library = "cudnn", algorithm = {algorithm}')
    model = loaded("cudnn", tmp_path, named)
    feeds = feeds_of(model.inputs, 0, 3)
    np.testing.assert_array_equal(model(*feeds.values())[0], exact(text, feeds))


def test_buffers_may_move_from_run_to_run(tmp_path: Path) -> None:
    """In the graph, whose nodes get new addresses, and by steps, on the stream itself."""
    text = EXACT["residual, then relu"]
    model = loaded("cudnn", tmp_path, text)
    driver = Driver()
    with driver.context(0), driver.stream() as stream:
        for seed in range(4):
            feeds = feeds_of(model.inputs, seed, 3)
            with DeviceFeeds.of(driver, model, feeds) as device:
                if seed % 2:
                    steps = model.step_runner(device.inputs, device.outputs, stream)
                    steps(0, len(model.steps()))
                else:
                    model.enqueue(device.inputs, device.outputs, stream)
                np.testing.assert_array_equal(device.results()[0], exact(text, feeds))
