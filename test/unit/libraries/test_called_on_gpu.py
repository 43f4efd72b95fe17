"""Artifacts for a GPU whose kernels call a library, in the emulator: who computes, and when."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from called_on_gpu import CALLED, Compiled, group, integers, product, wanted
from numpy.typing import NDArray
from run_by_steps import run_by_steps
from small_cublaslt import ALGORITHMS, FACTOR, REFUSED_ROWS, build_cublaslt

from dlc.compiler import targets
from dlc.emulator.model import EmulationError
from dlc.verification.called import States, computing, refusing

SIZES = ("37x29xf32", "29x53xf32", "37x53xf32")

CASES = {
    "f32": (*SIZES, "", ""),
    "f16": ("37x24xf16", "24x56xf16", "37x56xf16", "", ""),
    "bf16": ("37x24xbf16", "24x56xbf16", "37x56xbf16", "", ""),
    "f64": ("19x23xf64", "23x7xf64", "19x7xf64", "", ""),
    "i8": ("36x32xi8", "44x32xi8", "36x44xi32", "transpose_rhs", ""),
    "tf32": (*SIZES, "precision tf32", ""),
    "turned": ("37x29xf32", "53x29xf32", "37x53xf32", "transpose_rhs", ""),
    "both turned": ("29x37xf32", "53x29xf32", "37x53xf32", "transpose_lhs transpose_rhs", ""),
    "batch": ("3x7x5xf32", "3x5x11xf32", "3x7x11xf32", "", ""),
    "one factor for a batch": ("3x7x5xf32", "5x11xf32", "3x7x11xf32", "", ""),
    "one row": ("1x31xf32", "31x17xf32", "1x17xf32", "", ""),
    "one column": ("17x31xf32", "31x1xf32", "17x1xf32", "", ""),
    "bias": (*SIZES, "", "bias"),
    "relu": (*SIZES, "", "relu"),
    "bias and relu": (*SIZES, "", "bias relu"),
    "bias of f16": ("37x24xf16", "24x56xf16", "37x56xf16", "", "bias relu"),
    "bias of a batch": ("3x7x5xf32", "3x5x11xf32", "3x7x11xf32", "", "bias"),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_cublaslt(tmp_path_factory.mktemp("library"))


def check(compiled: Compiled, factor: int, **libraries: Path) -> str:
    """Check a run against ``factor`` times the product; return the state of cuBLASLt."""
    model = compiled.emulated(libraries)
    feeds = integers(model)
    (result,) = model.run(feeds).values()
    np.testing.assert_array_equal(result, wanted(compiled.text, factor, *feeds.values()))
    run_by_steps(model)
    assert model.libraries["cublaslt"]["used"] == bool(libraries)
    return str(model.libraries["cublaslt"]["state"])


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_library_computes_where_it_is_found_else_the_kernel(
    case: tuple[str, str, str, str, str], library: Path, tmp_path: Path
) -> None:
    compiled = Compiled(tmp_path, product(*case))
    assert check(compiled, FACTOR, cublaslt=library) == str(library)
    assert check(compiled, 1).endswith("cannot be opened")


def state_of(
    tmp_path: Path, library: Path, keys: str = "", columns: int = 53, refused: bool = False
) -> str:
    """Return the state of a library beside which the kernel computes.

    refused: whether it was found, and all of its calls were refused.
    """
    text = product("37x29xf32", f"29x{columns}xf32", f"37x{columns}xf32", library=keys)
    model = Compiled(tmp_path, text).emulated({"cublaslt": library})
    feeds = integers(model)
    (result,) = model.run(feeds).values()
    np.testing.assert_array_equal(result, wanted(text, 1, *feeds.values()))
    found = model.libraries["cublaslt"]
    assert found["used"] == refused
    assert (found.get("refused"), found.get("kernels")) == ((1, 1) if refused else (None, None))
    assert computing(model.libraries) == []
    return str(found["state"])


@pytest.mark.parametrize("name", ["cublasLtMatmul", "cublasLtMatmulPreferenceCreate"])
def test_a_library_without_a_function_is_not_used(name: str, tmp_path: Path) -> None:
    older = build_cublaslt(tmp_path, without=name)
    assert state_of(tmp_path, older) == f"{older} has no function {name}"


def test_no_handle_is_said(tmp_path: Path) -> None:
    none = build_cublaslt(tmp_path, handle_status=3)
    reason = "for 1 of 1 kernels generated ones run: it gives no handle for this GPU"
    assert state_of(tmp_path, none, refused=True) == f"{none}; {reason}"


def test_no_algorithm_is_said(library: Path, tmp_path: Path) -> None:
    reason = "for 1 of 1 kernels generated ones run: it has no algorithm"
    assert state_of(tmp_path, library, columns=REFUSED_ROWS, refused=True) == f"{library}; {reason}"
    keys = f", algorithm = {ALGORITHMS}"
    assert state_of(tmp_path, library, keys, refused=True) == f"{library}; {reason}"


def test_an_algorithm_of_the_schedule_is_taken(library: Path, tmp_path: Path) -> None:
    compiled = Compiled(tmp_path, product(*SIZES, library=f", algorithm = {ALGORITHMS - 1}"))
    assert check(compiled, FACTOR, cublaslt=library) == str(library)


def test_an_error_of_a_run_is_one_of_the_model(tmp_path: Path) -> None:
    broken = build_cublaslt(tmp_path, enqueue_status=13)
    model = Compiled(tmp_path, product(*SIZES)).emulated({"cublaslt": broken})
    with pytest.raises(EmulationError, match="library cublaslt: an error"):
        model.run(integers(model))


def test_a_graph_that_takes_no_update_is_made_anew(tmp_path: Path) -> None:
    """The emulator runs a model twice, on other buffers."""
    restless = build_cublaslt(tmp_path, restless=True)
    check(Compiled(tmp_path, product(*SIZES)), FACTOR, cublaslt=restless)


def test_what_is_verified_is_said_not_to_be_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where the library would be found."""
    monkeypatch.setattr(targets, "device_capability", lambda: None)
    monkeypatch.setenv("DLC_CUBLASLT", str(build_cublaslt(tmp_path)))
    outcome = Compiled(tmp_path, product(*SIZES), verify=True).outcome
    said = "; calls of cublaslt were not run here, but the kernels beside them"
    assert said in outcome.checked
    assert outcome.report["certificate"]["not_called"] == ["cublaslt"]


