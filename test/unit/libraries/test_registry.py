"""Which libraries there are, and what a user may wish."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import dlc
from dlc import libraries
from dlc.arch.cpus import AVX2
from dlc.arch.nvidia import H200
from dlc.compiler.options import Options
from dlc.core.c_compiler import find_c_compiler
from dlc.errors import CompileError
from dlc.plan import Planner
from dlc.tools.dlc_compile import main

PAGE = Path(__file__).resolve().parents[3] / "docs" / "libraries.md"
MODEL = onnx.parser.parse_model(
    """<ir_version: 9, opset_import: ["" : 18]>
    main (float[7,11] x) => (float[7,11] y) { y = Exp(x) }"""
)


def pieces(language: str) -> list[str]:
    """Return the pieces of a language on the page of libraries."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.S)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install the package of the page into a folder, which has its library, too."""
    (c,), (module,), (project,) = map(pieces, ("c", "python", "toml"))
    (tmp_path / "fastexp_library.py").write_text(module)
    information = tmp_path / "fastexp-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: fastexp\nVersion: 1.0\n")
    points = project.replace('[project.entry-points."dlc.libraries"]', "[dlc.libraries]")
    (information / "entry_points.txt").write_text(points.replace('"', ""))
    (tmp_path / "fastexp.c").write_text(c)
    file = tmp_path / "libfastexp.so"
    flags = ["-O2", "-shared", "-fPIC", "-o", str(file), str(tmp_path / "fastexp.c"), "-lm"]
    subprocess.run([*find_c_compiler().command, *flags], check=True)
    monkeypatch.syspath_prepend(tmp_path)
    libraries.refresh()
    yield file
    sys.modules.pop("fastexp_library", None)
    monkeypatch.undo()
    libraries.refresh()


def test_the_library_of_the_page_computes(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert libraries.names() == ("cublaslt", "cudnn", "fastexp", "openblas")
    monkeypatch.setenv("DLC_FASTEXP", str(installed))
    model = dlc.compile(MODEL, target="cpu", libraries=["fastexp"])
    assert model.report["libraries"] == {"fastexp": {"used": True, "state": str(installed)}}
    (variant,) = model.report["variants"]
    assert variant["kernels"][0]["schedule"]["library"] == "fastexp"
    x = np.linspace(-3, 3, 77, dtype=np.float32).reshape(7, 11)
    np.testing.assert_allclose(model(x)[0], np.exp(x), rtol=1e-6)


def test_an_entry_point_that_leads_nowhere(installed: Path) -> None:
    (installed.parent / "fastexp_library.py").write_text("LIBRARY = 5")
    with pytest.raises(CompileError, match=r"entry point fastexp .* should lead to a Library"):
        libraries.by_name("fastexp")
    libraries.refresh()
    sys.modules.pop("fastexp_library", None)
    (installed.parent / "fastexp_library.py").write_text("import no_such_module")
    with pytest.raises(CompileError, match="library 'fastexp' cannot be loaded: No module named"):
        libraries.by_name("fastexp")


def test_an_unknown_name_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reason = "there is no library 'mkl'; there are: cublaslt, cudnn, openblas"
    with pytest.raises(CompileError, match=reason):
        Options(libraries=("mkl",)).check()
    path = tmp_path / "m.onnx"
    onnx.save(MODEL, path)
    assert main([str(path), "--target", "cpu", "--libraries", "openblas,mkl"]) == 1
    assert capsys.readouterr().err.endswith(f"{reason}\n")


@pytest.mark.parametrize("more", [[], ["--emit", "gpu"]], ids=["artifact", "level"])
def test_a_library_for_another_chip_is_one_line(
    more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(MODEL, path)
    for target, library, kind in (("sm_90a", "openblas", "CPU"), ("cpu", "cublaslt", "GPU")):
        assert main([str(path), "--target", target, "--libraries", library, *more]) == 1
        reason = f"library {library} is for a {kind}, not for the target {target}"
        assert capsys.readouterr().err.splitlines()[-1] == f"dlc-compile: error: {reason}"


def test_none_is_the_default(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(MODEL, path)
    to = tmp_path / "m.so"
    wishes = ["--target", "cpu", "--libraries", "none", "--no-verify"]
    assert main([str(path), "-o", str(to), *wishes]) == 0
    assert "libraries" not in dlc.load(to).report


def test_wrong_wishes_are_one_line() -> None:
    with pytest.raises(CompileError, match="libraries is 'openblas'; give a list of names"):
        Options(libraries="openblas").check()
    with pytest.raises(CompileError, match="library openblas is for a CPU, not for h200"):
        Planner(H200, libraries=("openblas",))
    with pytest.raises(CompileError, match="library cublaslt is for a GPU, not for cpu-avx2"):
        Planner(AVX2, libraries=("cublaslt",))
