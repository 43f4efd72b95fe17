"""Files of profiles: how they are recognised, and what is said to wrong ones."""

import gzip
import json
from pathlib import Path

import pytest
from profile_files import (
    DATA,
    MODEL,
    event,
    node,
    profiled,
    write,
    write_ncu,
    write_onnxruntime,
    write_torch,
)

from dlc.analyze.profiles import file_text, matching, read_profile
from dlc.errors import CompileError
from dlc.tools import dlc_analyze

CONV = node("stem_conv", "Conv", 5)


def refusal(path: Path) -> str:
    """Return what is said of a file."""
    with pytest.raises(CompileError) as refused:
        read_profile(path)
    said = str(refused.value)
    assert said.startswith(f"{path}: ")
    assert said.isprintable()
    return said.removeprefix(f"{path}: ")


def test_the_content_says_which_format_it_is(tmp_path: Path) -> None:
    kinds = {
        write_onnxruntime(tmp_path, CONV): "onnxruntime",
        write_torch(tmp_path, event("cpu_op", "aten::relu", 0, 1)): "pytorch",
        write_ncu(tmp_path, ("relu", "us", "1")): "nsight-compute",
        write(
            tmp_path / "run.json",
            {
                "traceEvents": [event("kernel", "relu", 0, 1, nodes=["relu"], kernel="g0")],
                "otherData": {"run_us": 1.0, "steps_us": 1.0},
            },
        ): "dlc-run",
    }
    for path, kind in kinds.items():
        assert read_profile(path).kind == kind
        plain = path.rename(tmp_path / "no-name-that-helps")
        assert read_profile(plain).kind == kind
        packed = tmp_path / "packed"
        packed.write_bytes(gzip.compress(plain.read_bytes()))
        assert read_profile(packed).kind == kind


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty, so no profile"),
        (" \n", "is empty, so no profile"),
        ("[]", "is no profile of dlc-run --profile, Nsight Compute (--csv), ONNX Runtime, "),
        ("{}", "is no profile of dlc-run --profile, "),
        ('{"traceEvents": 7}', "is no profile of "),
        ('{"traceEvents": [7, null, "x"]}', "is no profile of "),
        ("a,b\n1,2\n", "is no profile of "),
        ('{"a": ', "is truncated or no JSON: expecting value (line 1, column 7)"),
        ("[" * 100_000, "is no profile: its JSON is nested too deeply"),
        ("[" + "9" * 10_000 + "]", "is no profile: "),
        ('[{"cat": "Session", "name": "model_run", "ts": 1, "dur": 2}]', "has no call with a time"),
        ('"Kernel Name","ID"\n', "has no column gpu__time_duration.sum"),
    ],
)
def test_what_is_no_profile_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "profile"
    path.write_text(text)
    assert message in refusal(path)


def test_a_truncated_profile_is_said_to_be_so(tmp_path: Path) -> None:
    for place in DATA.glob("*.json.gz"):
        packed = tmp_path / "packed.gz"
        packed.write_bytes(place.read_bytes()[:-100])
        assert "is a damaged or truncated gzip file" in refusal(packed)
        text = gzip.decompress(place.read_bytes()).decode()
        plain = tmp_path / "plain"
        plain.write_text(text[: len(text) // 2])
        assert "is truncated or no JSON: " in refusal(plain)


def test_bytes_that_are_no_text_and_files_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(b"\xff\xfe\x00")
    assert "is no text in UTF-8" in refusal(path)
    path.write_bytes(b"\x1f\x8b\xff\xff")
    assert "is a damaged or truncated gzip file" in refusal(path)
    assert "cannot be read" in refusal(tmp_path / "missing")
    assert "cannot be read" in refusal(tmp_path)


def test_no_more_is_unpacked_than_a_profile_may_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_text, "MOST_BYTES", 1 << 20)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"[" + b" " * (64 << 20)))
    assert path.stat().st_size < 1 << 20
    assert "holds more than 1 MB; record a few runs" in refusal(path)


