"""``search`` and ``search_budget`` of a compile."""

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import dlc
from dlc import search
from dlc.compiler.options import SEARCHES, Options
from dlc.errors import CompileError

MODEL = onnx.parser.parse_model(
    """<ir_version: 9, opset_import: ["" : 18]>
    main (float[4,8] x, float[4,8] y) => (float[4,8] a, float[4,8] b, float[4,8] c) {
      a = Exp(x)
      b = Tanh(x)
      c = Relu(y)
    }"""
)


def test_the_names_are_those_of_the_searches() -> None:
    assert list(SEARCHES) == search.names()


@pytest.mark.parametrize(
    ("name", "groups"), [(None, 3), ("greedy", 3), ("beam", 1), ("dp", 1), ("evolve", 1)]
)
def test_a_model_is_divided_as_wished(name: str | None, groups: int) -> None:
    model = dlc.compile(MODEL, target="cpu", search=name)
    x, y = (np.linspace(-2, 2, 32, dtype=np.float32).reshape(4, 8) * n for n in (1, 2))
    a, b, c = model.run({"x": x, "y": y}).values()
    np.testing.assert_allclose(a, np.exp(x), rtol=1e-5)
    np.testing.assert_allclose(b, np.tanh(x), rtol=1e-5)
    np.testing.assert_array_equal(c, np.maximum(y, 0))
    (variant,) = model.report["variants"]
    assert variant["launches"] == groups


@pytest.mark.parametrize(
    ("wishes", "error"),
    [
        ({"search": "random"}, "search 'random' is unknown; give beam, dp, evolve, greedy"),
        ({"search": "dp", "search_budget": -1}, "search_budget is -1; give seconds, 0 or more"),
        ({"search": "dp", "search_budget": float("nan")}, "search_budget is nan"),
        ({"search": "dp", "search_budget": "1"}, "search_budget is '1', expected a number"),
        ({"search_budget": 3}, "search_budget has no effect on the search greedy"),
        ({"search": "beam", "search_budget": 0, "locked": "a.lock"}, "locked is for the same gr"),
    ],
)
def test_wrong_wishes_are_one_line(wishes: dict[str, object], error: str) -> None:
    with pytest.raises(CompileError, match=error):
        Options(**wishes).check()  # pyright: ignore[reportArgumentType]


def test_a_text_with_groups_has_no_search(tmp_path: Path) -> None:
    text = tmp_path / "m.mlir"
    text.write_text(
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "%0 = fused_group.group @g0(%x) : (tensor<4xf32>) -> tensor<4xf32> {\n"
        "^bb0(%a: tensor<4xf32>):\n%1 = graph.exp %a : tensor<4xf32> -> tensor<4xf32>\n"
        "fused_group.yield %1 : tensor<4xf32>\n}\nfunc.return %0 : tensor<4xf32>\n}\n"
    )
    with pytest.raises(CompileError, match="search has no effect: the groups are those"):
        dlc.compile(text, target="cpu", search="dp")
