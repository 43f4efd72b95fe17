"""The trace of ``dlc-run --profile``."""

from pathlib import Path

import pytest
from profile_files import MODEL, layer_us, profiled, write

from dlc.analyze.profiles import read_profile
from dlc.compiler.driver import compile_to
from dlc.compiler.options import Options
from dlc.errors import CompileError
from dlc.tools import dlc_run


def test_each_group_has_its_layers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    artifact, trace = tmp_path / "model.so", tmp_path / "trace.json"
    compile_to(artifact, MODEL, Options("cpu", verify="off"))
    assert dlc_run.main([str(artifact), "--profile", str(trace)]) == 0
    capsys.readouterr()
    report = profiled(trace)
    rows = read_profile(trace).rows
    assert all(row.nodes for row in rows)
    joined = next(row for row in rows if "stem_conv" in row.nodes)
    assert {"stem_conv", "stem_relu"} <= {*joined.nodes}
    found = layer_us(report)
    assert sum(found[name] for name in joined.nodes if name in found) == pytest.approx(joined.us)
    assert report["profile"]["kind"] == "dlc-run"
    assert report["profile"]["matched_us"] == pytest.approx(report["profile"]["total_us"])


def test_copies_and_other_nodes_are_unmatched(tmp_path: Path) -> None:
    def step(name: str, us: float, **details: object) -> dict[str, object]:
        category = "kernel" if details else "copy"
        return {"name": name, "cat": category, "ts": 0, "dur": us, "args": details}

    def path(*steps: object) -> Path:
        facts = {"run_us": 1.0, "steps_us": 1.0}
        return write(tmp_path / "t.json", {"traceEvents": [*steps], "otherData": facts})

    known = step("stem_conv + gone", 5, nodes=["stem_conv", "gone"], kernel="g0")
    report = profiled(path(known, step("copy to y", 2), step("x", 3, nodes=["x"], kernel="g1")))
    assert layer_us(report) == {"stem_conv": 5}
    assert [x["name"] for x in report["profile"]["unmatched"]] == ["x", "copy to y"]
    with pytest.raises(CompileError, match="nodes is no list of names"):
        read_profile(path(step("x", 3, nodes=[1], kernel="g1")))
