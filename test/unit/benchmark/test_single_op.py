"""Operations that are given as text: what they are, and what is said of a text that is none."""

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from dlc.benchmark.single_op import kind_names, parse_op
from dlc.errors import CompileError


@pytest.mark.parametrize(
    ("text", "shapes", "result", "flops"),
    [
        ("matmul:4x5x6", {"a": (4, 6), "w": (6, 5)}, (4, 5), 2 * 4 * 5 * 6),
        ("matmul:3x4x5x6:fp16", {"a": (3, 4, 6), "b": (3, 6, 5)}, (3, 4, 5), 2 * 3 * 4 * 5 * 6),
        (
            "conv:2x6x9x8:4x3x3",
            {"x": (2, 6, 9, 8), "w": (4, 6, 3, 3)},
            (2, 4, 9, 8),
            2 * (2 * 4 * 9 * 8) * 6 * 9,
        ),
        (
            "conv:1x6x9x8:4x3x1:stride=2:pad=0:groups=2:tf32",
            {"x": (1, 6, 9, 8), "w": (4, 3, 3, 1)},
            (1, 4, 4, 4),
            2 * (4 * 4 * 4) * 3 * 3,
        ),
        (
            "attention:2x3x4x8:keys=7",
            {"q": (2, 3, 4, 8), "k": (2, 3, 7, 8), "v": (2, 3, 7, 8)},
            (2, 3, 4, 8),
            4 * 2 * 3 * 4 * 8 * 7,
        ),
    ],
)
def test_an_operation(
    text: str,
    shapes: dict[str, tuple[int, ...]],
    result: tuple[int, ...],
    flops: int,
) -> None:
    op = parse_op(text, "fp32")
    assert (op.shapes(), op.flops()) == (shapes, flops)
    model = op.model()
    onnx.checker.check_model(model, full_check=True)
    (output,) = model.graph.output
    assert tuple(d.dim_value for d in output.type.tensor_type.shape.dim) == result
    given = [value.name for value in model.graph.input]
    assert given == [name for name in shapes if name != "w"]


def test_the_precision_of_the_text_goes_before_that_of_the_command() -> None:
    assert parse_op("matmul:1x1x1", "bf16").precision == "bf16"
    op = parse_op("matmul:1x1x1:fp16", "bf16")
    assert (op.precision, op.dtype) == ("fp16", np.float16)
    between = parse_op("conv:1x2x3x3:2x1x1:fp16:groups=2", "fp32")
    assert (between.precision, between.options) == ("fp16", {"groups": 2})
    weight = op.weight()
    assert weight is not None
    assert weight.dtype == np.float16


def test_results_are_of_order_one() -> None:
    random = np.random.default_rng(1)
    for text in ("matmul:64x64x512", "conv:1x32x12x12:32x3x3", "attention:1x2x32x16"):
        op = parse_op(text, "fp32")
        shapes = {name: shape for name, shape in op.shapes().items() if name != "w"}
        feeds = {n: random.standard_normal(s).astype(np.float32) for n, s in shapes.items()}
        (y,) = ReferenceEvaluator(op.model()).run(None, feeds)
        assert 0.1 < np.std(np.asarray(y)) < 2


def test_attention_is_what_it_says() -> None:
    op = parse_op("attention:1x1x3x4:keys=5", "fp32")
    random = np.random.default_rng(2)
    q, k, v = (random.standard_normal(s[2:]) for s in op.shapes().values())
    feeds = {n: x[None, None].astype(np.float32) for n, x in zip("qkv", (q, k, v), strict=True)}
    (y,) = ReferenceEvaluator(op.model()).run(None, feeds)
    scores = np.exp(q @ k.T / 2)
    np.testing.assert_allclose(
        np.asarray(y)[0, 0], scores / scores.sum(1, keepdims=True) @ v, rtol=1e-5
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gemm:1x2x3", "there is no operation 'gemm'; give attention, conv, matmul"),
        ("../ops/conv:1", "there is no operation '../ops/conv'"),
        ("matmul", "give matmul:MxNxK or matmul:BxMxNxK with sizes of 1 or more"),
        ("matmul:2x3", "give matmul:MxNxK"),
        ("matmul:2x0x3", "give matmul:MxNxK"),
        ("matmul:2x-1x3", "give matmul:MxNxK"),
        ("matmul:2x3x٣", "give matmul:MxNxK"),
        ("conv:1x3x8x8", "give conv:NxCxHxW:OxRxS"),
        ("conv:1x3x8x8:4x3x3:strid=2", "'strid=2' is none of what may follow the sizes: stride"),
        ("conv:1x3x8x8:4x3x3:stride=0", "stride and groups are 1 or more"),
        ("conv:1x3x8x8:4x3x3:groups=2", "2 groups do not divide 3 and 4 channels"),
        ("conv:1x3x2x2:4x9x9:pad=0", "the taps are more than the padded image"),
        ("matmul:2x3x4:fp17", "'fp17' is none of what may follow the sizes: fp32/tf32/fp16/bf16"),
        ("matmul:2x3x4:fp16:fp16", "'fp16' is none of what may follow"),
        ("attention:1x1x4x4:keys=0", "keys are 1 or more"),
    ],
)
def test_what_is_no_operation(text: str, message: str) -> None:
    with pytest.raises(CompileError) as error:
        parse_op(text, "fp32")
    assert message in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_each_kind_is_documented_by_its_file() -> None:
    assert kind_names() == ("attention", "conv", "matmul")
