"""Finished artifacts in the cache: used when nothing has changed, and only then."""

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import dlc
from dlc import arch
from dlc.compiler import Options, artifact_cache, compile_to, identity
from dlc.compiler.artifact_cache import Coverage
from dlc.compiler.targets import Target, parse_targets
from dlc.core import nvrtc
from dlc.core.c_compiler import CCompiler
from dlc.core.cache import Cache
from dlc.runtime.artifact import weights_path_of
from dlc.tools import dlc_compile

A100 = arch.gpu_by_name("sm_80")

FAST = Options("cpu", verify=False)
X = np.arange(1024, dtype=np.float32)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("DLC_CACHE_GB")


def write_model(path: Path, factor: float = 2.0, opset: int = 17) -> Path:
    """Write ``y = x * w`` with its weights in the file ``tensors.bin``."""
    shape = ["n", 1024] if opset > 6 else [1, 1024]  # onnx converts no symbolic sizes
    sizes = [helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n in ("x", "y")]
    weight = numpy_helper.from_array(np.full(1024, factor, np.float32), "w")
    node = helper.make_node("Mul", ["x", "w"], ["y"], "product")
    graph = helper.make_graph([node], "one", sizes[:1], sizes[1:], [weight])
    opsets = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=opsets)
    onnx.save(model, path, save_as_external_data=True, location="tensors.bin")
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path / "model.onnx")


def compiled(model: Path, name: str, options: Options = FAST) -> tuple[bytes, bool]:
    """Return the bytes of an artifact, and whether it came from the cache."""
    path = model.parent / name
    outcome = compile_to(path, model, replace(options, shapes={"n": [1]}))
    assert outcome.report == dlc.load(path).report
    return path.read_bytes(), outcome.cached.get("artifact") == (1, 1)


def test_an_artifact_is_the_same_with_the_cache_without_it_and_from_it(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = compiled(model, "a.so"), compiled(model, "b.so")
    assert (first[1], second[1]) == (False, True)
    assert dlc.load(model.parent / "a.so").explain() == dlc.load(model.parent / "b.so").explain()
    monkeypatch.setenv("DLC_CACHE_GB", "0")
    third = compiled(model, "c.so")
    monkeypatch.delenv("DLC_CACHE_GB")
    fourth = compiled(model, "d.so")
    assert (third[1], fourth[1]) == (False, True)
    assert first[0] == second[0] == third[0] == fourth[0]


def test_a_weights_file_comes_along(model: Path) -> None:
    options = replace(FAST, weights="file")
    first, second = compiled(model, "a.so", options), compiled(model, "b.so", options)
    assert second == (first[0], True)
    weights = [weights_path_of(model.parent / name).read_bytes() for name in ("a.so", "b.so")]
    assert weights[0] == weights[1]


def test_other_weights_give_another_artifact(model: Path) -> None:
    compiled(model, "a.so")
    write_model(model, factor=3.0)
    assert not compiled(model, "b.so")[1]
    results = [dlc.load(model.parent / name)(X[None])[0] for name in ("a.so", "b.so")]
    np.testing.assert_array_equal(results, [2 * X[None], 3 * X[None]])


# What is in the identity -------------------------------------------------------------------------


def key(model: Path | onnx.ModelProto, **options: Any) -> str:
    targets = parse_targets(str(options.get("target", "cpu")))
    found = identity.identity(model, Options(**options), targets)
    assert found is not None
    return found.key


def test_the_same_again_has_the_same_key(model: Path, tmp_path: Path) -> None:
    assert key(model) == key(model, jobs=1, verify=False, progress=print)
    (tmp_path / "elsewhere").mkdir()
    assert key(model) == key(write_model(tmp_path / "elsewhere" / "other.onnx"))
    loaded = onnx.load(model)
    assert key(loaded) == key(onnx.load(model))


def test_every_option_changes_the_key(model: Path, tmp_path: Path) -> None:
    for name in ("one.lock", "other.lock"):
        (tmp_path / name).write_text(name)
    options: list[dict[str, object]] = [
        {},
        {"target": "sm_80"},
        {"target": "sm_80,sm_90a"},
        {"target": "sm_90a,sm_80"},
        {"precision": "fp16"},
        {"weights": "file"},
        {"locked": tmp_path / "one.lock"},
        {"locked": tmp_path / "other.lock"},
        {"shapes": {"n": [1]}},
        {"shapes": {"n": [2]}},
        {"constants": {"x": X[None]}},
        {"constants": {"x": X[None] + 1}},
        {"constants": {"x": X[None].astype(np.float16)}},
        {"constants": {"y": X[None]}},
    ]
    assert len({key(model, **chosen) for chosen in options}) == len(options)


@pytest.mark.parametrize("opset", [6, 17])  # that of opset 6 is converted
def test_the_content_of_every_file_changes_the_key(model: Path, opset: int) -> None:
    write_model(model, opset=opset)
    found = {key(model)}
    for path in (model.parent / "tensors.bin", model):
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
        found.add(key(model))
    assert len(found) == 3


def test_a_file_of_tensors_under_another_name_changes_the_key(model: Path) -> None:
    before = key(model)
    (model.parent / "tensors.bin").rename(model.parent / "tensors.dat")
    proto = onnx.load(model, load_external_data=False)
    proto.graph.initializer[0].external_data[0].value = "tensors.dat"
    onnx.save(proto, model)
    assert key(model) != before


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ((identity, "LOADED_SOURCES"), "another compiler"),
        ((identity, "version"), lambda name: "0"),
        ((nvrtc, "version"), lambda: "12.0"),
        ((identity, "find_c_compiler"), lambda: CCompiler(("cc",), "1.0")),
        ((arch, "host"), lambda: replace(arch.CPUS[0], compiler_flags=("-other",))),
        ((arch, "by_name"), lambda _: replace(A100, clock_hz=1.0)),
        ((Target, "runs_here"), "elsewhere"),
    ],
)
def test_every_tool_changes_the_key(
    model: Path, place: tuple[object, str], value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = key(model, target="sm_80")
    monkeypatch.setattr(*place, value)
    assert key(model, target="sm_80") != before


def test_the_digest_of_the_compiler_reads_every_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "passes").mkdir()
    (tmp_path / "dlc").mkdir()
    (tmp_path / "dlc" / "passes").symlink_to("../passes")
    monkeypatch.setattr(dlc, "__file__", str(tmp_path / "dlc" / "__init__.py"))
    found = [identity.source_digest()]
    for name, text in [("fuse.py", "a"), ("fuse.py", "b"), ("c.h", ""), ("fuse.pyc", "b")]:
        (tmp_path / "passes" / name).write_text(text)
        found.append(identity.source_digest())
    assert len(set(found)) == 4
    assert found[-1] == found[-2]


