"""Let every op that has a preferred order of axes run in it."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from dlc.core.passes import DlcPass
from dlc.dialects.graph.layout import TransposeOp, inverse_permutation, transpose
from dlc.dialects.graph.structure import GraphOp


class GraphChooseLayoutPass(DlcPass):
    """Put images in channels-last order around the ops that prefer it, with transposes.

    The ops say which order they prefer (``GraphOp.preferred_permutation``): convolutions and pools
    read consecutive channels at each position, which is what vector loads, asynchronous copies and
    matrix instructions want. ``graph-sink-transposes`` then removes nearly all of the transposes.

    Runs on: ``graph``. Leaves: ``graph``. Order: before ``graph-sink-transposes``.

    ::

        %y = graph.conv %x, %w …  ->  %0 = graph.transpose %x permutation [0, 2, 3, 1]
                                      %1 = graph.conv %0, %w … layout channels_last
                                      %y = graph.transpose %1 permutation [0, 3, 1, 2]
    """

    name = "graph-choose-layout"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for candidate in list(op.walk()):
            if isinstance(candidate, GraphOp):
                _relay(candidate)


def _relay(op: GraphOp) -> None:
    permutation = op.preferred_permutation
    if permutation is None:
        return
    operands = list(op.operands)
    transposes: list[TransposeOp] = []
    for number in op.permuted_operands:
        transposes.append(transpose(operands[number], permutation))
        operands[number] = transposes[-1].output
    new = op.permuted(permutation, operands)
    assert new is not None, f"{op.name} prefers an order that it does not have"
    back = [transpose(r, inverse_permutation(permutation)) for r in new.results]
    for made in (*transposes, new, *back):
        made.location = op.location
    Rewriter.replace_op(op, [*transposes, new, *back], [t.output for t in back])
