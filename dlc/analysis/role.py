"""What part an op can play in a kernel, judged by its interfaces and access pattern."""

from dataclasses import dataclass
from enum import Enum, auto

from xdsl.ir.affine import AffineDimExpr

from dlc.analysis.contraction import gemm
from dlc.analysis.element_profile import profile
from dlc.dialects.graph.computed import ComputedOp, ContractionOp, ElementwiseOp, ReductionOp
from dlc.ir.tensor import shape

_WINDOW_REDUCTION = 64
"""A contraction that sums at most this much for one result is done by one thread in registers."""

_NARROW = 4
"""Fewer rows or columns than this fill no tile: half of the narrowest side of an mma instruction.
One thread for each result of more of them would read the same elements again and again.
"""

_ROW_REDUCTION = 32
"""From one warp's width on, a reduction may be shared between threads."""


class Role(Enum):
    """The part of an op in a kernel."""

    ANCHOR = auto()
    """A contraction large enough for tiles."""
    ROW = auto()
    """A reduction that threads share."""
    WINDOW = auto()
    """A reduction short enough for one thread: pooling, depthwise convolution."""
    ELEMENTWISE = auto()
    MOVE = auto()
    """Anything else that computes an element from others: data movement, gather, range."""


@dataclass(frozen=True)
class RowSpace:
    """What row reductions of one kernel must agree on: the shape they read, the axes they
    reduce.
    """

    shape: tuple[int, ...]
    axes: frozenset[int]

    @property
    def reduced(self) -> tuple[int, ...]:
        """The shape of the results that keep the reduced axes as size 1."""
        return tuple(1 if a in self.axes else n for a, n in enumerate(self.shape))

    @property
    def squeezed(self) -> tuple[int, ...]:
        """The shape of the results without the reduced axes."""
        return tuple(n for a, n in enumerate(self.shape) if a not in self.axes)


def role(op: ComputedOp) -> Role:
    """Return the part that ``op`` plays."""
    match op:
        case ContractionOp():
            product = gemm(op)
            if not product.batch_size * product.m_size * product.n_size * product.k_size:
                return Role.WINDOW  # nothing to tile
            narrow = min(product.m_size, product.n_size) < _NARROW
            return Role.WINDOW if narrow and product.k_size <= _WINDOW_REDUCTION else Role.ANCHOR
        case ReductionOp():
            return _reduction_role(op)
        case ElementwiseOp():
            return Role.ELEMENTWISE
        case _:
            return Role.MOVE


def row_space(op: ComputedOp) -> RowSpace | None:
    """Return the row space of a reduction over whole axes of one operand, else ``None``."""
    found = profile(op)
    inner = [r for r in found.reads if r.reduced]
    if len(inner) != 1 or inner[0].guarded:
        return None
    rank = len(found.parallel)
    axes: set[int] = set()
    for axis, expr in enumerate(inner[0].map.results):
        dims = expr.used_dims()
        if any(d >= rank for d in dims):
            if not isinstance(expr, AffineDimExpr):
                return None
            axes.add(axis)
    sizes = shape(op.operands[inner[0].operand])
    return RowSpace(sizes, frozenset(axes))


def _reduction_role(op: ReductionOp) -> Role:
    space = row_space(op)
    if space is None or any(shape(v) not in (space.reduced, space.squeezed) for v in op.results):
        return Role.WINDOW
    return Role.ROW if profile(op).reduction_points >= _ROW_REDUCTION else Role.WINDOW
