"""Algebra on tensors.

A value is a tensor; its bytes, where it lives and how it is looped over are not expressible here.
Every op carries its meaning (see ``_structure``); weights are symbols of a store outside the IR.
"""

from xdsl.ir import Dialect

from dlc.dialects.graph import (
    _activation,
    _arg_reduction,
    _attention,
    _cast,
    _comparison,
    _contraction,
    _convolution,
    _data_layout,
    _elementwise,
    _gather,
    _generate,
    _grid_sample,
    _interpolate,
    _layout,
    _math,
    _max_pool,
    _normalization,
    _pad,
    _precision,
    _quantize,
    _recurrent,
    _recurrent_cell,
    _reduction,
    _reshape,
    _scan,
    _scatter,
    _sizes,
    _softmax,
    _sort,
    _source,
    _sum_pool,
    _transposed_convolution,
    _unpooling,
    _wide,
)

_FAMILIES = [
    _source,
    _elementwise,
    _math,
    _activation,
    _comparison,
    _cast,
    _wide,
    _reshape,
    _scatter,
    _layout,
    _pad,
    _gather,
    _generate,
    _grid_sample,
    _contraction,
    _convolution,
    _transposed_convolution,
    _reduction,
    _arg_reduction,
    _max_pool,
    _sum_pool,
    _unpooling,
    _normalization,
    _softmax,
    _recurrent_cell,
    _quantize,
    _interpolate,
    _scan,
    _sort,
    _attention,
]

Graph = Dialect(
    "graph",
    [op for family in _FAMILIES for op in family.OPERATIONS],
    [
        *_precision.ATTRIBUTES,
        *_data_layout.ATTRIBUTES,
        *_recurrent.ATTRIBUTES,
        *_sizes.ATTRIBUTES,
    ],
)
