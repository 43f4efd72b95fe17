"""``dlc-analyze``: what it prints and writes, and what it says to wrong input."""

import json
from pathlib import Path
from typing import Any

import onnx
import pytest
from layer_models import HEAD, with_weights
from onnx.parser import parse_model
from page_elements import of_class, parsed

from dlc.tools import dlc_analyze

OPEN = "m (float[N, 64] x) => (float[N, 32] y) { [dense] h = MatMul(x, w) [relu] y = Relu(h) }"
FIXED = OPEN.replace("N", "1")
GPU = ("--target", "sm_90a", "--precision", "fp16")
BOUNDS = {
    "hardware_us",
    "parallel_us",
    "sequential_us",
    "least_parallel_us",
    "least_sequential_us",
    "fused_parallel_us",
    "fused_sequential_us",
    "fused_bound_us",
    "fusion_gain_us",
}
LAYER = {
    "name": str,
    "needs": list,
    "op_type": str,
    "results": list,
    "inputs": list,
    "outputs": list,
    "macs": int,
    "flops": int,
    "bytes_read": int,
    "bytes_written": int,
    "weights": int,
    "pattern": str,
    "bound_us": float,
    "time_us": float,
    "estimate_us": float,
    "libraries_us": dict,
}


def write(folder: Path, body: str) -> Path:
    path = folder / "model.onnx"
    onnx.save(with_weights(parse_model(f"{HEAD} {body}"), {"w": (64, 32)}), path)
    return path


def run(*words: object) -> int:
    return dlc_analyze.main([*map(str, words)])


def test_the_json_has_layers_and_bounds(tmp_path: Path) -> None:
    place = tmp_path / "layers.json"
    assert run(write(tmp_path, FIXED), *GPU, "--json", place) == 0
    report: dict[str, Any] = json.loads(place.read_text())
    assert (report["target"], report["precision"], report["batch"]) == ("sm_90a", "fp16", None)
    assert "no measurements" in report["note"]
    assert report["bounds"].keys() == BOUNDS
    assert [layer["name"] for layer in report["layers"]] == ["dense", "relu"]
    assert [layer["needs"] for layer in report["layers"]] == [[], ["dense"]]
    assert report["critical_path"] == ["dense", "relu"]
    assert report["rates"]["bytes_per_s"] == 4.8e12
    assert report["rates"]["flops_per_s"].keys() >= {"wgmma.f16"}
    for layer in report["layers"]:
        assert {key: type(value) for key, value in layer.items()} == LAYER
    assert report["totals"]["macs"] == 64 * 32
    assert [each["count"] for each in report["patterns"]] == [1, 1]
    assert "batches" not in report


def test_the_json_goes_to_standard_output_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(write(tmp_path, FIXED), *GPU, "--json", "-") == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["bounds"].keys() == BOUNDS
    assert "hardware: all products at the peak" in said.err


def test_the_page_has_each_layer_of_each_batch_size(tmp_path: Path) -> None:
    place, json_place = tmp_path / "layers.html", tmp_path / "layers.json"
    words = ("--batch", "2,16", "--html", place, "--json", json_place)
    assert run(write(tmp_path, OPEN), *GPU, *words) == 0
    root = parsed(place.read_text())
    assert [each.text for each in of_class(root, "name")] == ["dense", "relu"] * 2
    assert json.loads(json_place.read_text())["batch"] == 2


def test_the_page_goes_to_standard_output_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(write(tmp_path, FIXED), *GPU, "--html", "-") == 0
    said = capsys.readouterr()
    assert len(of_class(parsed(said.out), "name")) == 2
    assert "hardware: all products at the peak" in said.err


def test_one_of_two_goes_to_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(write(tmp_path, FIXED), *GPU, "--html", "-", "--json", "-") == 1
    said = capsys.readouterr()
    message = "both --json and --html go to standard output; give one of them a file"
    assert said.err.splitlines()[-1] == f"dlc-analyze: error: {message}"
    assert not said.out


