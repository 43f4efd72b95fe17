"""Inputs of the verification."""

import ml_dtypes
import numpy as np
import pytest

from dlc import registry
from dlc.analysis.entry import find_main
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import Array
from dlc.ir.tensor import element_type, is_float
from dlc.runtime.library import TensorInfo
from dlc.verification.error_bound import relative_error
from dlc.verification.inputs import verification_inputs
from dlc.verification.met_range import met_range

CASES = ["random", "large", "special", "zero", "ties", "small", "negative"]

SWITCH = """
func.func @main(%rate: tensor<i64> {graph.name = "rate"}, %ids: tensor<400xi64> {graph.name = "ids"}
                ) -> tensor<i1> {
  %0 = graph.constant dense<16000> : tensor<i64>
  %1 = graph.constant dense<8000> : tensor<i64>
  %2 = graph.constant dense<77> : tensor<i64>
  %3 = graph.compare %rate, %0 {predicate = "eq"} : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %4 = graph.compare %1, %rate {predicate = "eq"} : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %5 = graph.compare %ids, %2 {predicate = "eq"} : (tensor<400xi64>, tensor<i64>) -> tensor<400xi1>
  func.return %4 : tensor<i1>
}
"""

INDEX = """
func.func @main(%table: tensor<11x2xf32> {graph.name = "table"},
                %ids: tensor<400xi64> {graph.name = "ids"},
                %mask: tensor<400xi64> {graph.name = "mask"},
                %step: tensor<400xi64> {graph.name = "step"}) -> tensor<400x2xf32> {
  %0 = graph.gather %table, %ids {axis = 0}
    : (tensor<11x2xf32>, tensor<400xi64>) -> tensor<400x2xf32>
  %1 = graph.cast %mask {to = f32} : tensor<400xi64> -> tensor<400xf32>
  %2 = graph.add %step, %step : (tensor<400xi64>, tensor<400xi64>) -> tensor<400xi64>
  %3 = graph.gather %table, %2 {axis = 0}
    : (tensor<11x2xf32>, tensor<400xi64>) -> tensor<400x2xf32>
  func.return %0 : tensor<400x2xf32>
}
"""

FREE = """
func.func @main(%a: tensor<400xTYPE> {graph.name = "a"}) -> tensor<400xTYPE> {
  %0 = graph.add %a, %a : (tensor<400xTYPE>, tensor<400xTYPE>) -> tensor<400xTYPE>
  func.return %0 : tensor<400xTYPE>
}
"""

ROUNDS = """
func.func @main(%x: tensor<400xf32> {graph.name = "x"}) -> tensor<400xi32> {
  %0 = graph.cast %x {to = i32} : tensor<400xf32> -> tensor<400xi32>
  func.return %0 : tensor<400xi32>
}
"""


def cases(text: str, *inputs: TensorInfo) -> dict[str, dict[str, Array]]:
    module = parse_module(text, registry.new_context())
    drawn = dict(verification_inputs(inputs, module, WeightStore()))
    for feeds in drawn.values():
        assert {i.name: (i.dtype, i.shape) for i in inputs} == {
            n: (x.dtype, x.shape) for n, x in feeds.items()
        }
    return drawn


def info(name: str, dtype: type = np.int64, sizes: tuple[int, ...] = (400,)) -> TensorInfo:
    return TensorInfo(name, np.dtype(dtype), sizes)


LENGTH = """
func.func @main(%x: tensor<100xf32> {graph.name = "x"}, %n: tensor<1xTYPE> {graph.name = "n"})
    -> tensor<100xf32> {
  %0 = graph.constant dense<160> : tensor<TYPE>
  %1 = graph.div %n, %0 : (tensor<1xTYPE>, tensor<TYPE>) -> tensor<1xTYPE>
  %2 = graph.constant dense<[PLACES]> : tensor<100xTYPE>
  %3 = graph.compare %2, %1 {predicate = "lt"} : (tensor<100xTYPE>, tensor<1xTYPE>)
    -> tensor<100xi1>
  %4 = graph.cast %1 {to = f32} : tensor<1xTYPE> -> tensor<1xf32>
  %5 = graph.div %x, %4 : (tensor<100xf32>, tensor<1xf32>) -> tensor<100xf32>
  %6 = graph.constant dense<0.0> : tensor<f32>
  %7 = graph.where %3, %5, %6 : (tensor<100xi1>, tensor<100xf32>, tensor<f32>) -> tensor<100xf32>
  func.return %7 : tensor<100xf32>
}
""".replace("PLACES", ", ".join(map(str, range(100))))


@pytest.mark.parametrize("type", [np.int64, np.int32])
def test_a_length_that_is_compared_with_places_is_among_them(type: type) -> None:
    """What the model computes of it, a 160th, is compared with 0 to 99."""
    text = LENGTH.replace("TYPE", np.dtype(type).name.replace("int", "i"))
    drawn = cases(text, info("x", np.float32, (100,)), info("n", type, (1,)))
    assert 160 < drawn["random"]["n"] < 16000
    assert drawn["ties"]["n"] != drawn["random"]["n"]
    module = parse_module(text, registry.new_context())
    (value,) = [x for x in find_main(module).args if not is_float(element_type(x))]
    found = met_range(find_main(module), value, [], WeightStore())
    assert found
    assert (found.least, found.largest) == (0, 101 * 160 - 1)


