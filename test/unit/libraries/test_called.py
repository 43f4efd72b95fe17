"""Artifacts whose kernels call a library: where it is found, and where it is not."""

import ctypes
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from small_blas import FACTOR, build_blas

import dlc
from dlc.backends import _c_call, c
from dlc.compiler import Options, compile_to
from dlc.compiler.outcome import Outcome
from dlc.errors import CompileError
from dlc.libraries.openblas import LIBRARY
from dlc.runtime.called_library import file_of_wheel
from dlc.runtime.model import Model
from dlc.verification.guarded_model import GuardedModel
from dlc.verification.probe import Probed

SHARED = 'library = "openblas"'


def text(lhs: str, rhs: str, result: str, element: str = "f32", turned: str = "") -> str:
    """Return a model of one product whose group calls OpenBLAS."""
    x, y, z = (f"tensor<{sizes}x{element}>" for sizes in (lhs, rhs, result))
    lanes = 8 if element == "f32" else 4
    schedule = f'strategy = "contract", target = "cpu", tile = [4, {lanes}], lanes = {lanes}'
    return f"""func.func @main(%x: {x}, %y: {y}) -> {z} {{
  %0 = fused_group.group @g0(%x, %y) : ({x}, {y}) -> {z} attributes {{
      schedule = #loop.schedule<{schedule}, cores = true, {SHARED}>}} {{
  ^bb0(%a: {x}, %b: {y}):
    %1 = graph.matmul %a, %b {turned} : ({x}, {y}) -> {z}
    fused_group.yield %1 : {z}
  }}
  func.return %0 : {z}
}}"""


def compiled(folder: Path, model: str) -> Path:
    """Write the artifact of a model; return its path."""
    source, to = folder / "model.mlir", folder / "model.so"
    source.write_text(model)
    dlc.compile(source, target="cpu", verify=False).save(to)
    return to


def inputs(model: Model) -> list[NDArray[np.float64]]:
    """Return inputs of small integers, whose products are exact."""
    numbers = np.random.default_rng(0)
    return [numbers.integers(-4, 5, x.shape).astype(x.dtype) for x in model.inputs]


@pytest.fixture(scope="module")
def blas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_blas(tmp_path_factory.mktemp("blas"))


