"""In which order kernels want weights."""

from collections.abc import Sequence
from typing import Literal

from xdsl.dialects.builtin import f32

from dlc.analysis.contraction import gemm
from dlc.analysis.element_profile import profile
from dlc.core.affine import stride
from dlc.dialects.graph.computed import ContractionOp, ReductionOp, WeightInner
from dlc.ir.tensor import element_type, shape

COLUMNS = 4
"""That a copy of 16 bytes brings in fp32."""

LEAST_ROWS = 32
"""Of products whose tiles share the rows of the weight; with fewer, a lane streams a column."""

Inner = Literal["n", "k", "gpu"]
"""The axis of a weight that is consecutive: of the result, of the reduction, or by ``inner_axis``
for a GPU.
"""


def inner_axis(op: ContractionOp, inner: Inner) -> WeightInner:
    """Return which axis of the weight of a contraction is consecutive. On a GPU that of the result
    where threads multiply-add, in fp32, with columns that fill copies and enough rows for tiles.
    """
    if inner != "gpu":
        return inner
    product = gemm(op)
    is_plain = op.precision is None and element_type(op.operands[0]) == f32
    wide = product.n_size % COLUMNS == 0 and product.m_size >= LEAST_ROWS
    return "n" if is_plain and wide else "k"


def lane_order(op: ReductionOp, operand: int) -> Sequence[int] | None:
    """Return the axes of an operand, the one last along which neighbours of the result's last axis
    read neighbours of it; ``None`` where it is the last already, or there is none.
    """
    rank = len(shape(op.results[0]))
    reads = [read for read in profile(op).reads if read.operand == operand]
    if len(reads) != 1:
        return None
    moves = [stride(expr, rank - 1) for expr in reads[0].map.results]
    if moves.count(0) != len(moves) - 1 or 1 not in moves:
        return None
    axis = moves.index(1)
    order = [*(a for a in range(len(moves)) if a != axis), axis]
    return None if axis == len(moves) - 1 else order
