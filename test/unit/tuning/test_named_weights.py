"""Weights of programs that are built without arrays: in the forms in which a compile has them."""

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from called_on_gpu import group
from dnn_models import convolution

from dlc import registry
from dlc.analysis.entry import find_main, groups
from dlc.core.parser import parse_module
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.strategies import read
from dlc.tuning.named_weights import WeightName, declared
from dlc.tuning.program import Program, alone, lower_alone

PIPELINE = "lower-to-loop,lower-to-gpu{arch=sm_90a},fused-group-plan-memory"
ROWS, ROW = "tensor<8x1001xf16>", "tensor<1001xf16>"
ROW_KEYS = 'strategy = "row", target = "gpu", threads = 128, rows = 1, vector = 4, lanes = "along"'
MAP_KEYS = 'strategy = "map", target = "gpu", threads = 64, vector = 2, columns = 2'

GROUPS = {
    "rows that start anywhere in a line": (
        f"func.func @main(%x: {ROWS}) -> {ROWS} {{\n  %w = graph.weight @w : {ROW}\n"
        + group(
            "g",
            {"%x": ROWS, "%w": ROW},
            ROWS,
            ROW_KEYS,
            f"graph.softmax %a axis 1 : {ROWS} -> {ROWS}",
            f"graph.mul %0, %b : ({ROWS}, {ROW}) -> {ROWS}",
        )
        + f"  func.return %g : {ROWS}\n}}",
        (1001,),
        (4, 1024),
    ),
    "lanes along an axis that is not the last": (
        convolution(
            "1x9x10x32xf16",
            "32x3x3x1xf16",
            "1x7x8x32xf16",
            groups=32,
            keys=MAP_KEYS,
            is_weighted=True,
        ),
        (32, 3, 3, 1),
        (3, 3, 1, 32),
    ),
}


def program(text: str, weights: dict[str, Array] | None) -> Program:
    """Return a group alone; without weights, as another process gives it."""
    (found,) = groups(find_main(parse_module(text, registry.new_context())))
    assert found.schedule is not None
    built = lower_alone(alone(found, read(found.schedule)), PIPELINE, weights)
    return built if weights else pickle.loads(pickle.dumps(built))


@pytest.mark.parametrize(("text", "sizes", "form"), GROUPS.values(), ids=GROUPS)
def test_a_weight_comes_in_the_form_that_the_kernel_reads(
    text: str, sizes: tuple[int, ...], form: tuple[int, ...]
) -> None:
    weights: dict[str, Array] = {"w": np.random.default_rng(0).normal(size=sizes).astype("f2")}
    named = program(text, None)
    (name,) = named.constants.values()
    assert isinstance(name, WeightName)
    assert (name.symbol, name.shape) == ("w", form)
    ((offset, array),) = named.arrays(weights).items()
    wanted = program(text, weights).constants[offset]
    assert not isinstance(wanted, WeightName)
    np.testing.assert_array_equal(array, wanted)


def halved(array: Array) -> Array:
    return array[: len(array) // 2]


def doubled(array: Array) -> Array:
    return np.concatenate([array, array])


@pytest.mark.parametrize(
    ("forms", "found"),
    [((), [1, 2, 3, 4]), ((halved, doubled), [1, 2, 1, 2]), ((doubled, halved), [1, 2, 3, 4])],
)
def test_forms_come_one_after_the_other(
    forms: tuple[Callable[[Array], Array], ...], found: list[int]
) -> None:
    name = WeightName("w", (4,), forms)
    assert name.array({"v": np.zeros(4), "w": np.array([1, 2, 3, 4])}).tolist() == found


def test_an_array_that_does_not_come_to_the_shape_is_refused() -> None:
    with pytest.raises(CompileError, match=r"^weight @w in the form \(4,\) is not known$"):
        WeightName("w", (4,), (halved,)).array({"w": np.zeros(4)})


def test_declared_weights_have_the_types_of_the_module() -> None:
    text = """func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = graph.weight @a : tensor<2x3xf32>
  %i = graph.weight @i : tensor<5xi64>
  %again = graph.weight @a : tensor<2x3xf32>
  %h = graph.weight @h : tensor<7x1xf16>
  %y = graph.add %x, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}"""
    store = declared(parse_module(text, registry.new_context()))
    types = {symbol: store.type(symbol) for symbol in store}
    assert {name: (type.shape, str(type.dtype)) for name, type in types.items()} == {
        "a": ((2, 3), "float32"),
        "i": ((5,), "int64"),
        "h": ((7, 1), "float16"),
    }