@pytest.fixture(scope="module")
def right_blas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library whose products are right."""
    return build_blas(tmp_path_factory.mktemp("right"), factor=1)


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("artifact"), text("37x29", "29x53", "37x53"))


CASES = {
    "one row": ("1x31", "31x17", "1x17", "f32", ""),
    "one column": ("17x31", "31x1", "17x1", "f32", ""),
    "one term": ("13x1", "1x11", "13x11", "f32", ""),
    "primes": ("37x29", "29x53", "37x53", "f32", ""),
    "more rows": ("53x29", "29x37", "53x37", "f32", ""),
    "turned": ("37x29", "53x29", "37x53", "f32", "transpose_rhs"),
    "batch": ("3x7x5", "3x5x11", "3x7x11", "f32", ""),
    "double": ("19x23", "23x7", "19x7", "f64", ""),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_library_computes_where_it_is_found(
    case: tuple[str, str, str, str, str],
    threads: int,
    blas: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DLC_OPENBLAS", str(blas))
    model = dlc.load(compiled(tmp_path, text(*case)), threads=threads)
    assert model.report["libraries"] == {"openblas": {"used": True, "state": str(blas)}}
    x, y = inputs(model)
    wanted = x @ (y.swapaxes(-1, -2) if case[4] else y)
    np.testing.assert_array_equal(model(x, y)[0], FACTOR * wanted)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_generated_kernel_computes_where_it_is_not(
    case: tuple[str, str, str, str, str],
    threads: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DLC_OPENBLAS", "/nowhere/libblas.so")
    model = dlc.load(compiled(tmp_path, text(*case)), threads=threads)
    line = (
        "library openblas is not used, generated kernels run: /nowhere/libblas.so cannot be opened"
    )
    assert line in model.explain().splitlines()
    assert line in model.explain("html")
    x, y = inputs(model)
    wanted = x @ (y.swapaxes(-1, -2) if case[4] else y)
    np.testing.assert_array_equal(model(x, y)[0], wanted)


def test_a_library_without_a_function_is_not_used(
    artifact: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = build_blas(tmp_path, "s")
    monkeypatch.setenv("DLC_OPENBLAS", str(older))
    model = dlc.load(artifact)
    state = f"{older} has no function cblas_dgemm"
    assert model.report["libraries"] == {"openblas": {"used": False, "state": state}}
    x, y = inputs(model)
    np.testing.assert_array_equal(model(x, y)[0], x @ y)


def test_what_others_set_in_the_library_stays(
    artifact: Path, blas: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_OPENBLAS", str(blas))
    own = ctypes.CDLL(str(blas))
    own.openblas_set_num_threads(3)
    model = dlc.load(artifact)
    x, y = inputs(model)
    np.testing.assert_array_equal(model(x, y)[0], FACTOR * (x @ y))
    own.openblas_set_num_threads(5)  # the copy of the model goes on with one
    np.testing.assert_array_equal(model(x, y)[0], FACTOR * (x @ y))
    assert own.openblas_get_num_threads() == 5


def test_a_model_that_is_made_later_looks_again(
    artifact: Path, blas: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_OPENBLAS", "/nowhere")
    assert not dlc.load(artifact).report["libraries"]["openblas"]["used"]
    monkeypatch.setenv("DLC_OPENBLAS", str(blas))
    models = [dlc.load(artifact), dlc.load(artifact)]
    assert all(model.report["libraries"]["openblas"]["used"] for model in models)
    x, y = inputs(models[0])
    del models[1]  # the library stays open for the other one
    np.testing.assert_array_equal(models[0](x, y)[0], FACTOR * (x @ y))


@pytest.mark.parametrize("before", [False, True], ids=["before a run", "after a run"])
def test_a_forked_child_uses_the_library(
    before: bool, artifact: Path, blas: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_OPENBLAS", str(blas))
    model = dlc.load(artifact, threads=2)
    x, y = inputs(model)
    if before:
        model(x, y)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(model(x, y)[0], FACTOR * (x @ y)) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    np.testing.assert_array_equal(model(x, y)[0], FACTOR * (x @ y))


def test_a_wheel_is_found_without_an_import(
    artifact: Path, blas: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "scipy_openblas32"
    (package / "lib").mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('it was imported')")
    (package / "lib" / "libscipy_openblas.so").write_bytes(blas.read_bytes())
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("DLC_OPENBLAS", raising=False)
    found = dlc.load(artifact).report["libraries"]["openblas"]
    assert found == {"used": True, "state": str(package / "lib" / "libscipy_openblas.so")}


def test_a_wheel_that_is_not_there() -> None:
    assert file_of_wheel("no_such_package/lib/x.so") is None
    assert file_of_wheel("numpy/no/such/file.so") is None
    assert file_of_wheel("") is None


REAL = os.environ.get("DLC_OPENBLAS") or file_of_wheel(LIBRARY.place.wheel)
NEEDS_OPENBLAS = pytest.mark.skipif(
    REAL is None, reason="needs OpenBLAS: pip install scipy-openblas32"
)


@NEEDS_OPENBLAS
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_openblas_itself_agrees_with_numpy(
    case: tuple[str, str, str, str, str],
    threads: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DLC_OPENBLAS", str(REAL))
    model = dlc.load(compiled(tmp_path, text(*case)), threads=threads)
    assert model.report["libraries"]["openblas"]["used"]
    x, y = inputs(model)
    wanted = x @ (y.swapaxes(-1, -2) if case[4] else y)
    np.testing.assert_array_equal(model(x, y)[0], wanted)


def verified(folder: Path) -> Outcome:
    """Compile and check an artifact that calls OpenBLAS."""
    source = folder / "model.mlir"
    source.write_text(text("37x29", "29x53", "37x53"))
    return compile_to(folder / "model.so", source, Options(target="cpu"))


def test_a_compile_says_that_no_call_was_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_CACHE_GB", "0")
    monkeypatch.setenv("DLC_OPENBLAS", "/nowhere/libblas.so")
    found = verified(tmp_path)
    assert "calls of openblas were not run here, but the kernels beside them" in found.checked
    assert found.launches_text() == "1 launch of 1 kernel (1 may call openblas)"


def test_a_compile_checks_the_calls_that_it_finds(
    blas: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_CACHE_GB", "0")
    monkeypatch.setenv("DLC_OPENBLAS", str(blas))  # its products are twice what they should be
    with pytest.raises(CompileError, match=r"bound .*, where library openblas computes it"):
        verified(tmp_path)


def test_a_compile_checks_the_kernels_beside_calls_too(
    right_blas: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_CACHE_GB", "0")
    monkeypatch.setenv("DLC_OPENBLAS", str(right_blas))
    assert "not run here" not in verified(tmp_path).checked
    lines = _c_call.call_lines

    def without_kernel(*arguments: Any) -> Iterator[str]:
        yield from (line for line in lines(*arguments) if "_generated(operands)" not in line)

    monkeypatch.setattr(c, "call_lines", without_kernel)
    with pytest.raises(CompileError, match="verification failed"):
        verified(tmp_path)


@pytest.mark.parametrize("is_found", [False, True])
def test_generated_kernels_of_an_artifact_are_compared_with_its_probe(
    is_found: bool, right_blas: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where its library is found, too, which is switched off for that."""
    monkeypatch.setenv("DLC_CACHE_GB", "0")
    monkeypatch.setenv("DLC_OPENBLAS", str(right_blas) if is_found else "/nowhere/libblas.so")
    right = Probed.outputs

    def wrong(probed: Probed, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        return {name: np.nextafter(x, np.inf) for name, x in right(probed, names).items()}

    monkeypatch.setattr(Probed, "outputs", wrong)
    with pytest.raises(CompileError, match="changes with the places"):
        verified(tmp_path)


@pytest.mark.parametrize(
    ("refused", "line"),
    [
        (2, "calls of openblas were not run here, but the kernels beside them"),
        (1, "openblas computes nothing for 1 of 2 kernels that call it here"),
    ],
)
def test_a_compile_says_that_a_library_refuses_calls(
    refused: int, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_CACHE_GB", "0")
    monkeypatch.setenv("DLC_OPENBLAS", "/nowhere/libblas.so")
    state = {"used": True, "state": "libblas.so", "kernels": 2, "refused": refused}
    monkeypatch.setattr(GuardedModel, "libraries", {"openblas": state})
    found = verified(tmp_path)
    assert line in found.checked
    certificate = found.report["certificate"]
    assert certificate.get("not_called") == (["openblas"] if refused == 2 else None)
    assert certificate.get("refused") == ({"openblas": "1 of 2"} if refused == 1 else None)
