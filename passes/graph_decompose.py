"""Replace each composite op by the ops that it means."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from dlc.core.passes import DlcPass
from dlc.dialects.graph.composite import decompose_composites


class GraphDecomposePass(DlcPass):
    """A composite op (softmax, layer norm, attention) is one op so that passes can see it whole; a
    strategy without a kernel of its own for it computes the ops that it stands for.

    Runs on: ``graph``, ``fused_group``. Leaves: the same without composite ops. Order: before
    ``convert-fused-group-to-loop``.
    """

    name = "graph-decompose"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        decompose_composites(ctx, op)
