"""Artifacts for a CPU that is named: its instructions and no others, run or said not to be run."""

import platform
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import dlc
from dlc import arch
from dlc.compiler import Options, compile_to, targets
from dlc.core.c_compiler import CCompiler, Source
from dlc.tools import dlc_compile, dlc_run

X = np.random.default_rng(0).standard_normal((16, 64)).astype(np.float32)
WEIGHT = np.random.default_rng(1).standard_normal((64, 48)).astype(np.float32)
K = WEIGHT.shape[0]

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="rows are of x86-64")


@pytest.fixture
def onnx_file(tmp_path: Path) -> Path:
    """A model with a product and exponentials."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["product"]),
        helper.make_node("Sigmoid", ["product"], ["y"]),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "small",
        [value("x", TensorProto.FLOAT, X.shape)],
        [value("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(WEIGHT, "w")],
    )
    path = tmp_path / "small.onnx"
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=9), path)
    return path


def compiled(onnx_file: Path, target: str) -> Path:
    path = onnx_file.with_name(f"{target}.so")
    compile_to(path, onnx_file, Options(target))
    return path


@pytest.mark.parametrize("target", ["cpu-avx512", "cpu-avx2", "cpu-generic"])
def test_a_named_cpu_gives_the_results_of_the_others(onnx_file: Path, target: str) -> None:
    path = onnx_file.with_name("named.so")
    outcome = compile_to(path, onnx_file, Options(target))
    assert outcome.report["target"] == target
    assert [x["target"] for x in outcome.report["variants"]] == [target]
    if not targets.Target(target).runs_here:
        assert "machine code not run" in outcome.checked
        return
    assert outcome.verification is not None
    session = onnxruntime.InferenceSession(onnx_file, providers=["CPUExecutionProvider"])
    wanted = np.asarray(session.run(None, {"x": X})[0])
    here = dlc.load(compiled(onnx_file, "cpu")).run({"x": X})["y"]
    # One rounding per operation of a product of K; the sigmoid's slope is at most 1/4.
    bound = 16 * 2.0**-24 * np.sqrt(K) * float(np.abs(X @ WEIGHT).max())
    for other in (wanted, here):
        np.testing.assert_allclose(dlc.load(path).run({"x": X})["y"], other, atol=bound, rtol=0)


@pytest.mark.parametrize(
    ("target", "flag", "registers"),
    [
        ("cpu-avx512", "x86-64-v4", "xyz"),
        ("cpu-avx2", "x86-64-v3", "xy"),
        ("cpu-generic", "x86-64", "x"),
    ],
)
def test_code_has_the_registers_of_its_row_only(
    onnx_file: Path, target: str, flag: str, registers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags: list[str] = []
    objects: list[bytes] = []

    def compile_objects(
        self: CCompiler, sources: Sequence[Source], headers: dict[str, str], jobs: int
    ) -> list[bytes]:
        made = original(self, sources, headers, jobs)
        for source, found in zip(sources, made, strict=True):
            flags.extend(x for x in source.flags if x.startswith("-march"))
            objects.append(found)
        return made

    original = CCompiler.compile_objects
    monkeypatch.setattr(CCompiler, "compile_objects", compile_objects)
    compile_to(onnx_file.with_name("out.so"), onnx_file, Options(target, verify=False))
    assert set(flags) == {f"-march={flag}"}
    if not shutil.which("objdump"):
        return
    text = ""
    for found in objects:
        file = onnx_file.with_name("part.o")
        file.write_bytes(found)
        text += subprocess.check_output(["objdump", "-d", "--no-show-raw-insn", file], text=True)
    used = {x[0] for x in re.findall(r"%([xyz]mm)\d", text)}
    assert registers[-1] in used
    assert used <= set(registers)


def test_what_the_processor_lacks_is_said_when_compiling_and_when_loading(
    onnx_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those with XOP are no longer made: code that needs it stands for code of a larger machine."""
    larger = replace(arch.cpu_by_name("cpu-generic"), capabilities=frozenset({"sse2", "xop"}))
    assert larger.missing(arch.processor_flags()) == ["xop"]
    monkeypatch.setattr(arch, "cpu_by_name", lambda _: larger)
    path = onnx_file.with_name("larger.so")
    arguments = [str(onnx_file), "--target", "cpu-avx512", "-o", str(path)]
    monkeypatch.setenv("DLC_CACHE_GB", "0")
    assert dlc_compile.main(arguments) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert "machine code not run (no xop here): cpu-avx512: " in last
    assert dlc_run.main([str(path), "--random"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "compiled for processors with xop, this one has none; compile it again" in lines[0]


def test_the_best_row_that_a_machine_has_runs_on_it() -> None:
    here = {x.name for x in arch.CPUS if targets.Target(x.name).runs_here}
    assert "cpu-generic" in here
    assert here in [{x.name for x in arch.CPUS[n:]} for n in range(len(arch.CPUS))]


def test_rows_are_for_x86_only(onnx_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    with pytest.raises(dlc.CompileError, match="'cpu-avx2' is for x86_64 machines, this one is aa"):
        targets.parse_targets("cpu-avx2")
    assert targets.cpu_targets() == ["cpu"]


def test_artifacts_of_two_rows_are_kept_apart(onnx_file: Path) -> None:
    reports = [
        compile_to(onnx_file.with_name(f"{n}.so"), onnx_file, Options(t)).report["target"]
        for n, t in enumerate(("cpu-avx2", "cpu-generic", "cpu-avx2", "cpu"))
    ]
    assert reports == ["cpu-avx2", "cpu-generic", "cpu-avx2", "cpu"]