def test_the_table_begins_with_what_takes_longest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(write(tmp_path, FIXED), *GPU) == 0
    title, heads, first, second, *rest = capsys.readouterr().out.splitlines()
    assert title.endswith("model.onnx, sm_90a (rated as h200), precision fp16")
    assert heads.split() == [
        "share", "time", "bound", "MACs", "bytes", "operator", "output", "layer"
    ]  # fmt: skip
    assert first.split()[-1] == "dense"
    assert second.split()[-1] == "relu"
    assert float(first.split()[0]) >= float(second.split()[0])
    assert "2 layers, 2 different" in rest
    assert rest[-1] == "(all times come from the model of the chip: no measurements)"


def test_a_target_that_is_the_name_of_its_chip_is_named_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(write(tmp_path, FIXED), "--target", "cpu-avx2") == 0
    title, *_ = capsys.readouterr().out.splitlines()
    assert title.endswith("model.onnx, cpu-avx2, precision fp32")


def test_a_long_table_is_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ops = ["Relu", "Neg"] * 12
    nodes = " ".join(f"x{n + 1} = {op}(x{n})" for n, op in enumerate(ops))
    path = tmp_path / "model.onnx"
    onnx.save(parse_model(f"{HEAD} m (float[4] x0) => (float[4] x24) {{ {nodes} }}"), path)
    assert run(path, *GPU) == 0
    said = capsys.readouterr().out
    assert "4 other layers (--json has all)" in said
    assert said.count("  12x ") == 2


def test_an_open_batch_takes_each_size(tmp_path: Path) -> None:
    place = tmp_path / "layers.json"
    assert run(write(tmp_path, OPEN), *GPU, "--batch", "2,16", "--json", place) == 0
    report = json.loads(place.read_text())
    assert [each["batch"] for each in report["batches"]] == [2, 16]
    assert [each["totals"]["macs"] for each in report["batches"]] == [2 * 2048, 16 * 2048]
    assert report["layers"] == report["batches"][0]["layers"]


def test_the_only_open_size_is_the_batch(tmp_path: Path) -> None:
    body = "m (float[9, N, 64] x) => (float[9, N, 32] y) { y = MatMul(x, w) }"
    place = tmp_path / "layers.json"
    assert run(write(tmp_path, body), *GPU, "--batch", 5, "--json", place) == 0
    assert json.loads(place.read_text())["layers"][0]["inputs"] == [[9, 5, 64]]


def test_an_open_size_without_a_name_is_the_batch(tmp_path: Path) -> None:
    place = tmp_path / "layers.json"
    model = parse_model(f"{HEAD} {FIXED}")
    model.graph.input[0].type.tensor_type.shape.dim[0].Clear()
    model.graph.output[0].type.tensor_type.shape.dim[0].Clear()
    path = tmp_path / "model.onnx"
    onnx.save(with_weights(model, {"w": (64, 32)}), path)
    assert run(path, *GPU, "--batch", 3, "--json", place) == 0
    assert json.loads(place.read_text())["layers"][0]["inputs"] == [[3, 64]]


@pytest.mark.parametrize(("target", "chip"), [("sm_70", "v100"), ("sm_75", "rtx2080")])
@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_gpus_too_old_for_an_artifact_can_be_analysed(
    tmp_path: Path, target: str, chip: str, precision: str
) -> None:
    place = tmp_path / "layers.json"
    words = ("--target", target, "--precision", precision, "--json", place)
    assert run(write(tmp_path, FIXED), *words) == 0
    report: dict[str, Any] = json.loads(place.read_text())
    assert (report["target"], report["chip"]) == (target, chip)
    assert report["bounds"]["hardware_us"] > 0


