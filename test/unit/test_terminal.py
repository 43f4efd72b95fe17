"""No text of a model, of whatever path it takes, is obeyed by a terminal or looks like our own."""

import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper

from dlc.core.array_files import write_arrays
from dlc.tools import dlc_compile, dlc_opt, dlc_run
from dlc.verification import node_check
from dlc.verification.onnx_faults import NoReferenceError

FORGED = "forged: verified"
EVIL = f"e\x1b[2J\r\x9b\n{FORGED}\x7f\u202e"
X = np.arange(6, dtype=np.float32).reshape(2, 3)

Command = Callable[[Sequence[str]], int]


def evil_node(op_type: str, inputs: Sequence[str], output: str, **attributes: Any) -> NodeProto:
    """Make a node of an evil name."""
    return helper.make_node(op_type, inputs, [output], EVIL + output, EVIL, **attributes)


def save(path: Path, nodes: Sequence[NodeProto], sizes: Sequence[int | str] = (2, 3)) -> Path:
    """Save nodes from ``EVIL`` to ``EVIL + "y"``, with a weight ``EVIL + "w"``."""
    graph = helper.make_graph(
        nodes,
        EVIL,
        [helper.make_tensor_value_info(EVIL, TensorProto.FLOAT, sizes, EVIL)],
        [onnx.ValueInfoProto(name=EVIL + "y")],
        [numpy_helper.from_array(X + 1, EVIL + "w")],
        EVIL,
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid(EVIL, 1)]
    model = helper.make_model(
        graph, opset_imports=imports, producer_name=EVIL, doc_string=EVIL, ir_version=8
    )
    path.write_bytes(model.SerializeToString())
    return path


@pytest.fixture
def harmless(capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command; return what it printed, in which nothing is obeyed or forged."""

    def run(command: Command, *arguments: object, code: int = 0) -> str:
        assert command([*map(str, arguments)]) == code
        printed = "".join(capfd.readouterr())
        lines = printed.split("\n")
        assert all(c.isprintable() or c == "\t" for line in lines for c in line)
        assert not any(line.lstrip().startswith(FORGED) for line in lines)
        return printed

    return run


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A model that compiles."""
    nodes = [evil_node("MatMul", [EVIL, EVIL + "t"], EVIL + "m")]
    nodes.insert(0, evil_node("Transpose", [EVIL + "w"], EVIL + "t"))
    return save(tmp_path / "good.onnx", [*nodes, evil_node("Relu", [EVIL + "m"], EVIL + "y")])


WRONG: dict[str, tuple[Sequence[NodeProto], Sequence[int | str]]] = {
    "operator": ([evil_node(f"Op{EVIL}", [EVIL], EVIL + "y")], (2, 3)),
    "domain": ([evil_node("Relu", [EVIL], EVIL + "y", domain=EVIL)], (2, 3)),
    "attribute": ([evil_node("Relu", [EVIL], EVIL + "y", **{EVIL: 1})], (2, 3)),
    "value": ([evil_node("Gelu", [EVIL], EVIL + "y", approximate=EVIL)], (2, 3)),
    "mode": ([evil_node("Pad", [EVIL, EVIL + "w"], EVIL + "y", mode=EVIL)], (2, 3)),
    "equation": ([evil_node("Einsum", [EVIL], EVIL + "y", equation=EVIL)], (2, 3)),
    "edge": ([evil_node("Relu", [EVIL + "nothing"], EVIL + "y")], (2, 3)),
    "twice": ([evil_node("Relu", [EVIL], EVIL + "y")] * 2, (2, 3)),
    "shapes": ([evil_node("Add", [EVIL, EVIL + "w"], EVIL + "y")], (2, 5)),
    "types": ([evil_node("Not", [EVIL], EVIL + "y")], (2, 3)),
    "open-size": ([evil_node("Relu", [EVIL], EVIL + "y")], (EVIL, 3)),
    "unknown": ([evil_node("Reshape", [EVIL + "w", EVIL], EVIL + "y")], (2, 3)),
    "output": ([evil_node("Relu", [EVIL], EVIL + "other")], (2, 3)),
}


@pytest.mark.parametrize("name", WRONG)
def test_refusals(name: str, tmp_path: Path, harmless: Callable[..., str]) -> None:
    path = save(tmp_path / "model.onnx", *WRONG[name])
    printed = harmless(dlc_compile.main, path, "--target", "cpu", code=1)
    assert "dlc-compile: error: " in printed
    harmless(dlc_compile.main, path, "--check", code=int(name != "open-size"))
    harmless(dlc_compile.main, path, "--target", "cpu", "--emit", "graph", code=1)


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
def test_compile_and_run(good: Path, target: str, harmless: Callable[..., str]) -> None:
    artifact, given = good.with_suffix(".so"), good.with_suffix(".npz")
    printed = harmless(dlc_compile.main, good, "--target", target, "--json", "-", "-o", artifact)
    assert r"e\u001b[2J" in printed  # JSON's own escape
    harmless(dlc_run.main, artifact, "--explain")
    if target != "cpu":
        return
    assert r"e\x1b[2J" in harmless(dlc_run.main, artifact)
    write_arrays(given, {EVIL + "y": X[:, :2]})
    options = ["--random", "--bench", "--duration", "0.01", "--compare", given]
    harmless(dlc_run.main, artifact, *options, code=1)
    harmless(dlc_run.main, artifact, "--inputs", given, code=1)
    harmless(dlc_run.main, artifact, "--input", f"{EVIL}={EVIL}.npy", code=1)
    harmless(dlc_run.main, f"{artifact}{EVIL}", "--random", code=1)


@pytest.mark.parametrize("level", ["import", "graph", "fused-group", "loop", "c"])
def test_texts_of_the_levels(good: Path, level: str, harmless: Callable[..., str]) -> None:
    for more in ([], ["--locations"]):
        harmless(dlc_compile.main, good, "--target", "cpu", "--emit", level, *more)


def test_what_is_left_out(
    good: Path, harmless: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(good.parent / "cache"))

    def left_out(*_: object) -> None:
        raise NoReferenceError(EVIL)

    monkeypatch.setattr(node_check, "run_onnx_reference", left_out)
    said = harmless(dlc_compile.main, good, "--target", "cpu", "--json", "-")
    assert "not checked against ONNX's reference" in said
    assert '"MatMul": "e' in said


def test_internal_errors(
    good: Path, harmless: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError(EVIL)

    monkeypatch.setattr(dlc_compile, "compile_to", broken)
    assert "internal error: RuntimeError: e" in harmless(dlc_compile.main, good, code=70)


def test_texts_of_others(tmp_path: Path, harmless: Callable[..., str]) -> None:
    text = tmp_path / "text.mlir"
    text.write_text(f'func.func @main() {{\n  "{EVIL}" () \x1b[2J\n  func.return\n}}\n')
    harmless(dlc_opt.main, text, code=1)
    harmless(dlc_opt.main, text, "--traceback", code=1)
    text.write_text('func.func @main() {\n  func.return loc("e\\1B[2J")\n}\n')
    harmless(dlc_opt.main, text, "--locations", "--print-ir-after-all", "--cse")


def test_what_prints_by_itself_is_guarded_too(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()

    def careless(*_: object) -> None:
        print("a\tb \x1b[2J\x9bü", file=sys.stderr)

    monkeypatch.setattr(dlc_compile, "_run", careless)
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(written, "utf-8", write_through=True))
    dlc_compile.main([str(good)])
    assert written.getvalue().decode() == "a\tb \\x1b[2J\\x9bü\n"
