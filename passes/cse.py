"""Merge equal ops that have no effects."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from dlc.core.merging import merge_equal_ops
from dlc.core.passes import DlcPass


class CsePass(DlcPass):
    """Of equal ops that have no effects only the first is kept, at the locations of all.

    Runs on: any level. Leaves: the same level. Order: any.

    ::

        %0 = graph.relu %x : … loc("a")  ->  %0 = graph.relu %x : … loc(fused["a", "b"])
        %1 = graph.relu %x : … loc("b")
    """

    name = "cse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        merge_equal_ops(op)