def test_a_mask_that_is_looked_up_is_not_compared_with_its_places() -> None:
    """PyTorch looks a mask up by a grid of places; a lookup of booleans is no comparison."""
    text = """
func.func @main(%n: tensor<2x3xi64> {graph.name = "n"}) -> tensor<3xi1> {
  %0 = graph.cast %n {to = i1} : tensor<2x3xi64> -> tensor<2x3xi1>
  %1 = graph.constant dense<[[1, 0], [1, 1], [1, 2]]> : tensor<3x2xi64>
  %2 = graph.gather_nd %0, %1 {batch_axes = 0 : i64} : (tensor<2x3xi1>, tensor<3x2xi64>)
    -> tensor<3xi1>
  func.return %2 : tensor<3xi1>
}
"""
    main = find_main(parse_module(text, registry.new_context()))
    assert met_range(main, main.args[0], [], WeightStore()) is None


def test_a_length_from_which_indices_are_computed_makes_legal_ones() -> None:
    last = """
func.func @main(%x: tensor<3x20xf32> {graph.name = "x"}, %n: tensor<3x1xi64> {graph.name = "n"})
    -> (tensor<3x1xf32>, tensor<3x20xi1>) {
  %0 = graph.constant dense<5> : tensor<i64>
  %1 = graph.add %n, %0 : (tensor<3x1xi64>, tensor<i64>) -> tensor<3x1xi64>
  %2 = graph.gather_elements %x, %1 {axis = 1} : (tensor<3x20xf32>, tensor<3x1xi64>)
    -> tensor<3x1xf32>
  %3 = graph.constant dense<[PLACES]> : tensor<20xi64>
  %4 = graph.compare %3, %n {predicate = "lt"} : (tensor<20xi64>, tensor<3x1xi64>)
    -> tensor<3x20xi1>
  func.return %2, %4 : tensor<3x1xf32>, tensor<3x20xi1>
}
""".replace("PLACES", ", ".join(map(str, range(20))))
    drawn = cases(last, info("x", np.float32, (3, 20)), info("n", np.int64, (3, 1)))
    assert drawn["random"]["n"].max() > 1
    assert all((x["n"] >= 0).all() and (x["n"] < 15).all() for x in drawn.values())


def test_a_scalar_that_is_compared_with_constants_is_one_of_them() -> None:
    for name, feeds in cases(SWITCH, info("rate", sizes=()), info("ids")).items():
        assert int(feeds["rate"]) in ([0] if name == "zero" else [8000, 16000])
        if name != "zero":
            assert 0 < np.count_nonzero(feeds["ids"] == 77) < 200


def test_indices_are_drawn_over_their_whole_legal_range() -> None:
    table = info("table", np.float32, (11, 2))
    drawn = cases(INDEX, table, info("ids"), info("mask"), info("step"))
    assert set(drawn["random"]["ids"].tolist()) == set(range(-11, 11))
    assert set(drawn["large"]["ids"].tolist()) == {-11, 10}
    assert all(((x["ids"] >= -11) & (x["ids"] <= 10)).all() for x in drawn.values())


def test_integers_from_which_indices_are_computed_are_0_and_1() -> None:
    table = info("table", np.float32, (11, 2))
    for feeds in cases(INDEX, table, info("ids"), info("mask"), info("step")).values():
        assert set(feeds["step"].tolist()) <= {0, 1}


def test_integers_that_become_floats_are_flags_and_in_one_case_more() -> None:
    table = info("table", np.float32, (11, 2))
    drawn = cases(INDEX, table, info("ids"), info("mask"), info("step"))
    assert set(drawn["random"]["mask"].tolist()) == {0, 1}
    assert drawn["ties"]["mask"].min() < -200
    assert 200 < drawn["ties"]["mask"].max() <= 300


def test_other_integers_have_all_lengths_and_both_signs() -> None:
    values = cases(FREE.replace("TYPE", "i64"), info("a"))["random"]["a"]
    assert {0, 1} < set(values.tolist())
    for bits in (8, 16, 32, 60):
        assert values.min() < -(2**bits)
        assert values.max() > 2**bits


def test_divisors_are_never_zero() -> None:
    text = FREE.replace("TYPE", "i64").replace("graph.add", "graph.mod")
    for feeds in cases(text, info("a")).values():
        assert (feeds["a"] != 0).all()


