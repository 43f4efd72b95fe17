"""Move broadcasts towards the results until an op that broadcasts takes them in."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from dlc.core.passes import DlcPass
from dlc.core.rewrite import erase_dead_ops
from dlc.dialects.graph.computed import ElementwiseOp
from dlc.dialects.graph.layout import BroadcastOp
from dlc.dialects.graph.properties import integers
from dlc.dialects.graph.source import SplatOp
from dlc.dialects.graph.step_loop import blocks
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import broadcast_shapes, element_type, shape


class GraphSinkBroadcastsPass(DlcPass):
    """Compute an elementwise op once for all places at which its operands repeat themselves.

    An operand repeats itself along an axis where ``graph.broadcast`` makes it so, and a splat along
    all of them. What is left of the repetition stands behind the op, and the next elementwise op
    takes it in, as it broadcasts its operands itself. Exporters write the mask of padded keys for
    each query of a sequence; so it becomes one row, and attention reads that.

    Runs on: ``graph``. Leaves: ``graph``. Order: after ``graph-fold-lookups``, which removes the
    lookups of masks.

    ::

        %0 = graph.broadcast %x {sizes = [128, 128]}    ->  %1 = graph.where %x, %a, %b
        %1 = graph.where %0, %a, %b : tensor<128x128>       %2 = graph.add %y, %1
        %2 = graph.add %y, %1
    """

    name = "graph-sink-broadcasts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for block in blocks(op):
            for candidate in list(block.ops):
                if isinstance(candidate, ElementwiseOp):
                    _sink(candidate)
        erase_dead_ops(op)


def _sink(op: ElementwiseOp) -> None:
    whole, sizes = shape(op.results[0]), broadcast_shapes(*map(_own_shape, op.operands))
    repeats = any(isinstance(x.owner, BroadcastOp) for x in op.operands)
    known = all(isinstance(x.owner, GraphOp) and x.owner.is_constant for x in op.operands)
    if known or (sizes == whole and not repeats):
        return
    made: list[Operation] = []
    operands = [_narrowed(x, made) for x in op.operands]
    made.append(op.with_operands(operands))
    if sizes != whole:
        made.append(BroadcastOp.make(made[-1].results[0], sizes=integers(whole)))
    for new in made:
        new.location = op.location
    Rewriter.replace_op(op, made)


def _own_shape(value: SSAValue) -> tuple[int, ...]:
    """Return the shape of what a value repeats."""
    match value.owner:
        case BroadcastOp(x=x):
            return shape(x)
        case SplatOp():
            return (1,) * len(shape(value))
        case _:
            return shape(value)


def _narrowed(value: SSAValue, made: list[Operation]) -> SSAValue:
    """Return what a value repeats. made: takes the ops that are needed for it."""
    match value.owner:
        case BroadcastOp(x=x):
            return x
        case SplatOp(value=element):
            made.append(SplatOp(element, TensorType(element_type(value), _own_shape(value))))
            return made[-1].results[0]
        case _:
            return value