@pytest.mark.parametrize("us", ["-1", "NaN", "Infinity", '"5"', "null", "true", "[1]", "1e999"])
def test_a_time_that_is_none_is_named(tmp_path: Path, us: str) -> None:
    path = tmp_path / "profile"
    for category, name in (("Node", "conv_kernel_time"), ("cpu_op", "aten::relu")):
        entry = f'{{"cat": "{category}", "name": "{name}", "ts": 1, "dur": {us}}}'
        path.write_text(f"[{entry}]" if category == "Node" else f'{{"traceEvents": [{entry}]}}')
        assert f"event 0 ({name}): dur is " in refusal(path)
        path.write_text(path.read_text().replace(f'"dur": {us}', f'"dur": 1, "x": {us}'))
        assert read_profile(path).total_us == 1


@pytest.mark.parametrize("name", ["7", "null", '""', "[]"])
def test_an_event_without_a_name_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "profile"
    path.write_text(f'[{{"cat": "Node", "name": {name}, "ts": 1, "dur": 1}}]')
    assert refusal(path) == "event 0 has no name"
    path.write_text('[{"cat": "Node", "ts": 1, "dur": 1}]')
    assert refusal(path) == "event 0 has no name"


def test_a_profile_of_another_model_is_refused(tmp_path: Path) -> None:
    path = write_onnxruntime(tmp_path, node("other", "QuantizeLinear", 5), node("it", "Loop", 1, 9))
    with pytest.raises(CompileError, match="none of its 2 calls is one of a layer of this model"):
        profiled(path)


def test_a_profile_of_far_too_many_calls_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "_MOST_PAIRS", 100)
    path = write_torch(tmp_path, *(event("cpu_op", "aten::relu", n, 0.5) for n in range(50)))
    with pytest.raises(CompileError, match="has 50 calls, too many for 14 layers; record one run"):
        profiled(path)


def test_hostile_names_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "evil\x1b[2J\x07\n\u202e" + "x" * 5000
    path = write_onnxruntime(tmp_path, CONV, node(evil, "Gather", 3, 9))
    assert dlc_analyze.main([str(MODEL), "--target", "cpu", "--profile", str(path)]) == 0
    said = capsys.readouterr().out
    assert r"evil\x1b[2J\x07\n\u202e" in said
    assert all(line.isprintable() and len(line) < 250 for line in said.splitlines())


@pytest.mark.parametrize("text", ["", "[]", '[{"cat": "Node", "name": "\\u001b", "dur": -1}]'])
def test_the_command_says_one_line_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path, place = tmp_path / "profile", tmp_path / "layers.json"
    path.write_text(text)
    words = ["--target", "cpu", "--profile", str(path), "--json", str(place)]
    assert dlc_analyze.main([str(MODEL), *words]) == 1
    said = capsys.readouterr()
    assert said.err.count("dlc-analyze: error: ") == 1
    assert said.err.splitlines()[-1].isprintable()
    assert not said.out
    assert not place.exists()


def test_a_profile_is_not_written_over_and_is_of_one_batch_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_onnxruntime(tmp_path, CONV)
    before = path.read_bytes()
    words = [str(MODEL), "--target", "cpu", "--profile", str(path)]
    assert dlc_analyze.main([*words, "--json", str(path)]) == 1
    assert "profile.json: is read; give another file" in capsys.readouterr().err
    assert path.read_bytes() == before
    assert dlc_analyze.main([*words, "--batch", "1,2"]) == 1
    assert "a profile is of one batch size; give one with --batch" in capsys.readouterr().err


def test_the_table_and_the_json_have_the_profile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(MODEL), "--target", "cpu", "--profile", str(DATA / "onnxruntime-all.json.gz")]
    assert dlc_analyze.main([*words, "--json", str(tmp_path / "layers.json")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:4] == ["share", "time", "bound", "profile"]
    of = next(line for line in lines if line.startswith("profile of onnxruntime, "))
    assert "% of it in 14 of 14 layers" in of
    assert any(line.startswith("  in no layer: ") and "ReorderOutput" in line for line in lines)
    report = json.loads((tmp_path / "layers.json").read_text())
    profile = report["profile"]
    assert profile["kind"] == "onnxruntime"
    rest = sum(each["us"] for each in profile["unmatched"])
    assert profile["matched_us"] + rest == pytest.approx(profile["total_us"])
    of_layers = sum(layer["profile_us"] for layer in report["layers"])
    assert of_layers == pytest.approx(profile["matched_us"])
