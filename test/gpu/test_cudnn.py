"""Artifacts whose kernels call cuDNN itself, beside the reference in ``f64``."""

from pathlib import Path

import numpy as np
import pytest
from called_on_gpu import loaded
from dnn_cases import (
    ATTENTION,
    ELEMENTWISE,
    EXACT,
    FUNCTIONS,
    MEANS,
    MISCOMPUTED,
    NORMALIZATION,
    POOLED,
    ROUNDED,
    WEIGHTED,
    Case,
    exact,
    feeds_of,
    grouped,
    weights_of,
)
from dnn_models import attention

from dlc.compiler.targets import device_capability
from dlc.errors import CompileError
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


@pytest.mark.parametrize("text", WEIGHTED.values(), ids=WEIGHTED)
def test_a_constant_weight_in_another_order_is_exact(text: str, tmp_path: Path) -> None:
    weights = weights_of(text)
    model = loaded("cudnn", tmp_path, text, weights)
    feeds = feeds_of(model.inputs, 0, 3)
    np.testing.assert_array_equal(model(*feeds.values())[0], exact(text, feeds, weights))


F32 = {name: text for name, text in EXACT.items() if name.startswith("f32")}


@pytest.mark.parametrize("text", F32.values(), ids=F32)
def test_products_of_f32_are_of_all_bits(text: str, tmp_path: Path) -> None:
    """Of each algorithm that cuDNN has for them, of the first four. Sums of n products are within n
    roundings of their sum without signs; factors rounded to tf32 would be off by 2 to the -12 each.
    n: 27 taps of 16 channels at most.
    """
    for algorithm in range(4):
        named = text.replace('library = "cudnn"', f'library = "cudnn", algorithm = {algorithm}')
        try:
            model = loaded("cudnn", tmp_path, named)
        except AssertionError as error:
            if algorithm and "it has no algorithm" in str(error):
                break
            raise
        feeds = feeds_of(model.inputs, 0, 0)
        found, wanted = model(*feeds.values())[0], exact(text, feeds)
        scale = np.abs(wanted).max()
        np.testing.assert_allclose(found, wanted, rtol=0, atol=scale * 27 * 16 * 2.0**-24)


@pytest.mark.parametrize("graph", (POOLED | ELEMENTWISE).values(), ids=POOLED | ELEMENTWISE)
def test_poolings_and_functions_of_elements_are_exact(graph: str, tmp_path: Path) -> None:
    model = loaded("cudnn", tmp_path, grouped(graph, tmp_path))
    feeds = feeds_of(model.inputs, 0, 3)
    np.testing.assert_array_equal(model(*feeds.values())[0], exact(graph, feeds))


@pytest.mark.parametrize("graph", MISCOMPUTED.values(), ids=MISCOMPUTED)
def test_what_was_wrong_is_refused(graph: str, tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="library cudnn does not compute this group"):
        loaded("cudnn", tmp_path, grouped(graph, tmp_path))


@pytest.mark.parametrize("graph", (MEANS | FUNCTIONS).values(), ids=MEANS | FUNCTIONS)
def test_what_is_rounded_is_right(graph: str, tmp_path: Path) -> None:
    """Within two roundings to the digits of the type, of numbers of about one; means of f32 are
    sums of 169 elements at most.
    """
    model = loaded("cudnn", tmp_path, grouped(graph, tmp_path))
    feeds = feeds_of(model.inputs, 0, 0)
    found, wanted = model(*feeds.values())[0], exact(graph, feeds).astype(np.float64)
    digits = {"bfloat16": 8, "float16": 11}.get(found.dtype.name, 24)
    error = 2.0 ** (1 - digits) * (169 if digits == 24 else 1)
    np.testing.assert_allclose(found.astype(np.float64), wanted, rtol=error, atol=error)


@pytest.mark.parametrize("name", [*POOLED, *MEANS, "relu", "sum, then relu"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_none_stays_one(name: str, value: float, tmp_path: Path) -> None:
    """A row of an image is it. Means with it are no numbers, or infinite, in any order of a sum."""
    graph = {**POOLED, **MEANS, **ELEMENTWISE}[name]
    model = loaded("cudnn", tmp_path, grouped(graph, tmp_path))
    feeds = feeds_of(model.inputs, 0, 3)
    image = next(iter(feeds.values()))
    image[0, 3] = value
    found, wanted = (
        np.asarray(x, np.float64) for x in (model(*feeds.values())[0], exact(graph, feeds))
    )
    is_whole = np.isfinite(wanted)
    np.testing.assert_array_equal(found[~is_whole], wanted[~is_whole])
    np.testing.assert_allclose(found[is_whole], wanted[is_whole], rtol=2.0**-7)


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
