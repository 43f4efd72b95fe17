"""What part an op can play in a kernel, judged by its interfaces and access pattern."""

from dataclasses import dataclass
from enum import Enum, auto

from xdsl.ir.affine import AffineDimExpr

from dlc.analysis.contraction import gemm
from dlc.analysis.element_profile import profile
from dlc.dialects.graph.computed import ComputedOp, ContractionOp, ElementwiseOp, ReductionOp
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.ir.tensor import shape


class Role(Enum):
    """The part of an op in a kernel."""

    ANCHOR = auto()
    """A contraction in tiles."""
    ROW = auto()
    """A reduction of whole rows that threads share."""
    WINDOW = auto()
    """A reduction that one thread does alone."""
    LOOP = auto()
    """Runs of a body of ops, one after the other."""
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


def role(op: ComputedOp, alone: bool = False) -> Role:
    """Return the part that ``op`` plays. alone: where each reduction is one thread's."""
    match op:
        case ContractionOp():
            return Role.WINDOW if alone or not gemm(op).points else Role.ANCHOR
        case ReductionOp():
            return Role.WINDOW if alone or not _has_rows(op) else Role.ROW
        case ElementwiseOp():
            return Role.ELEMENTWISE
        case StepLoopOp():
            return Role.LOOP
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


def _has_rows(op: ReductionOp) -> bool:
    """Return whether an op reduces rows of more than one element."""
    space = row_space(op)
    if space is None or any(shape(v) not in (space.reduced, space.squeezed) for v in op.results):
        return False
    return profile(op).reduction_points > 1
