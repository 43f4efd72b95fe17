"""Give each reader of a cast to a wider type a cast of its own."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriter

from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph.cast import CastOp
from dlc.ir.tensor import element_bytes, element_type


class GraphSplitCastsPass(DlcPass):
    """A cast to a wider type costs nothing where it is read, but memory where it is stored.

    With one reader each, ``fuse`` can put every cast in the group that reads it; the narrow tensor
    lies between the groups.

    Runs on: ``graph``. Leaves: ``graph``. Order: after the last ``cse``, before ``fuse``.

    ::

        %0 = graph.cast %x {to = f32}      %0 = graph.cast %x {to = f32}
        %1 = graph.exp %0              ->  %1 = graph.exp %0
        %2 = graph.relu %0                 %2 = graph.cast %x {to = f32}
                                           %3 = graph.relu %2
    """

    name = "graph-split-casts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [_OneReader()], ctx)


class _OneReader(OpRewrite[CastOp]):
    def rewrite(self, op: CastOp, rewriter: PatternRewriter) -> None:
        if element_bytes(op.to) <= element_bytes(element_type(op.x)):
            return
        readers = list(dict.fromkeys(use.operation for use in op.output.uses))
        for reader in readers[1:]:
            new = CastOp.make(op.x, to=op.to)
            rewriter.insert(new)
            for number, operand in enumerate(reader.operands):
                if operand is op.output:
                    reader.operands[number] = new.results[0]
