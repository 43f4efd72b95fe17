"""Messages name an option as the user who reads them gives it."""

from pathlib import Path

import onnx
import pytest

import dlc
from dlc.option_text import on_command_line, option
from dlc.tools.dlc_compile import main

SOURCE = """
<ir_version: 8, opset_import: ["": 17]>
open (float["a b", n] x) => (float["a b", n] y) { y = Relu(x) }
"""


@pytest.mark.parametrize(
    ("name", "items", "command", "python"),
    [
        ("target", [], "--target", "target"),
        ("weights-from", [], "--weights-from", "weights_from"),
        ("shape", [], "--shape", "shapes"),
        ("shape", [("n", "8")], "--shape n=8", 'shapes={"n": 8}'),
        (
            "shape",
            [("x", "8,3"), ("a b", "8"), ("x", "8,3")],
            "--shape x=8,3 --shape 'a b=8'",
            'shapes={"x": [8, 3], "a b": 8}',
        ),
        ("constant", [("n", "...")], "--constant n=...", 'constants={"n": ...}'),
    ],
)
def test_an_option_in_both_forms(
    name: str, items: list[tuple[str, str]], command: str, python: str
) -> None:
    assert option(name, items) == python
    with on_command_line():
        assert option(name, items) == command
    assert option(name, items) == python


def test_an_open_size_on_the_command_line_and_in_python(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = onnx.parser.parse_model(SOURCE)
    path = tmp_path / "open.onnx"
    onnx.save(model, path)
    assert main([str(path), "--target=cpu"]) == 1
    assert "give them with --shape 'a b=8' --shape n=8" in capfd.readouterr().err
    with pytest.raises(dlc.CompileError, match=r'give them with shapes=\{"a b": 8, "n": 8\}$'):
        dlc.compile(path, target="cpu")