def test_integers_stay_inside_their_type() -> None:
    types = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.uint64)
    for dtype in types:
        name = np.dtype(dtype).name.replace("uint", "ui").replace("int", "i")
        drawn = cases(FREE.replace("TYPE", name), info("a", dtype))
        limits = np.iinfo(dtype)
        assert set(drawn["large"]["a"].tolist()) == {max(limits.min, -limits.max), limits.max}
        assert drawn["random"]["a"].max() > limits.max // 4


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_many_unsigned_integers_are_above_the_largest_with_a_sign(dtype: type) -> None:
    """Taken for numbers with a sign these are negative."""
    name = np.dtype(dtype).name.replace("uint", "ui")
    values = cases(FREE.replace("TYPE", name), info("a", dtype))["random"]["a"]
    above = values > np.iinfo(dtype).max // 2
    assert values.size / 4 < np.count_nonzero(above) < values.size * 3 / 4


def test_unsigned_indices_are_not_negative() -> None:
    unsigned = """
func.func @main(%table: tensor<11x2xf32> {graph.name = "table"},
                %ids: tensor<400xui8> {graph.name = "ids"}) -> tensor<400x2xf32> {
  %0 = graph.cast %ids {to = i64} : tensor<400xui8> -> tensor<400xi64>
  %1 = graph.gather %table, %0 {axis = 0}
    : (tensor<11x2xf32>, tensor<400xi64>) -> tensor<400x2xf32>
  func.return %1 : tensor<400x2xf32>
}
"""
    drawn = cases(unsigned, info("table", np.float32, (11, 2)), info("ids", np.uint8))
    assert set(drawn["random"]["ids"].tolist()) == set(range(11))
    assert set(drawn["large"]["ids"].tolist()) == {0, 10}


def test_floats_hold_ties_halves_and_negative_zeros() -> None:
    drawn = cases(FREE.replace("TYPE", "f32"), info("a", np.float32))
    assert list(drawn) == CASES
    for name in ("random", "ties"):
        x = drawn[name]["a"]
        on_grid = x[x * 4 == np.rint(x * 4)]
        assert np.unique(on_grid).size < on_grid.size / 2
        assert on_grid.size > 50
        assert (np.abs(x) % 1 == 0.5).any()
        assert (np.signbit(x) & (x == 0)).any()
    assert (drawn["negative"]["a"] <= 0).all()


def test_large_floats_overflow_exponentials_and_small_ones_are_denormal() -> None:
    for dtype in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64):
        name = np.dtype(dtype).name.replace("bfloat", "bf").replace("float", "f")
        drawn = cases(FREE.replace("TYPE", name), info("a", dtype))
        assert drawn["large"]["a"].max() >= 300
        least = float(drawn["small"]["a"][drawn["small"]["a"] > 0].astype(np.float64).min())
        assert 0 < least < float(ml_dtypes.finfo(dtype).smallest_normal)


def test_one_nan_and_both_infinities_stand_among_many_floats() -> None:
    x = cases(FREE.replace("TYPE", "f32"), info("a", np.float32))["special"]["a"]
    assert np.isnan(x).sum() == np.isposinf(x).sum() == np.isneginf(x).sum() == 1


def test_a_model_that_makes_integers_of_floats_gets_no_nan() -> None:
    drawn = cases(ROUNDS, info("x", np.float32))
    assert list(drawn) == [name for name in CASES if name != "special"]
    assert all(np.isfinite(feeds["x"]).all() for feeds in drawn.values())


SAMPLES = """
func.func @main(%x: tensor<1x2x4x5xf32> {graph.name = "x"},
    %grid: tensor<1x3x3x2xf32> {graph.name = "grid"})
    -> (tensor<1x2x3x3xf32> {graph.name = "y"}) {
  %y = graph.grid_sample %x, %grid {mode = "linear", padding = "zeros"}
      : (tensor<1x2x4x5xf32>, tensor<1x3x3x2xf32>) -> tensor<1x2x3x3xf32>
  func.return %y : tensor<1x2x3x3xf32>
}
"""


def test_a_model_that_samples_at_places_of_floats_gets_no_nan() -> None:
    assert "special" not in cases(SAMPLES, info("x", np.float32))


def test_long_integers_that_differ_in_the_last_digit_differ() -> None:
    right = np.asarray([2**60, 2**60 + 1])
    assert relative_error(right, right) == 0
    assert relative_error(right, np.asarray([2**60, 2**60])) == 0.5


HIDES = """
func.func @main(%mask: tensor<1x300xi1> {graph.name = "mask"}, %x: tensor<1x300xf32>
                {graph.name = "x"}) -> tensor<1x300xf32> {
  %0 = graph.splat 0.0 : f32 -> tensor<1x300xf32>
  %y = graph.where %mask, %x, %0
      : (tensor<1x300xi1>, tensor<1x300xf32>, tensor<1x300xf32>) -> tensor<1x300xf32>
  func.return %y : tensor<1x300xf32>
}
"""


def test_a_mask_of_one_row_hides_its_beginning_on_one_input() -> None:
    inputs = [
        TensorInfo("mask", np.dtype(bool), (1, 300)),
        TensorInfo("x", np.dtype(np.float32), (1, 300)),
    ]
    module, weights = parse_module(HIDES, registry.new_context()), WeightStore()
    masks = [feeds["mask"][0] for _, feeds in verification_inputs(inputs, module, weights)]
    assert any(not x[:32].any() and x[-1] for x in masks)