@pytest.mark.parametrize(
    ("body", "words", "message"),
    [
        (
            FIXED,
            ("--batch", "1,8"),
            "input x: the file fixes the batch size at 1, 8 cannot be had; export the model with "
            "an open first axis, or try --shape x=8,64",
        ),
        (
            OPEN.replace("64", "K"),
            ("--batch", "8"),
            "the size K (axis 1 of input x) is not fixed; give it with --shape K=8",
        ),
        (
            OPEN,
            (),
            "the size N (axis 0 of input x) is not fixed; give it with --shape N=8; --batch 8 "
            "gives the size of the batch",
        ),
        (
            OPEN.replace("64", "K"),
            (),
            "the sizes N (axis 0 of input x), K (axis 1 of input x) are not fixed; give them with "
            "--shape N=8 --shape K=8; --batch 8 gives the size of the batch",
        ),
        (
            "m (float[1, H, W] x) => (float[1, H, W] y) { y = Relu(x) }",
            (),
            "the sizes H (axis 1 of input x), W (axis 2 of input x) are not fixed; give them with "
            "--shape H=8 --shape W=8",
        ),
        (
            "m (float x) => (float y) { y = Relu(x) }",
            ("--batch", "8"),
            "no input has an axis whose size --batch could be",
        ),
        (FIXED, ("--target", "sm_80,sm_90a"), "an analysis is for one chip; give one as --target"),
        (
            FIXED,
            ("--target", "cpu", "--precision", "tf32"),
            "tf32 is a format of NVIDIA GPUs; give precision fp32 for the CPU",
        ),
        (
            FIXED,
            ("--target", "cpu", "--libraries", "cublaslt"),
            "library cublaslt is for a GPU, not for the target cpu",
        ),
    ],
)
def test_wrong_wishes_are_one_line_and_no_file(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    body: str,
    words: tuple[str, ...],
    message: str,
) -> None:
    place = tmp_path / "layers.json"
    assert run(write(tmp_path, body), *words, "--json", place) == 1
    said = capsys.readouterr()
    assert said.err.splitlines()[-1] == f"dlc-analyze: error: {message}"
    assert not said.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.onnx"]


def test_a_file_that_is_no_model_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"nothing of the kind")
    for name in ("bad.onnx", "missing.onnx", "text.mlir"):
        assert run(tmp_path / name, *GPU) == 1
        assert capsys.readouterr().err.splitlines()[-1].startswith("dlc-analyze: error: ")


def test_an_unknown_operator_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "m (float[4] x) => (float[4] y) { [odd] y = NonZero(x) }"
    path = tmp_path / "model.onnx"
    onnx.save(parse_model(f"{HEAD} {body}"), path)
    assert run(path, *GPU) == 1
    assert "odd" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_found_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = write(tmp_path, FIXED)
    before = model.read_bytes()
    assert run(model, *GPU, "--json", model) == 1
    assert "is a file of the model" in capsys.readouterr().err
    assert run(model, *GPU, "--html", model) == 1
    assert "is a file of the model" in capsys.readouterr().err
    twice = tmp_path / "twice"
    assert run(model, *GPU, "--html", twice, "--json", twice) == 1
    assert "is to be written twice" in capsys.readouterr().err
    assert model.read_bytes() == before
    assert run(model, *GPU, "--json", tmp_path / "nowhere" / "file") == 1
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--batch", "1,,2"), "argument --batch: '' is not a number of 1 or more"),
        (("--batch", "0"), "argument --batch: '0' is not a number of 1 or more"),
        (("--shape", "x=1", "--shape", "x=2"), "argument --shape: 'x' is given twice"),
    ],
)
def test_a_wrong_command_line_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(write(tmp_path, FIXED), *words)
    assert ended.value.code == 2
    assert capsys.readouterr().err == (f"dlc-analyze: error: {message}; see dlc-analyze --help\n")


def test_a_batch_that_a_given_shape_contradicts_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(write(tmp_path, OPEN), *GPU, "--batch", "1", "--shape", "N=4") == 1
    assert "--batch 1 is not what --shape gives; leave out one of them" in capsys.readouterr().err


@pytest.mark.parametrize(("chip", "target"), [("h100", "sm_90a"), ("v100", "sm_70")])
def test_a_chip_is_told_its_target(
    chip: str, target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(write(tmp_path, FIXED), "--target", chip) == 1
    assert f"target '{chip}' is a chip, whose target is {target};" in capsys.readouterr().err
