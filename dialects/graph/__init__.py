"""Algebra on tensors.

A value is a tensor; its bytes, where it lives and how it is looped over are not expressible here.
Every op carries its meaning (see ``_structure``); weights are symbols of a store outside the IR.
"""

from xdsl.ir import Dialect

from dlc.dialects.graph import (
    _contraction,
    _convolution,
    _data_layout,
    _elementwise,
    _pooling,
    _precision,
    _reduction,
    _sizes,
    _source,
)

Graph = Dialect(
    "graph",
    [
        *_source.OPERATIONS,
        *_elementwise.OPERATIONS,
        *_contraction.OPERATIONS,
        *_convolution.OPERATIONS,
        *_reduction.OPERATIONS,
        *_pooling.OPERATIONS,
    ],
    [
        *_precision.ATTRIBUTES,
        *_data_layout.ATTRIBUTES,
        *_sizes.ATTRIBUTES,
    ],
)
