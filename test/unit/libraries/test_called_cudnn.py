"""Artifacts whose kernels call a small library in the place of cuDNN, in the emulator."""

from pathlib import Path

import numpy as np
import pytest
from called_on_gpu import Compiled, group
from dnn_cases import (
    ATTENTION,
    ELEMENTWISE,
    EXACT,
    FUNCTIONS,
    MEANS,
    MISCOMPUTED,
    NORMALIZATION,
    ONE,
    PADDED,
    POOLED,
    ROUNDED,
    WEIGHTED,
    Array,
    Case,
    exact,
    feeds_of,
    grouped,
    weights_of,
)
from dnn_models import KEYS, attention, convolution
from run_by_steps import run_by_steps
from small_cudnn import FACTORS, FULL_FACTORS, REFUSED_ROWS, build_cudnn

from dlc.emulator.model import EmulationError
from dlc.errors import CompileError

PLAIN = EXACT["bias, then relu"]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_cudnn(tmp_path_factory.mktemp("library"))


def run(compiled: Compiled, largest: int, **libraries: Path) -> tuple[Array, list[Array], str]:
    """Run a model, which does so twice on other buffers, and by steps. Return the result, the
    inputs in order, and what became of cuDNN.
    """
    model = compiled.emulated(libraries)
    feeds = feeds_of(model.inputs, 0, largest)
    (result,) = model.run(feeds).values()
    run_by_steps(model)
    found = model.libraries["cudnn"]
    assert found["used"] == bool(libraries)
    return result, [*feeds.values()], str(found["state"])


def wanted(text: str, inputs: list[Array], factor: int, scaled: int = 1) -> Array:
    """Return what is right where the product with an input is taken that often."""
    given = {str(n): x * x.dtype.type(factor if n == scaled else 1) for n, x in enumerate(inputs)}
    return exact(text, given)


@pytest.mark.parametrize("text", EXACT.values(), ids=EXACT)
def test_a_convolution_is_computed_where_the_library_is_found_else_by_the_kernel(
    text: str, library: Path, tmp_path: Path
) -> None:
    compiled = Compiled(tmp_path, text)
    result, inputs, state = run(compiled, 3, cudnn=library)
    factors = FULL_FACTORS if result.dtype == np.float32 else FACTORS
    np.testing.assert_array_equal(result, wanted(text, inputs, factors[0]))
    assert state == str(library)
    result, inputs, state = run(compiled, 3)
    np.testing.assert_array_equal(result, wanted(text, inputs, 1))
    assert state.endswith("cannot be opened")


@pytest.mark.parametrize("text", WEIGHTED.values(), ids=WEIGHTED)
def test_a_constant_weight_has_an_order_for_the_call_and_one_for_the_kernel(
    text: str, library: Path, tmp_path: Path
) -> None:
    weights = weights_of(text)
    compiled = Compiled(tmp_path, text, weights=weights)
    result, inputs, state = run(compiled, 3, cudnn=library)
    factor = FULL_FACTORS[0] if result.dtype == np.float32 else FACTORS[0]
    feeds = {str(n): x for n, x in enumerate(inputs)}
    larger = {"w": weights["w"] * weights["w"].dtype.type(factor)}
    np.testing.assert_array_equal(result, exact(text, feeds, larger))
    assert state == str(library)
    result, inputs, _ = run(compiled, 3)
    np.testing.assert_array_equal(result, exact(text, feeds, weights))


@pytest.mark.parametrize("graph", (POOLED | ELEMENTWISE).values(), ids=POOLED | ELEMENTWISE)
def test_poolings_and_functions_of_elements(graph: str, library: Path, tmp_path: Path) -> None:
    compiled = Compiled(tmp_path, grouped(graph, tmp_path))
    result, inputs, state = run(compiled, 3, cudnn=library)
    np.testing.assert_array_equal(result, wanted(graph, inputs, FACTORS[0], 0))
    assert state == str(library)


@pytest.mark.parametrize("graph", MISCOMPUTED.values(), ids=MISCOMPUTED)
def test_what_cudnn_computes_wrongly_is_not_compiled(graph: str, tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=r"library cudnn does not compute this group of .*_pool"):
        Compiled(tmp_path, grouped(graph, tmp_path))


@pytest.mark.parametrize("graph", (MEANS | FUNCTIONS).values(), ids=MEANS | FUNCTIONS)
def test_what_is_rounded(graph: str, library: Path, tmp_path: Path) -> None:
    result, inputs, state = run(Compiled(tmp_path, grouped(graph, tmp_path)), 1, cudnn=library)
    right = wanted(graph, inputs, FACTORS[0], 0).astype(np.float64)
    digits = {"bfloat16": 8, "float16": 11}.get(result.dtype.name, 22)
    error = 2.0 ** (1 - digits)
    np.testing.assert_allclose(result.astype(np.float64), right, rtol=error, atol=error)
    assert state == str(library)


