"""Products and convolutions: code and decompositions compute what the references say."""

import numpy as np
import pytest
from samples import Sample, check_code, sample, values, without_sample
from xdsl.dialects.builtin import UnitAttr

from dlc.dialects.graph import contraction, convolution, transposed_convolution
from dlc.dialects.graph.data_layout import CHANNELS_FIRST, CHANNELS_LAST, HWIO, OHWI, OIHW
from dlc.dialects.graph.properties import integer, integers


def matmul_samples() -> list[Sample]:
    op = contraction.MatmulOp
    yes = UnitAttr()
    return [
        sample(op, "plain", values(3, 4), values(4, 5)),
        sample(op, "lhs", values(4, 3), values(4, 5), transpose_lhs=yes),
        sample(op, "rhs", values(3, 4), values(5, 4), transpose_rhs=yes),
        sample(op, "batch", values(2, 1, 3, 4), values(3, 4, 2)),
        sample(op, "shared", values(2, 6, 3, 4), values(2, 2, 4, 5), shared=integer(3)),
        sample(op, "keys", values(6, 1, 4), values(3, 5, 4), transpose_rhs=yes, shared=integer(2)),
        sample(op, "half", values(3, 4, dtype=np.float16), values(4, 2, dtype=np.float16)),
        sample(op, "integer", values(3, 4, dtype=np.int32), values(4, 2, dtype=np.int32)),
    ]


def convolution_of(
    label: str, data: tuple[int, ...], weight: tuple[int, ...], **given: list[int]
) -> Sample:
    """Return a sample with the defaults of one spatial axis repeated."""
    axes = len(data) - 2
    groups = given.pop("groups", [1])[0]
    padding = given.get("padding", [0] * 2 * axes)
    return sample(
        convolution.ConvOp,
        label,
        values(*data),
        values(*weight, seed=1),
        strides=integers(given.get("strides", [1] * axes)),
        padding=integers(padding),
        dilations=integers(given.get("dilations", [1] * axes)),
        groups=integer(groups),
    )


def convolution_samples() -> list[Sample]:
    data, weight = values(2, 4, 5, 6), values(6, 2, 3, 2, seed=1)
    layouts = [
        sample(
            convolution.ConvOp,
            f"{data_layout.data}-{weight_layout.data}",
            data if data_layout is CHANNELS_FIRST else np.moveaxis(data, 1, -1),
            weight.transpose(order),
            weight_layout=weight_layout,
            strides=integers([2, 1]),
            padding=integers([1, 0, 0, 2]),
            dilations=integers([1, 2]),
            groups=integer(2),
            data_layout=data_layout,
        )
        for data_layout in (CHANNELS_FIRST, CHANNELS_LAST)
        for weight_layout, order in (
            (OIHW, (0, 1, 2, 3)),
            (OHWI, (0, 2, 3, 1)),
            (HWIO, (2, 3, 1, 0)),
        )
    ]
    return [
        *layouts,
        convolution_of("1d", (1, 3, 7), (2, 3, 3), padding=[1, 1]),
        convolution_of("3d", (1, 2, 4, 3, 4), (3, 2, 2, 2, 2), padding=[0, 1, 0, 1, 0, 1]),
        convolution_of("depthwise", (1, 4, 4, 4), (4, 1, 3, 3), groups=[4], padding=[1, 1, 1, 1]),
        convolution_of("multiplied", (1, 2, 4, 4), (6, 1, 3, 3), groups=[2]),
        convolution_of("pointwise", (2, 3, 3, 3), (4, 3, 1, 1), strides=[2, 2]),
    ]


TRANSPOSED = {
    "stride-1": ((1, 3, 4, 4), (3, 2, 3, 3), [1, 1], [1, 1, 1, 1], [1, 1], [0, 0], 1),
    "stride-2": ((2, 3, 3, 4), (3, 2, 4, 4), [2, 2], [1, 1, 1, 1], [1, 1], [0, 0], 1),
    "uneven": ((1, 2, 3, 4), (2, 3, 3, 5), [2, 3], [0, 2, 1, 0], [1, 1], [1, 2], 1),
    "small-kernel": ((1, 2, 3, 3), (2, 2, 1, 2), [3, 3], [0, 0, 0, 0], [1, 1], [2, 0], 1),
    "groups": ((1, 4, 3, 3), (4, 3, 3, 3), [2, 1], [1, 0, 0, 1], [1, 1], [0, 0], 2),
    "dilated": ((1, 2, 3, 4), (2, 2, 3, 2), [2, 1], [0, 0, 0, 0], [2, 3], [0, 0], 1),
    "cropped": ((1, 1, 5), (1, 1, 3), [2], [4, 3], [1], [0], 1),
    "3d": ((1, 2, 2, 2, 3), (2, 1, 2, 3, 2), [1, 2, 2], [0] * 6, [1, 1, 1], [0, 0, 0], 1),
}


def transposed_samples() -> list[Sample]:
    return [
        sample(
            transposed_convolution.ConvTransposeOp,
            label,
            values(*data),
            values(*weight, seed=1),
            strides=integers(strides),
            padding=integers(padding),
            dilations=integers(dilations),
            growth=integers(growth),
            groups=integer(groups),
        )
        for label, (data, weight, strides, padding, dilations, growth, groups) in TRANSPOSED.items()
    ]


SAMPLES = [*matmul_samples(), *convolution_samples(), *transposed_samples()]


@pytest.mark.parametrize("this", SAMPLES, ids=str)
def test_code_computes_the_reference(this: Sample) -> None:
    check_code(this)


def test_every_op_has_a_sample() -> None:
    families = (contraction, convolution, transposed_convolution)
    assert not without_sample(families, SAMPLES)


def test_convolution_without_window_is_a_product() -> None:
    """The reference of a 1x1 convolution against numpy alone."""
    this = convolution_of("pointwise", (2, 3, 4, 5), (6, 3, 1, 1))
    x, weight = this.operands
    expected = np.einsum("nchw,oc->nohw", x, weight[:, :, 0, 0])
    np.testing.assert_allclose(this.op.reference(x, weight), expected, rtol=1e-5)
