"""Algebra on tensors.

A value is a tensor; its bytes, where it lives and how it is looped over are not expressible here.
Every op carries its meaning (see ``structure``); weights are symbols of a store outside the IR.
"""

from xdsl.ir import Dialect

from dlc.dialects.graph import (
    activation,
    arg_reduction,
    attention,
    cast,
    comparison,
    contraction,
    convolution,
    data_layout,
    elementwise,
    gather,
    generate,
    grid_sample,
    interpolate,
    layout,
    math,
    max_pool,
    normalization,
    pad,
    precision,
    quantize,
    recurrent,
    recurrent_cell,
    reduction,
    reshape,
    scan,
    scatter,
    sizes,
    softmax,
    sort,
    source,
    sum_pool,
    transposed_convolution,
    unpooling,
    wide,
)

_FAMILIES = [
    source,
    elementwise,
    math,
    activation,
    comparison,
    cast,
    wide,
    reshape,
    scatter,
    layout,
    pad,
    gather,
    generate,
    grid_sample,
    contraction,
    convolution,
    transposed_convolution,
    reduction,
    arg_reduction,
    max_pool,
    sum_pool,
    unpooling,
    normalization,
    softmax,
    recurrent_cell,
    quantize,
    interpolate,
    scan,
    sort,
    attention,
]

Graph = Dialect(
    "graph",
    [op for family in _FAMILIES for op in family.OPERATIONS],
    [
        *precision.ATTRIBUTES,
        *data_layout.ATTRIBUTES,
        *recurrent.ATTRIBUTES,
        *sizes.ATTRIBUTES,
    ],
)
