"""Give images of a few channels as many as one copy of a GPU brings."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from dlc import arch
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.evaluation import is_known
from dlc.analysis.factor_copy import copy_bytes
from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph.cast import CastOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.graph.convolution import ConvOp
from dlc.dialects.graph.layout import TransposeOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_type, shape
from dlc.plan import Planner

MULTIPLE = 4
"""Channels of 16 bits that a copy of 8 bytes brings, or of 8 bits that one of 4 does."""


@dataclass(frozen=True)
class GraphPadChannelsPass(DlcPass):
    """Add zero channels to the image of a convolution, and to its weight, up to a multiple of 4.

    Three channels of 16 bits are 6 bytes, which no asynchronous copy moves: the convolution loads
    each element by itself, once per place of its window. The kernel that brings the image into
    channels-last order can as well write a fourth channel.

    Only for a GPU, where the image is transposed for this convolution alone, no copy brings its
    channels as they are, at most a third is added, and the plans of the kernels take less time.

    Runs on: ``graph``. Leaves: ``graph``. Order: after ``graph-order-weights``, before
    ``graph-fold-constants``, which pads the weight.

    ::

        %0 = graph.transpose %x {..}         ->  %0 = graph.transpose %x {..}
        %y = graph.conv %0, %w : ..224x3xf16     %1 = graph.pad %0 : ..224x3xf16 -> ..224x4xf16
                                                 %2 = graph.pad %w : ..7x3xf16 -> ..7x4xf16
                                                 %y = graph.conv %1, %2 : ..224x4xf16
    """

    name = "graph-pad-channels"

    arch: str = arch.DEFAULT_TARGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = arch.by_name(self.arch)
        if isinstance(chip, arch.GpuArch) and "cp.async" in chip.capabilities:
            planner = Planner(chip, dlc_context(ctx).measurements)
            apply_patterns(op, [_Padded(planner)], ctx)


@dataclass
class _Padded(OpRewrite[ConvOp]):
    planner: Planner

    def rewrite(self, op: ConvOp, rewriter: PatternRewriter) -> None:
        moves = _moves(op.x)
        if not moves or not is_known(op.weight) or op.groups.value.data > 1:
            return
        more = -_channels(op) % MULTIPLE
        if not 0 < 3 * more <= _channels(op):
            return
        now, then = _program(moves, op, 0), _program(moves, op, more)
        conv = now.ops[-1]
        assert isinstance(conv, ConvOp)
        if copy_bytes(Cluster(now, (conv,)), conv, 0) or self._price(then) >= self._price(now):
            return

        def insert(new: GraphOp) -> SSAValue:
            rewriter.insert(new)
            return new.results[0]

        image, weight = (_margins(op, number, more) for number in (0, 1))
        composer = Composer(insert)
        new = op.with_operands([composer.pad(op.x, *image), composer.pad(op.weight, *weight)])
        rewriter.replace(op, [new], new.results)

    def _price(self, program: Dataflow) -> float:
        """Return the seconds of the better of one kernel and of two, the last of the convolution
        alone.
        """
        *before, last = program.ops
        ways = ((tuple(program.ops),), (tuple(before), (last,)))
        return min(sum(self.planner.seconds(Cluster(program, ops)) for ops in way) for way in ways)


def _moves(value: SSAValue) -> list[ComputedOp]:
    """Return the ops that only this value needs, one after the other, from a transposition on or
    before; none where there is none.
    """
    found: list[ComputedOp] = []
    while isinstance(owner := value.owner, ComputedOp) and len(owner.operands) == 1:
        if not value.has_one_use() or not (owner.moves_data or isinstance(owner, CastOp)):
            break
        found.insert(0, owner)
        value = owner.operands[0]
    return found if any(isinstance(op, TransposeOp) for op in found) else []


def _channels(op: ConvOp) -> int:
    return shape(op.x)[op.data_layout.channel_axis(len(shape(op.x)))]


def _margins(op: ConvOp, number: int, more: int) -> tuple[list[int], list[int]]:
    """Return what is added to a factor before and after each axis for ``more`` channels."""
    rank = len(shape(op.x))
    own = op.weight_layout.axes(rank)[1] if number else op.data_layout.channel_axis(rank)
    return [0] * rank, [more if axis == own else 0 for axis in range(rank)]


def _program(moves: Sequence[ComputedOp], op: ConvOp, more: int) -> Dataflow:
    """Return a program of the moves and the convolution, of ``more`` channels, alone."""
    first = moves[0].operands[0]
    image, (_, after) = _margins(op, 0, more), _margins(op, 1, more)
    sizes = [size + added for size, added in zip(shape(op.weight), after, strict=True)]
    block = Block(arg_types=[first.type, TensorType(element_type(op.weight), sizes)])
    values: dict[SSAValue, SSAValue] = {first: block.args[0]}

    def insert(new: Operation) -> SSAValue:
        block.add_op(new)
        return new.results[0]

    for move in moves:
        insert(move.clone(values))
    new = op.with_operands([Composer(insert).pad(values[op.x], *image), block.args[1]])
    block.add_ops([new, func.ReturnOp(*new.results)])
    return Dataflow(block)