def test_a_largest_element_that_is_no_number(library: Path, tmp_path: Path) -> None:
    """The stand-in stops where it is not asked to keep it."""
    graph = POOLED["largest"]
    model = Compiled(tmp_path, grouped(graph, tmp_path)).emulated({"cudnn": library})
    feeds = feeds_of(model.inputs, 0, 3)
    (image,) = feeds.values()
    image[0, 5, 5, :] = np.nan
    (result,) = model.run(feeds).values()
    right = wanted(graph, [image], FACTORS[0], 0)
    assert 0 < np.isnan(right).sum() < right.size
    np.testing.assert_array_equal(result, right)


@pytest.mark.parametrize("text", ROUNDED.values(), ids=ROUNDED)
def test_what_follows_a_convolution(text: str, library: Path, tmp_path: Path) -> None:
    result, inputs, _ = run(Compiled(tmp_path, text), 1, cudnn=library)
    factors = FULL_FACTORS if result.dtype == np.float32 else FACTORS
    right = wanted(text, inputs, factors[0])
    np.testing.assert_allclose(result, right, rtol=2.0**-10, atol=2.0**-10)


@pytest.mark.parametrize("case", ATTENTION.values(), ids=ATTENTION)
def test_attention(case: Case, library: Path, tmp_path: Path) -> None:
    graph = attention(*case, scale=0.125)
    compiled = Compiled(tmp_path, grouped(graph, tmp_path))
    result, inputs, state = run(compiled, 0, cudnn=library)
    right = wanted(graph, inputs, FACTORS[0], 2)
    np.testing.assert_allclose(result, right, rtol=2.0**-10, atol=2.0**-10)
    assert state == str(library)


@pytest.mark.parametrize("graph", NORMALIZATION.values(), ids=NORMALIZATION)
def test_a_normalization(graph: str, library: Path, tmp_path: Path) -> None:
    result, inputs, state = run(Compiled(tmp_path, grouped(graph, tmp_path)), 0, cudnn=library)
    right = wanted(graph, inputs, FACTORS[0]).astype(np.float64)
    digits = 8 if result.dtype.name == "bfloat16" else 11
    np.testing.assert_allclose(result.astype(np.float64), right, rtol=2.0**-digits, atol=2.0**-20)
    assert state == str(library)


def state_of(folder: Path, library: Path, text: str = PLAIN) -> str:
    """Return what became of a library beside which the kernel computes."""
    result, inputs, state = run(Compiled(folder, text), 3, cudnn=library)
    np.testing.assert_array_equal(result, wanted(text, inputs, 1))
    return state


@pytest.mark.parametrize("name", ["cudnnBackendExecute", "cudnnGetErrorString"])
def test_a_library_without_a_function_is_not_used(name: str, tmp_path: Path) -> None:
    older = build_cudnn(tmp_path, without=name)
    model = Compiled(tmp_path, PLAIN).emulated({"cudnn": older})
    feeds = feeds_of(model.inputs, 0, 3)
    (result,) = model.run(feeds).values()
    np.testing.assert_array_equal(result, exact(PLAIN, feeds))
    found = model.libraries["cudnn"]
    assert found == {"used": False, "state": f"{older} has no function {name}"}


INSTEAD = "for 1 of 1 kernels generated ones run: "


def test_no_handle_is_said(tmp_path: Path) -> None:
    none = build_cudnn(tmp_path, handle_status=1)
    assert state_of(tmp_path, none) == f"{none}; {INSTEAD}it gives no handle for this GPU"


def test_what_the_library_refuses_is_said(library: Path, tmp_path: Path) -> None:
    z = f"2x{REFUSED_ROWS}x11x24xf16"
    text = convolution(f"2x{REFUSED_ROWS}x11x16xf16", ONE[1], z, padding=PADDED)
    assert state_of(tmp_path, library, text) == f"{library}; {INSTEAD}not supported"


def named(algorithm: int) -> str:
    """Return the model with an algorithm."""
    return PLAIN.replace('library = "cudnn"', f'library = "cudnn", algorithm = {algorithm}')


@pytest.mark.parametrize("algorithm", range(len(FACTORS)))
def test_algorithms_are_those_that_keep_our_rules(
    algorithm: int, library: Path, tmp_path: Path
) -> None:
    result, inputs, state = run(Compiled(tmp_path, named(algorithm)), 3, cudnn=library)
    np.testing.assert_array_equal(result, wanted(PLAIN, inputs, FACTORS[algorithm]))
    assert state == str(library)


@pytest.mark.parametrize("algorithm", range(len(FULL_FACTORS)))
def test_algorithms_of_full_products_are_those_without_tensor_cores(
    algorithm: int, library: Path, tmp_path: Path
) -> None:
    plain = EXACT["f32"]
    text = plain.replace('library = "cudnn"', f'library = "cudnn", algorithm = {algorithm}')
    result, inputs, state = run(Compiled(tmp_path, text), 3, cudnn=library)
    np.testing.assert_array_equal(result, wanted(plain, inputs, FULL_FACTORS[algorithm]))
    assert state == str(library)


