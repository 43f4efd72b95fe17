"""Give attention as many keys as make the rows of its scores begin at 16 bytes."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue, Use
from xdsl.pattern_rewriter import PatternRewriter

from dlc import arch
from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.contraction import MatmulOp
from dlc.dialects.graph.elementwise import MulOp
from dlc.dialects.graph.softmax import SoftmaxOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_count, shape

MULTIPLE = 8
"""Elements of 16 bits that one copy, or one store, moves."""

_LEAST_SHARE = 16
"""A key is added for as many keys at least."""


@dataclass(frozen=True)
class GraphPadKeysPass(DlcPass):
    """Add zero keys and values to attention, up to a multiple of 8, and mask their scores.

    197 scores of 16 bits are 394 bytes: no row but the first begins at a multiple of 16, so that
    scores are stored, read and copied one by one. A mask of minus infinity makes the weights of the
    added keys zero, so they change no sum.

    Only for a GPU; where one product makes the scores and others take the weights as their lhs;
    where at most a key is added for 16 others.

    Runs on: ``graph``. Leaves: ``graph``. Order: after ``graph-recognize``, before
    ``graph-decompose``, which takes softmax apart.

    ::

        %s = graph.matmul %q, %k {transpose_rhs}  ->  %0 = graph.pad %k : ..197x64 -> ..200x64
        %p = graph.softmax %s axis 2                  %1 = graph.matmul %q, %0 {transpose_rhs}
        %y = graph.matmul %p, %v                      %2 = graph.where %inside, %1, %lowest
                                                      %p = graph.softmax %2 axis 2
                                                      %3 = graph.pad %v : ..197x64 -> ..200x64
                                                      %y = graph.matmul %p, %3
    """

    name = "graph-pad-keys"

    arch: str = arch.DEFAULT_TARGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = arch.by_name(self.arch)
        if isinstance(chip, arch.GpuArch):
            apply_patterns(op, [_Padded()], ctx)


class _Padded(OpRewrite[MatmulOp]):
    def rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        softmax = op.lhs.owner
        if not isinstance(softmax, SoftmaxOp) or not all(map(_weighs, softmax.results[0].uses)):
            return
        scores, keys = softmax.x.owner, shape(softmax.x)[-1]
        more = -keys % MULTIPLE
        is_last = softmax.axis.value.data == len(shape(softmax.x)) - 1
        if not is_last or not 0 < _LEAST_SHARE * more <= keys:
            return
        if not isinstance(scores, MatmulOp) or not softmax.x.has_one_use():
            return

        def insert(new: GraphOp) -> SSAValue:
            rewriter.insert(new)
            return new.results[0]

        g = Composer(insert)
        key = _padded(g, scores.rhs, -1 if scores.transpose_rhs is None else -2, more)
        wide = insert(scores.with_operands([scores.lhs, key]))
        weights = insert(softmax.with_operands([g.seen(wide, keys)]))
        value = _padded(g, op.rhs, -2 if op.transpose_rhs is None else -1, more)
        new = op.with_operands([weights, value])
        rewriter.replace(op, [new], new.results)


def _weighs(use: Use) -> bool:
    """Return whether an op takes weights as the lhs of a product, in rows."""
    op = use.operation
    return isinstance(op, MatmulOp) and use.index == 0 and op.transpose_lhs is None


def _padded(g: Composer, x: SSAValue, axis: int, more: int) -> SSAValue:
    """Return a tensor with ``more`` zeros after it along an axis, which is counted from the end;
    what is scaled by a number is padded before.
    """
    scale = x.owner
    if isinstance(scale, MulOp) and element_count(scale.rhs) == 1 and shape(scale.lhs) == shape(x):
        return g.mul(_padded(g, scale.lhs, axis, more), scale.rhs)
    high = [0] * len(shape(x))
    high[axis] = more
    return g.pad(x, [0] * len(high), high)
