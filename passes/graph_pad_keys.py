"""Give attention as many keys as make the rows of its scores begin at 16 bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Block, SSAValue, Use
from xdsl.pattern_rewriter import PatternRewriter

from dlc import arch
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.arch.memory import ACCESS_BYTES
from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.contraction import MatmulOp
from dlc.dialects.graph.elementwise import MulOp
from dlc.dialects.graph.precision import ModelPrecision, stored
from dlc.dialects.graph.softmax import SoftmaxOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_bytes, element_count, element_type, shape
from dlc.plan import INDISTINCT, Planner


@dataclass(frozen=True)
class GraphPadKeysPass(DlcPass):
    """Add zero keys and values to attention, until rows of scores are a multiple of 16 bytes, and
    mask their scores.

    197 scores of 16 bits are 394 bytes: no row but the first begins at a multiple of 16, so that
    scores are stored, read and copied one by one. A mask of minus infinity makes the weights of the
    added keys zero, so they change no sum. ``precision`` is that of ``graph-set-precision``: which
    type the scores will have.

    Only for a GPU; where one product makes the scores and others take the weights as their lhs;
    where these products, a kernel each, take less time, and less than all of it as one kernel
    without added keys, whose scores never leave registers, so that it is nothing to it where their
    rows begin.

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
    precision: ModelPrecision = "fp32"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = arch.by_name(self.arch)
        if isinstance(chip, arch.GpuArch):
            planner = Planner(chip, dlc_context(ctx).measurements)
            apply_patterns(op, [_Padded(planner, self.precision)], ctx)


@dataclass
class _Padded(OpRewrite[MatmulOp]):
    planner: Planner
    precision: ModelPrecision

    def rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        softmax = op.lhs.owner
        if not isinstance(softmax, SoftmaxOp) or not all(map(_weighs, softmax.results[0].uses)):
            return
        scores, keys = softmax.x.owner, shape(softmax.x)[-1]
        more = -keys % (ACCESS_BYTES // element_bytes(self._stored(softmax.x)))
        is_last = softmax.axis.value.data == len(shape(softmax.x)) - 1
        if not is_last or not more:
            return
        if not isinstance(scores, MatmulOp) or not softmax.x.has_one_use():
            return
        apart = self._price(scores, op, more)
        if apart >= self._price(scores, op, 0) * (1 - INDISTINCT):
            return
        if self._whole(scores, softmax, op) <= apart:
            return

        def insert(new: GraphOp) -> SSAValue:
            rewriter.insert(new)
            return new.results[0]

        g = Composer(insert)
        key = _padded(g, scores.rhs, _keys_of(scores), more)
        wide = insert(scores.with_operands([scores.lhs, key]))
        weights = insert(softmax.with_operands([g.seen(wide, keys)]))
        value = _padded(g, op.rhs, _values_of(op), more)
        new = op.with_operands([weights, value])
        rewriter.replace(op, [new], new.results)

    def _stored(self, x: SSAValue) -> Attribute:
        """Return the type that the elements of a tensor will have."""
        return stored(element_type(x), self.precision)

    def _price(self, scores: MatmulOp, values: MatmulOp, more: int) -> float:
        """Return the seconds of both products with so many keys more."""
        wide = _factors(scores, {(1, _keys_of(scores)): more})
        deep = _factors(values, {(0, -1): more, (1, _values_of(values)): more})
        return sum(self._seconds(op, sizes) for op, sizes in ((scores, wide), (values, deep)))

    def _seconds(self, op: MatmulOp, sizes: Sequence[Sequence[int]]) -> float:
        block = Block(arg_types=map(self._type, op.operands, sizes))
        new = op.with_operands(block.args)
        block.add_ops([new, func.ReturnOp(*new.results)])
        return self._seconds_of(block)

    def _whole(self, scores: MatmulOp, softmax: SoftmaxOp, values: MatmulOp) -> float:
        """Return the seconds of both products and the softmax as one kernel; infinite where no
        strategy takes them together.
        """
        if not softmax.results[0].has_one_use():
            return float("inf")
        factors = *scores.operands, values.rhs
        block = Block(arg_types=map(self._type, factors, map(shape, factors)))
        *first, value = block.args

        def insert(new: GraphOp) -> SSAValue:
            block.add_op(new)
            return new.results[0]

        (weights,) = softmax.with_operands([insert(scores.with_operands(first))]).decompose(insert)
        block.add_op(func.ReturnOp(insert(values.with_operands([weights, value]))))
        return self._seconds_of(block)

    def _type(self, x: SSAValue, sizes: Sequence[int]) -> TensorType[Attribute]:
        return TensorType(self._stored(x), sizes)

    def _seconds_of(self, block: Block) -> float:
        program = Dataflow(block)
        return self.planner.seconds(Cluster(program, tuple(program.ops)))


def _keys_of(scores: MatmulOp) -> int:
    """Return the axis of the rhs whose elements are keys, counted from the end."""
    return -1 if scores.transpose_rhs is None else -2


def _values_of(product: MatmulOp) -> int:
    """Return the axis of the rhs that has a value for each key, counted from the end."""
    return -2 if product.transpose_rhs is None else -1


def _factors(op: MatmulOp, more: Mapping[tuple[int, int], int]) -> list[list[int]]:
    """Return the sizes of the factors of a product, some of which are larger than they are."""
    sizes = [list(shape(x)) for x in op.operands]
    for (factor, axis), added in more.items():
        sizes[factor][axis] += added
    return sizes


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