def test_products_rounded_to_tf32_are_those_of_tensor_cores(library: Path, tmp_path: Path) -> None:
    """Small integers are the same after rounding."""
    types = (x.replace("f16", "f32") for x in ONE)
    graph = convolution(*types, "relu", padding=PADDED, layout="ohwi precision tf32")
    result, inputs, state = run(Compiled(tmp_path, graph), 3, cudnn=library)
    np.testing.assert_array_equal(result, wanted(graph, inputs, FACTORS[0]))
    assert state == str(library)


def test_no_full_algorithm_is_said(library: Path, tmp_path: Path) -> None:
    keys = f'library = "cudnn", algorithm = {len(FULL_FACTORS)}'
    text = EXACT["f32"].replace('library = "cudnn"', keys)
    assert state_of(tmp_path, library, text) == f"{library}; {INSTEAD}it has no algorithm"


def test_no_algorithm_is_said(library: Path, tmp_path: Path) -> None:
    text = named(len(FACTORS))
    assert state_of(tmp_path, library, text) == f"{library}; {INSTEAD}it has no algorithm"


def test_configurations_are_no_more_than_it_says(tmp_path: Path) -> None:
    """The third one that keeps our rules is not among the first seven."""
    library = build_cudnn(tmp_path, found=7)
    result, inputs, _ = run(Compiled(tmp_path, named(1)), 3, cudnn=library)
    np.testing.assert_array_equal(result, wanted(PLAIN, inputs, FACTORS[1]))
    reason = f"{library}; {INSTEAD}it has no algorithm"
    assert state_of(tmp_path, library, named(2)) == reason


def test_configurations_are_no_more_than_there_is_room_for(tmp_path: Path) -> None:
    """All of 64 are looked at, and none behind them."""
    library = build_cudnn(tmp_path, found=99)
    result, inputs, _ = run(Compiled(tmp_path, named(2)), 3, cudnn=library)
    np.testing.assert_array_equal(result, wanted(PLAIN, inputs, FACTORS[2]))
    reason = f"{library}; {INSTEAD}it has no algorithm"
    assert state_of(tmp_path, library, named(3)) == reason


def test_an_error_of_a_run_is_one_of_the_model(tmp_path: Path) -> None:
    broken = build_cudnn(tmp_path, enqueue_status=5)
    model = Compiled(tmp_path, PLAIN).emulated({"cudnn": broken})
    with pytest.raises(EmulationError, match="library cudnn: an error"):
        model.run(feeds_of(model.inputs, 0, 3))


def test_a_view_within_a_group_is_said_to_be_in_the_way(tmp_path: Path) -> None:
    vector, rows = "tensor<24xf16>", "tensor<4x6xf16>"
    view = f"%r = graph.reshape %c {{sizes = array<i64: 24>}} : {rows} -> {vector}\n    %1 = "
    given = EXACT["bias"].replace(vector, rows).replace("%1 = ", view)
    text = given.replace("graph.add %0, %c", "graph.add %0, %r")
    *before, add = text.split("graph.add")
    text = "graph.add".join((*before, add.replace(rows, vector, 1)))
    with pytest.raises(CompileError, match="take the view of one out of it"):
        Compiled(tmp_path, text)


def two_calls() -> str:
    """Return a model of two convolutions, the first of which the library refuses."""
    types = [f"tensor<1x{n}x{n}x8xf16>" for n in (REFUSED_ROWS + 2, REFUSED_ROWS, REFUSED_ROWS - 2)]
    x, y, z = types
    w = "tensor<8x3x3x8xf16>"
    op = (
        "graph.conv %a, %b strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] "
        f"layout channels_last weight_layout ohwi : ({{}}, {w}) -> {{}}"
    )
    first = group("g", {"%x": x, "%w": w}, y, KEYS, op.format(x, y))
    second = group("h", {"%g": y, "%v": w}, z, KEYS, op.format(y, z))
    given = f"%x: {x}, %w: {w}, %v: {w}"
    return f"func.func @main({given}) -> {z} {{\n{first}{second}  func.return %h : {z}\n}}"


def test_a_call_follows_a_kernel_that_runs_in_the_place_of_another_call(
    library: Path, tmp_path: Path
) -> None:
    """Sums of 72 products of at most 1 are exact, those of 72 of these within a rounding."""
    text = two_calls()
    result, inputs, state = run(Compiled(tmp_path, text), 1, cudnn=library)
    np.testing.assert_array_equal(result, wanted(text, inputs, FACTORS[0], 2))
    assert state == f"{library}; {INSTEAD.replace('of 1', 'of 2')}not supported"
