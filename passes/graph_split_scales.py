"""Multiply dequantised tensors as integers."""

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, i32
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from dlc import arch
from dlc.analysis.evaluation import is_known
from dlc.analysis.stored_byte import furthest, stored_bytes
from dlc.analysis.uniform_factor import against_result
from dlc.arch import instructions
from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.core.weights import WeightStore
from dlc.dialects.graph.cast import CastOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.graph.elementwise import MulOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_type, shape


@dataclass(frozen=True)
class GraphSplitScalesPass(DlcPass):
    """Write a contraction of 8-bit integers times scales as one of the integers, times the scales.

    ``(a * s) @ (b * t) = (a @ b) * (s * t)``, where ``s`` and ``t`` do not vary along the sum. The
    integers are added without a rounding error, so the result is nearer to what is meant than a sum
    of floats. ``graph-split-zero-points`` then multiplies what is stored.

    A product stays one of floats where 32 bits might not hold the sum, or a zero point may be any
    integer; where the rhs is made at run
    time, since its sums, which the zero point of the lhs needs, would be a kernel more; and on a
    chip without an instruction for 8 bits (a CPU takes longer for products of wide integers).

    Runs on: ``graph``. Leaves: ``graph``. Order: after ``graph-decompose``, which says what
    ``graph.dequantize_linear`` means; before ``graph-split-zero-points``.

    ::

        %0 = graph.cast %a {to = f32}       %0 = graph.matmul %a, %b : (..i32, ..i32) -> ..i32
        %1 = graph.mul %0, %s               %1 = graph.cast %0 {to = f32}
        %2 = graph.cast %b {to = f32}   ->  %2 = graph.mul %s, %t
        %3 = graph.mul %2, %t               %y = graph.mul %1, %2
        %y = graph.matmul %1, %3
    """

    name = "graph-split-scales"
    joins_nodes = True

    arch: str = arch.DEFAULT_TARGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if instructions.multiplies_bytes(arch.by_name(self.arch)):
            apply_patterns(op, [_Split(dlc_context(ctx).weights)], ctx)


@dataclass(frozen=True)
class _Scaled:
    """A factor ``integers * scale``. sizes: in which the scale meets the result."""

    integers: SSAValue
    scale: SSAValue
    sizes: list[int]


@dataclass
class _Split(OpRewrite[ContractionOp]):
    weights: WeightStore

    def rewrite(self, op: ContractionOp, rewriter: PatternRewriter) -> None:
        def insert(new: GraphOp) -> SSAValue:
            rewriter.insert(new)
            return new.results[0]

        if element_type(op.results[0]) != f32:
            return
        left, right = _scaled(op, 0), _scaled(op, 1)
        if left is None or right is None or not is_known(right.integers):
            return
        if not self._fits(op, left, right):
            return
        g = Composer(insert)
        scale = g.mul(g.reshape(left.scale, left.sizes), g.reshape(right.scale, right.sizes))
        sums = g.insert(op.with_operands([left.integers, right.integers, *op.operands[2:]]))
        rewriter.replace(op, [], [g.mul(g.cast(sums, f32), scale)])

    def _fits(self, op: ContractionOp, *factors: _Scaled) -> bool:
        """Return whether 32 bits hold every sum."""
        most = [furthest(each.integers, self.weights) for each in factors]
        known = [each for each in most if each is not None]
        return len(known) == len(most) and prod([*op.domain.reduction, *known]) < 2**31


def _scaled(op: ContractionOp, number: int) -> _Scaled | None:
    """Return what a factor is made of; ``None`` where that is not 8-bit integers and a scale, or
    the scale varies along the sum.
    """
    factor = op.operands[number]
    if not isinstance(product := factor.owner, MulOp):
        return None
    for x, scale in ((product.lhs, product.rhs), (product.rhs, product.lhs)):
        cast = x.owner
        if not isinstance(cast, CastOp) or element_type(cast.x) != i32 or shape(x) != shape(factor):
            continue
        sizes = against_result(op, number, shape(scale))
        if stored_bytes(cast.x) is not None and sizes is not None:
            return _Scaled(cast.x, scale, sizes)
    return None