def test_a_model_that_changes_during_its_compile_is_not_kept(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overwrite(step: str) -> None:
        if step == "writing the artifact":
            write_model(model, factor=3.0)

    compiled(model, "a.so", replace(FAST, progress=overwrite))
    write_model(model)
    assert not compiled(model, "b.so")[1]


def test_what_a_changed_compiler_made_is_not_kept(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(identity, "source_digest", lambda: "an edited file")
        compiled(model, "a.so")
    assert not compiled(model, "b.so")[1]


# Damage, other processes, limits -----------------------------------------------------------------


def stored(kind: str) -> list[Path]:
    return [path for _, _, path in Cache(kind)._files()]  # pyright: ignore[reportPrivateUsage]  (what stands on disk)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def exchange(path: Path) -> None:
    """Put a sound artifact of another model there."""
    other = write_model(path.parent / "other.onnx", 3.0)
    compile_to(path, other, replace(FAST, shapes={"n": [1]}))


@pytest.mark.parametrize("kind", ["record", "artifact"])
@pytest.mark.parametrize(
    "damage",
    [flip, lambda p: p.write_bytes(b""), lambda p: p.write_bytes(p.read_bytes()[:-1]), Path.unlink],
)
def test_a_damaged_entry_is_found_and_replaced(
    model: Path, kind: str, damage: Callable[[Path], object]
) -> None:
    options = replace(FAST, weights="file")
    first = compiled(model, "a.so", options)
    for path in stored(kind):
        damage(path)
    assert compiled(model, "b.so", options) == first
    assert compiled(model, "c.so", options) == (first[0], True)


def test_an_exchanged_artifact_is_found(model: Path) -> None:
    first = compiled(model, "a.so")
    (path,) = stored("artifact")
    exchange(path)
    assert compiled(model, "b.so") == first


def test_a_damaged_object_is_compiled_again(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = compiled(model, "a.so")
    monkeypatch.setenv("DLC_CACHE_GB", "0")
    for path in stored("object"):
        flip(path)
    assert compiled(model, "b.so") == first


def test_users_at_the_same_time_get_an_artifact_or_nothing(model: Path, tmp_path: Path) -> None:
    data, _ = compiled(model, "a.so")
    wanted = identity.identity(model, replace(FAST, shapes={"n": [1]}), [Target("cpu")])
    assert wanted is not None
    outcome = artifact_cache.restore(wanted, tmp_path / "b.so", asked=None)
    assert outcome is not None

    def use(number: int) -> bytes | None:
        place = tmp_path / f"{number}.so"
        if number % 8 == 0:
            Cache("artifact").trim(0)
        if number % 4 == 0:
            artifact_cache.store(wanted, tmp_path / "a.so", outcome, asked=None)
        found = artifact_cache.restore(wanted, place, asked=None)
        assert place.exists() == (found is not None)
        return place.read_bytes() if found else None

    with ThreadPoolExecutor(8) as pool:
        results = set(pool.map(use, range(80)))
    assert data in results
    assert results <= {data, None}


def test_an_artifact_above_the_limit_is_not_kept(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_CACHE_GB", "1e-6")
    compiled(model, "a.so")
    assert stored("artifact") == []


def test_what_was_used_last_is_kept(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLC_CACHE_GB", str(1.5e-9 * len(compiled(model, "a.so")[0])))
    assert compiled(model, "b.so")[1]
    write_model(model, 3.0)
    compiled(model, "c.so")
    assert compiled(model, "d.so")[1]
    write_model(model)
    assert not compiled(model, "e.so")[1]
    assert len(stored("artifact")) == 1


@pytest.mark.parametrize("text", ["much", "-1", "nan"])
def test_a_limit_that_is_none_is_one_line(
    model: Path, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DLC_CACHE_GB", text)
    assert dlc_compile.main([str(model), "--target", "cpu", "--shape", "n=1"]) == 1
    message = f"DLC_CACHE_GB is {text!r}; give gigabytes, 0 to do without"
    assert capsys.readouterr().err == f"dlc-compile: error: {message}\n"


# What a user is told -----------------------------------------------------------------------------


def run_command(model: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    report = str(model.with_suffix(".json"))
    given = [str(model), "--target", "cpu", "--shape", "n=1", "--json", report, *arguments]
    assert dlc_compile.main(given) == 0
    return capsys.readouterr().out


def test_what_comes_from_the_cache_is_said(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = model.with_suffix(".json")
    assert "from the cache" not in run_command(model, capsys)
    first = json.loads(report.read_text())
    text = run_command(model, capsys)
    second = json.loads(report.read_text())
    assert " s, from the cache; verified: 1 of 1 kernels" in text
    assert text.endswith(" kinds of nodes (when it was first compiled)\n")
    assert (first["cached"]["artifact"], second["cached"]) == ([0, 1], {"artifact": [1, 1]})
    assert first["verification"] == second["verification"] != None  # noqa: E711  (in a chain)
    assert first["variants"] == second["variants"]


def test_an_artifact_that_was_verified_less_than_is_asked_is_not_taken(
    model: Path, tmp_path: Path
) -> None:
    options = replace(FAST, shapes={"n": [1]})
    wanted = identity.identity(model, options, [Target("cpu")])
    assert wanted is not None
    outcome = compile_to(tmp_path / "a.so", model, options)
    artifact_cache.store(wanted, tmp_path / "a.so", outcome, Coverage(1.0, "cpu"))
    place = tmp_path / "b.so"
    for asked, is_taken in (
        (Coverage(0.0, "cpu"), True),
        (Coverage(1.0, "cpu"), True),
        (Coverage(2.0, "cpu"), False),
        (Coverage(1.0, "sm_90a"), False),  # a machine with a GPU can check more
        (None, True),
    ):
        assert (artifact_cache.restore(wanted, place, asked) is not None) == is_taken


def test_an_artifact_that_was_not_verified_is_compiled_again(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "; not verified" in run_command(model, capsys, "--no-verify")
    text = run_command(model, capsys)
    assert "translation units from the cache; verified: 1 of 1 kernels" in text
    assert "from the cache; verified: 1 of 1" in run_command(model, capsys, "--no-verify")


def test_a_copy_needs_no_compiler(model: Path) -> None:
    compiled(model, "a.so")
    program = (
        "import sys; from dlc.tools.dlc_compile import main\n"
        f"assert main([{str(model)!r}, '--target', 'cpu', '--shape', 'n=1', '--no-verify']) == 0\n"
        "print(sorted(name for name in sys.modules if name == 'xdsl'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.endswith("from the cache; not verified\n[]\n"), done.stderr
