"""Contractions seen as matrix products."""

from xdsl.dialects.builtin import DenseArrayBase, TensorType, f32, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.utils.test_value import create_ssa_value

from dlc.analysis.contraction import GemmLoop, gemm
from dlc.dialects.graph.contraction import MatmulOp
from dlc.dialects.graph.convolution import ConvOp
from dlc.dialects.graph.properties import integer


def _value(*sizes: int) -> SSAValue:
    return create_ssa_value(TensorType(f32, sizes))


def _integers(*values: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, values)


def _conv(x: SSAValue, weight: SSAValue, groups: int, pad: int) -> ConvOp:
    return ConvOp.make(
        x,
        weight,
        strides=_integers(1, 1),
        padding=_integers(pad, pad, pad, pad),
        dilations=_integers(1, 1),
        groups=integer(groups),
    )


def test_matmul_with_a_batch_of_both_factors() -> None:
    product = gemm(MatmulOp.make(_value(12, 128, 64), _value(12, 64, 96)))
    assert (product.batch_size, product.m_size, product.n_size, product.k_size) == (12, 128, 96, 64)


def test_batch_axis_of_the_lhs_only_is_a_row_axis() -> None:
    product = gemm(MatmulOp.make(_value(8, 128, 64), _value(64, 96)))
    assert product.batch == ()
    assert product.m == (GemmLoop(0, 8), GemmLoop(1, 128))


def test_convolution_rows_are_positions_and_reduction_is_channels_and_taps() -> None:
    product = gemm(_conv(_value(2, 16, 9, 9), _value(32, 16, 3, 3), groups=1, pad=1))
    assert (product.batch_size, product.m_size, product.n_size, product.k_size) == (
        1,
        2 * 9 * 9,
        32,
        16 * 9,
    )


def test_grouped_channels_are_cut_in_groups_and_columns() -> None:
    product = gemm(_conv(_value(1, 16, 5, 5), _value(12, 4, 1, 1), groups=4, pad=0))
    assert product.batch == (GemmLoop(1, 4, step=3),)
    assert product.n == (GemmLoop(1, 3),)
    assert (product.m_size, product.k_size) == (25, 4)


def test_depthwise_convolution_has_one_column_per_channel() -> None:
    product = gemm(_conv(_value(1, 16, 5, 5), _value(16, 1, 3, 3), groups=16, pad=1))
    assert (product.batch_size, product.n_size, product.k_size) == (16, 1, 9)


def test_dims_put_the_point_of_the_product_back_together() -> None:
    product = gemm(_conv(_value(1, 16, 5, 5), _value(12, 4, 1, 1), groups=4, pad=0))
    b, m, n, k = (AffineExpr.dimension(i) for i in range(4))
    values = [e.eval([2, 13, 1, 3], []) for e in product.dims(b, m, n, k)]
    assert values == [0, 2 * 3 + 1, 13 // 5, 13 % 5, 3, 0, 0]
