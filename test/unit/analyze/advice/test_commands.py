"""The commands of advice do what they say."""

import json
import shlex
from pathlib import Path

import onnx
import pytest
from advised import advice_of, asked, write_model
from layer_models import HEAD
from onnx.parser import parse_model

from dlc.tools import dlc_analyze, dlc_compile
from dlc.tools.dlc_analyze import main

CHAIN = "m (float[N, 64] x, int64[2] s) => (float[A, B] y) { a = Relu(x) b = Neg(a) c = Tanh(b) "
BODY = "m (float[64, 64] x) => (float[64, 64] y) { a = MatMul(x, w) y = Relu(a) }"
OPEN = f"{CHAIN} y = Reshape(c, s) }}"


def test_a_command_compiles_what_was_analysed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "my models; $(echo x)"
    folder.mkdir()
    path, place = folder / "it's one.onnx", tmp_path / "layers.json"
    onnx.save(parse_model(f"{HEAD} {OPEN}"), path)
    words = ["--target", "cpu", "--batch", "512", "--constant", "s=64,512", "--search", "beam"]
    assert main([str(path), *words, "--json", str(place)]) == 0
    command = advice_of(json.loads(place.read_text()), "Q5")["command"]
    assert f"\n{command}\n" in "\n".join(x.strip() for x in capsys.readouterr().out.splitlines())
    name, *arguments = shlex.split(command)
    assert name == "dlc-compile"
    assert "x=512,64" in arguments or "N=512" in arguments
    assert arguments[arguments.index("--search") + 1] == "beam"
    monkeypatch.chdir(tmp_path)
    assert dlc_compile.main([*arguments, "--json", "report.json"]) == 0
    assert (tmp_path / "it's one.so").exists()
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["target"] == "cpu"


def test_a_command_has_the_precision_that_its_advice_is_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "m (float[512, 512] x) => (float[512, 512] y) { [p] y = MatMul(x, w) }"
    path = write_model(tmp_path, body, {"w": (512, 512)})
    monkeypatch.chdir(tmp_path)
    for question in ("Q6", "joint"):
        advice = advice_of(asked(path), question)
        _, *arguments = shlex.split(advice["command"])
        assert dlc_compile.main([*arguments, "--no-verify", "--json", "report.json"]) == 0
        precision = json.loads((tmp_path / "report.json").read_text())["precision"]
        assert advice["options"] == {"precision": precision, "tune": False}
        assert f"{precision}" in advice["text"]
        assert precision != "fp32"


def test_the_terminal_and_the_json_say_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_model(tmp_path, "m (float[512, 512] x) => (float[512, 512] y) "
                                 "{ a = Relu(x) y = Neg(a) }", {})  # fmt: skip
    place = tmp_path / "layers.json"
    words = [str(path), "--target", "sm_90a", "--json", str(place)]
    assert dlc_analyze.main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    advice = json.loads(place.read_text())["advice"]
    assert advice
    for each in advice:
        keys = {"question", "title", "text", "gain_us", "layers", "options", "command"}
        assert each.keys() == keys
        assert any(line.endswith(f" {each['question']}: {each['title']}") for line in lines)
        assert f"{each['text']}" in [line.strip() for line in lines]
    first = lines.index("What to do about it")
    assert lines[first - 1] == ""
    assert first > next(n for n, line in enumerate(lines) if "hardware: all products" in line)


def test_no_command_is_given_for_a_chip_that_is_only_analysed(tmp_path: Path) -> None:
    place = tmp_path / "layers.json"
    words = [
        str(write_model(tmp_path, BODY, {"w": (64, 64)})),
        "--target",
        "sm_70",
        "--json",
        str(place),
    ]
    assert main(words) == 0
    advice = json.loads(place.read_text())["advice"]
    assert advice
    assert not any(each["command"] for each in advice)
    assert any(each["options"] for each in advice)