def chain(columns: int) -> str:
    """Return a model of a product between two kernels, beside another one with so many columns."""
    wide, thin = "tensor<32x32xf32>", f"tensor<32x{columns}xf32>"
    mapped = 'strategy = "map", target = "gpu", threads = 64, vector = 4'
    matmul = f"graph.matmul %a, %b : ({wide}, {{0}}) -> {{0}}"
    groups = [
        group("e", {"%x": wide}, wide, mapped, f"graph.relu %a : {wide} -> {wide}"),
        group("g", {"%e": wide, "%y": wide}, wide, CALLED, matmul.format(wide)),
        group("h", {"%e": wide, "%w": thin}, thin, CALLED, matmul.format(thin)),
        group("z", {"%g": wide}, wide, mapped, f"graph.neg %a : {wide} -> {wide}"),
    ]
    given = f"%x: {wide}, %y: {wide}, %w: {thin}"
    return (
        f"func.func @main({given}) -> ({wide}, {thin}) {{\n{''.join(groups)}"
        f"  func.return %z, %h : {wide}, {thin}\n}}"
    )


def results(
    compiled: Compiled, libraries: dict[str, Path]
) -> tuple[States, list[NDArray[Any]], list[NDArray[Any]]]:
    """Return what became of cuBLASLt, the outputs, and the products that they come from."""
    model = compiled.emulated(libraries)
    x, y, w = (feeds := integers(model)).values()
    outputs = [*model.run(feeds).values()]
    run_by_steps(model)
    x = np.maximum(x, 0)
    return model.libraries, outputs, [x @ y, x @ w]


@pytest.mark.parametrize(("columns", "factor"), [(16, FACTOR), (REFUSED_ROWS, 1)])
def test_calls_and_kernels_follow_each_other(
    columns: int, factor: int, library: Path, tmp_path: Path
) -> None:
    states, (z, h), (first, second) = results(
        Compiled(tmp_path, chain(columns)), {"cublaslt": library}
    )
    np.testing.assert_array_equal(z, -FACTOR * first)
    np.testing.assert_array_equal(h, factor * second)
    reason = "; for 1 of 2 kernels generated ones run: it has no algorithm"
    assert states["cublaslt"]["state"] == f"{library}{'' if factor == FACTOR else reason}"
    assert computing(states) == ["cublaslt"]
    assert refusing(states) == ({} if factor == FACTOR else {"cublaslt": "1 of 2"})
