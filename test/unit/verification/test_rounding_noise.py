"""Rounding errors that a model magnifies are no faults: single elements may take the other step."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from dlc import registry
from dlc.compiler.levels import lower
from dlc.compiler.targets import Target
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.errors import CompileError
from dlc.oracle import run_block, run_reference
from dlc.verification.error_bound import error_bound, relative_error
from dlc.verification.groups import check_results
from dlc.verification.rounding_noise import RoundingNoise, errors_beyond

QUANTIZED = """
func.func @main(%x: tensor<64x96xf32>, %w: tensor<96x80xf32>, %v: tensor<80x48xf32>)
    -> tensor<64x48xf32> {
  %s = graph.splat 0.3 : f32 -> tensor<f32>
  %z = graph.splat 128.0 : f32 -> tensor<f32>
  %top = graph.splat 255.0 : f32 -> tensor<f32>
  %low = graph.splat 0.0 : f32 -> tensor<f32>
  %0 = graph.matmul %x, %w : (tensor<64x96xf32>, tensor<96x80xf32>) -> tensor<64x80xf32>
  %1 = graph.div %0, %s : (tensor<64x80xf32>, tensor<f32>) -> tensor<64x80xf32>
  %2 = graph.round %1 : tensor<64x80xf32> -> tensor<64x80xf32>
  %3 = graph.add %2, %z : (tensor<64x80xf32>, tensor<f32>) -> tensor<64x80xf32>
  %4 = graph.max %3, %low : (tensor<64x80xf32>, tensor<f32>) -> tensor<64x80xf32>
  %5 = graph.min %4, %top : (tensor<64x80xf32>, tensor<f32>) -> tensor<64x80xf32>
  %6 = graph.cast %5 {to = ui8} : tensor<64x80xf32> -> tensor<64x80xui8>
  %7 = graph.cast %6 {to = f32} : tensor<64x80xui8> -> tensor<64x80xf32>
  %8 = graph.sub %7, %z : (tensor<64x80xf32>, tensor<f32>) -> tensor<64x80xf32>
  %9 = graph.mul %8, %s : (tensor<64x80xf32>, tensor<f32>) -> tensor<64x80xf32>
  %10 = graph.matmul %9, %v : (tensor<64x80xf32>, tensor<80x48xf32>) -> tensor<64x48xf32>
  func.return %10 : tensor<64x48xf32>
}
"""
FAULTS = {
    "scale": ("graph.div %0, %s", "graph.div %0, %wrong"),
    "zero point": ("graph.add %2, %z", "graph.add %2, %off"),
    "rounding mode": ("graph.round", "graph.floor"),
    "saturation": ("graph.min %4, %top", "graph.min %4, %half"),
}
WRONG = """  %wrong = graph.splat 0.301 : f32 -> tensor<f32>
  %off = graph.splat 129.0 : f32 -> tensor<f32>
  %half = graph.splat 127.0 : f32 -> tensor<f32>
  %0 ="""
WEIGHTS = WeightStore()


def text(fault: str = "") -> str:
    right, wrong = FAULTS[fault] if fault else ("", "")
    return QUANTIZED.replace("  %0 =", WRONG).replace(right, wrong, 1 if fault else 0)


def feeds(seed: int = 0) -> dict[str, Array]:
    generator = np.random.default_rng(seed)
    sizes = {"input0": (64, 96), "input1": (96, 80), "input2": (80, 48)}
    return {n: generator.standard_normal(size, np.float32) for n, size in sizes.items()}


def errors_of(fault: str, seed: int = 0, shift: float = 0.0) -> tuple[list[float], float]:
    """Return the errors of a float32 evaluation beyond its slack, and the bound.

    shift: relative, of the first operand: another way of summing the products.
    """
    context = registry.new_context()
    right, run = parse_module(text(), context), parse_module(text(fault), context)
    given = feeds(seed)

    def reference(**how: Any) -> list[Array]:
        return [*run_reference(right, given, WEIGHTS, **how).values()]

    moved = {**given, "input1": given["input1"] * np.float32(1 + shift)}
    got = [*run_reference(run, moved, WEIGHTS, np.float32).values()]
    bound = error_bound(right, "fp32")
    return [*errors_beyond([reference], reference(), got, "fp32", bound).errors], bound


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("ulps", [1, -2, 4])
def test_rounding_errors_are_allowed(seed: int, ulps: int) -> None:
    errors, bound = errors_of("", seed, ulps * 2.0**-24)
    assert all(error <= bound for error in errors)


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_a_model_are_found(fault: str) -> None:
    errors, bound = errors_of(fault)
    assert all(error > 10 * bound for error in errors)


def rounds(group: GroupOp) -> bool:
    return any(op.has_steps for op in group.walk() if isinstance(op, GraphOp))


def group_results(fault: str) -> tuple[GroupOp, list[Array], list[Array]]:
    """Return the group with the rounding, its arguments, and what the faulty group makes of them
    in float32.
    """
    groups: list[GroupOp] = []
    for source in (text(), text(fault)):
        context = registry.new_context()
        module = parse_module(source, context)
        for level in lower(context, module, Target("cpu"), "fp32"):
            if level == "fused-group":
                break
        groups += [op for op in module.walk() if isinstance(op, GroupOp) and rounds(op)][:1]
    generator = np.random.default_rng(0)
    arguments: list[Array] = [
        generator.standard_normal([*x.type.get_shape()], np.float32)  # pyright: ignore  (the element type is no parameter here)
        for x in groups[0].inputs
    ]
    return groups[0], arguments, run_block(groups[1].body.block, arguments, WEIGHTS, np.float32)


@pytest.mark.parametrize("fault", ["", *FAULTS])
def test_faults_of_a_launch_are_found(fault: str) -> None:
    group, arguments, results = group_results(fault)
    wanted = run_block(group.body.block, arguments, WEIGHTS)
    if not fault:
        check_results(group, "g0", arguments, wanted, results, WEIGHTS, "fp32")
        return
    with pytest.raises(CompileError, match="verification failed: a result is off by"):
        check_results(group, "g0", arguments, wanted, results, WEIGHTS, "fp32")


ROUND = """
func.func @main(%x: tensor<1000xf32>, %s: tensor<f32>) -> tensor<1000xi32> {
  %0 = graph.div %x, %s : (tensor<1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %1 = graph.round %0 : tensor<1000xf32> -> tensor<1000xf32>
  %2 = graph.cast %1 {to = i32} : tensor<1000xf32> -> tensor<1000xi32>
  func.return %2 : tensor<1000xi32>
}
"""


def test_only_elements_beside_a_step_may_take_the_other_one() -> None:
    module = parse_module(ROUND, registry.new_context())
    x = np.linspace(-5, 5, 1000).astype(np.float32)
    x[7] = np.float32(0.3) * np.float32(2.5)  # a tie, but for the rounding of the product
    given = {"input0": x, "input1": np.array(0.3, np.float32)}

    def reference(**how: Any) -> list[Array]:
        return [*run_reference(module, given, WEIGHTS, **how).values()]

    (wanted,) = reference()

    def error(place: int) -> float:
        got = wanted.copy()
        got[place] += 1 if x[place] / 0.3 > wanted[place] else -1
        assert relative_error(wanted, got) == 1 / x.size
        return errors_beyond([reference], [wanted], [got], "fp32", 0.0).errors[0]

    assert error(7) == 0
    middle = int(np.argmin(np.abs(x / 0.3 - np.rint(x / 0.3))))
    assert error(middle) == 1 / x.size


def op_of(line: str, *types: str) -> GraphOp:
    arguments = ", ".join(f"%{name}: {type}" for name, type in zip("abc", types, strict=False))
    body = f"func.func @main({arguments}) {{\n  %0 = graph.{line}\n  func.return\n}}"
    module = parse_module(body, registry.new_context())
    return next(op for op in module.walk() if isinstance(op, GraphOp))


F, N, B = "tensor<4xf32>", "tensor<4xi32>", "tensor<4xi1>"
STEPPED = [
    (f"round %a : {F} -> {F}", (F,), True),
    (f"floor %a : {F} -> {F}", (F,), True),
    (f"exp %a : {F} -> {F}", (F,), False),
    (f"sign %a : {F} -> {F}", (F,), True),
    (f"sign %a : {N} -> {N}", (N,), False),
    (f"cast %a {{to = i32}} : {F} -> {N}", (F,), True),
    (f"cast %a {{to = f16}} : {F} -> tensor<4xf16>", (F,), False),
    (f"cast %a {{to = f32}} : {N} -> {F}", (N,), False),
    (f'compare %a, %b {{predicate = "lt"}} : ({F}, {F}) -> {B}', (F, F), True),
    (f'compare %a, %b {{predicate = "lt"}} : ({N}, {N}) -> {B}', (N, N), False),
    (f"where %a, %b, %c : ({B}, {F}, {F}) -> {F}", (B, F, F), False),
]


@pytest.mark.parametrize(("line", "types", "stepped"), STEPPED)
def test_ops_say_whether_they_have_steps(line: str, types: tuple[str, ...], stepped: bool) -> None:
    assert op_of(line, *types).has_steps == stepped


def test_noise_is_of_the_size_of_rounding_errors_and_has_an_opposite() -> None:
    op = op_of(f"add %a, %b : ({F}, {F}) -> {F}", F, F)
    x = np.array([0.5, 3.0, -0.0, np.inf])
    noises = [RoundingNoise(0, sign, "fp32") for sign in (1, -1)]
    for up, down in (
        [noise.operands(op, [x, x])[0] for noise in noises],
        [noise.results(op, [x])[0] for noise in noises],
    ):
        assert 0.25 * 16 * 2.0**-24 <= abs(up[0] - 0.5) <= 0.5 * 16 * 2.0**-24
        assert up[0] + down[0] == 1.0
        np.testing.assert_array_equal(up[1:], x[1:])  # whole numbers stay
    stepped = op_of(f"round %a : {F} -> {F}", F)
    np.testing.assert_array_equal(noises[0].operands(stepped, [x])[0], x)
    np.testing.assert_array_equal(noises[0].results(stepped, [x])[0], x)


BEST = """
func.func @main(%x: tensor<4xf32>) -> tensor<i64> {
  %0 = graph.erf %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.arg_max %0 axes [0] : tensor<4xf32> -> tensor<i64>
  func.return %1 : tensor<i64>
}
"""
DIFFERENCE = """
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %0 = graph.log_softmax %x axis 0 : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.reduce_max %0 axes [0] : tensor<4xf32> -> tensor<f32>
  func.return %1 : tensor<f32>
}
"""


@pytest.mark.parametrize(
    ("model", "x", "got", "wrong"),
    [
        # In float64 the second element is larger; in float32 both are 1, the first one is taken.
        (BEST, [5.0, 6.0, 0.0, 1.0], 0, 3),
        # -exp(-30) in float64, 0 in float32.
        (DIFFERENCE, [30.0, 0.0, -9.0, -9.0], 0.0, -1e-3),
    ],
)
def test_what_float32_cannot_tell_apart_is_allowed(
    model: str, x: list[float], got: float, wrong: float
) -> None:
    module = parse_module(model, registry.new_context())

    def reference(**how: Any) -> list[Array]:
        feeds = {"input0": np.array(x, np.float32)}
        return [*run_reference(module, feeds, WEIGHTS, **how).values()]

    wanted, bound = reference(), error_bound(module, "fp32")
    right, bad = (np.asarray(a, wanted[0].dtype) for a in (got, wrong))
    assert errors_beyond([reference], wanted, [right], "fp32", bound).errors[0] <= bound
    assert errors_beyond([reference], wanted, [bad], "fp32", bound).errors[0] > bound


HALF = """
func.func @main(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = graph.exp %x : tensor<8xf16> -> tensor<8xf16>
  %1 = graph.reduce_sum %0 axes [0] keep_dims : tensor<8xf16> -> tensor<1xf16>
  %2 = graph.div %0, %1 : (tensor<8xf16>, tensor<1xf16>) -> tensor<8xf16>
  %3 = graph.sign %2 : tensor<8xf16> -> tensor<8xf16>
  func.return %3 : tensor<8xf16>
}
"""


@pytest.mark.parametrize("wide", ["f32", "f64"])
def test_values_of_half_precision_have_their_own_bound(wide: str) -> None:
    context = registry.new_context()
    half = error_bound(parse_module(HALF, context), "fp32")
    # Three results with unit roundoff 2**-11, a sum of 8 terms, and the sign.
    assert half == pytest.approx(16 * (np.sqrt(4) * 2.0**-11 + 2.0**-24 * np.sqrt(8)))
    assert error_bound(parse_module(HALF.replace("f16", wide), context), "fp32") < half / 1000
    assert error_bound(parse_module(HALF.replace("f16", "bf16"), context), "fp32") > 7 * half


def test_what_storing_a_value_loses_is_allowed() -> None:
    module = parse_module(HALF.replace("<8x", "<64x"), registry.new_context())
    x = np.linspace(0, 5, 64).astype(np.float16)
    x[[1, 3]] = -20

    def reference(**how: Any) -> list[Array]:
        return [*run_reference(module, {"input0": x}, WEIGHTS, **how).values()]

    wanted, bound = reference(), error_bound(module, "fp32")
    got = wanted[0].copy()
    got[[1, 3]] = 0  # as float16, exp(-20) is zero
    assert errors_beyond([reference], wanted, [got], "fp32", bound).errors[0] == 0
    got[5] = 0
    assert errors_beyond([reference], wanted, [got], "fp32", bound).errors[0] > bound


def test_forms_that_differ_at_infinities_excuse_each_other_only_there() -> None:
    wanted, other = np.array([-np.inf, 1.0, 2.0]), np.array([np.nan, 1.0, 2.0])
    runs = [lambda **how: [wanted], lambda **how: [other]]
    errors = partial(errors_beyond, runs, [wanted], precision="fp32", bound=1e-3)
    assert errors(got=[other]).errors[0] == np.inf
    assert errors(got=[other], forms_differ=True).errors[0] == 0
    assert errors(got=[np.array([np.nan, 1.0, 3.0])], forms_differ=True).errors[0] > 0.1
    assert errors(got=[np.array([np.nan, np.nan, 2.0])], forms_differ=True).errors[0] == np.inf


@pytest.mark.parametrize(("positive", "is_excused"), [(2, True), (0, False)])
def test_sums_that_overflow_either_way_may_be_nan(positive: int, is_excused: bool) -> None:
    """The sum of all terms is -infinity in float32; only with two positive ones is another order
    NaN.
    """
    module = parse_module(
        """
        func.func @main(%x: tensor<1x8xf32>, %w: tensor<8x1xf32>) -> tensor<1x1xf32> {
          %0 = graph.matmul %x, %w : (tensor<1x8xf32>, tensor<8x1xf32>) -> tensor<1x1xf32>
          func.return %0 : tensor<1x1xf32>
        }
        """,
        registry.new_context(),
    )
    terms = np.full((1, 8), -3e38, np.float32)
    terms[0, -2:] = 3e38 if positive else -1
    given = {"input0": terms, "input1": np.ones((8, 1), np.float32)}

    def reference(**how: Any) -> list[Array]:
        return [*run_reference(module, given, WEIGHTS, **how).values()]

    wanted, got = reference(), np.full((1, 1), np.nan, np.float32)
    assert wanted[0] == -np.inf
    bound = error_bound(module, "fp32")
    (error,) = errors_beyond([reference], wanted, [got], "fp32", bound).errors
    assert (error <= bound) == is_excused


def test_inputs_and_constants_that_are_compared_are_stored_too() -> None:
    """1.001 and 1.0035 are 1 in bfloat16, and 1.005 is 1.0078."""
    text = """
func.func @main(%x: tensor<300xf32>) -> tensor<300xf32> {
  %c = graph.constant dense<1.003500> : tensor<f32>
  %0 = graph.compare %x, %c {predicate = "gt"} : (tensor<300xf32>, tensor<f32>) -> tensor<300xi1>
  %1 = graph.splat 9.0 : f32 -> tensor<300xf32>
  %2 = graph.where %0, %1, %x
    : (tensor<300xi1>, tensor<300xf32>, tensor<300xf32>) -> tensor<300xf32>
  func.return %2 : tensor<300xf32>
}"""
    module = parse_module(text, registry.new_context())
    x = np.r_[1.001, 1.0037, np.linspace(2, 3, 298)].astype(np.float32)

    def run(**how: Any) -> list[Array]:
        return [*run_reference(module, {"input0": x}, WEIGHTS, **how).values()]

    def error(*first: float) -> float:
        got = np.r_[first, [9] * (300 - len(first))].astype(np.float32)
        return errors_beyond([run], run(), [got], "bf16", 1e-2).errors[0]

    assert error(1.001) == 0
    assert error(9) == 0  # the constant alone is 1
    assert error(1, 1) == 0  # both are 1
    assert error(1, 1, 2) > 0.5
