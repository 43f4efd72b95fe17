"""Multiply what needs the states of a loop, and what does not, by weights of their own."""

from dataclasses import dataclass
from itertools import accumulate, groupby

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from dlc.analysis.step_dependence import of_states, of_steps
from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.contraction import MatmulOp
from dlc.dialects.graph.layout import ConcatOp
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import shape


class GraphSplitConcatenationsPass(DlcPass):
    """The product of a concatenation and a weight, in the body of a loop, becomes a sum of products
    where some parts of the concatenation need a state and others do not.

    Cells are written so: ``[x, h] @ w``. The product of ``x`` can then be computed before the loop,
    and that of ``h`` is one of a state.

    Runs on: ``graph``. Leaves: ``graph``. Order: before ``graph-hoist-products``.

    ::

        %0 = graph.concat %part, %h {axis = 1}        %u, %v = graph.slice %w …
        %1 = graph.matmul %0, %w                  ->  %2 = graph.matmul %part, %u
                                                      %3 = graph.matmul %h, %v
                                                      %1 = graph.add %2, %3
    """

    name = "graph-split-concatenations"
    joins_nodes = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [_Split()], ctx)


@dataclass
class _Split(OpRewrite[MatmulOp]):
    def rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        loop, joined = op.parent_op(), op.lhs.owner
        if not isinstance(loop, StepLoopOp) or not isinstance(joined, ConcatOp):
            return
        states = of_states(loop)
        if not _is_along_rows(op, joined) or op.rhs in of_steps(loop):
            return
        if len({x in states for x in joined.inputs}) < 2:
            return

        def insert(new: GraphOp) -> SSAValue:
            rewriter.insert(new)
            return new.results[0]

        g = Composer(insert)
        axis = 1 if op.transpose_rhs is not None else 0
        total: SSAValue | None = None
        stops = accumulate(shape(x)[-1] for x in joined.inputs)
        for _, group in groupby(
            zip(joined.inputs, stops, strict=True), lambda each: each[0] in states
        ):
            values, ends = zip(*group, strict=True)
            lhs = g.concat(values, joined.axis.value.data)
            rhs = g.part(op.rhs, axis, ends[-1] - shape(lhs)[-1], ends[-1])
            product = insert(op.with_operands([lhs, rhs]))
            total = product if total is None else g.add(total, product)
        assert total is not None
        rewriter.replace(op, (), [total])


def _is_along_rows(op: MatmulOp, joined: ConcatOp) -> bool:
    """Whether a concatenation is along the reduction of a product with one matrix."""
    last = len(shape(joined.output)) - 1
    return op.transpose_lhs is None and len(shape(op.rhs)) == 2 and joined.axis.value.data == last
