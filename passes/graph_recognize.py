"""Find the composite ops that an exporter has taken apart."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriter

from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph.composed_forms import FORMS
from dlc.dialects.graph.pattern import matches
from dlc.dialects.graph.structure import GraphOp


class GraphRecognizePass(DlcPass):
    """Replace small graphs that equal GELU, softmax, layer norm or attention by that op.

    One op can be chosen, scheduled or given to a library as a whole, and is computed in its most
    accurate form. The forms stand in ``dialects/graph/composed_forms.py``.

    Runs on: ``graph``. Leaves: ``graph``. Order: before ``graph-decompose``, which takes apart what
    no kernel exists for.

    ::

        %0 = graph.div %x, %sqrt2        ->  %y = graph.gelu %x
        %1 = graph.erf %0
        %2 = graph.add %1, %one
        %3 = graph.mul %x, %2
        %y = graph.mul %3, %half
    """

    name = "graph-recognize"
    joins_nodes = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [_Composed()], ctx)


class _Composed(OpRewrite[GraphOp]):
    def rewrite(self, op: GraphOp, rewriter: PatternRewriter) -> None:
        for form in FORMS:
            if not isinstance(op, form.pattern.op):
                continue
            for found in matches(form.pattern, op.results[0], {}):
                new = form.build(found, op)
                if new is not None:
                    rewriter.replace(op, new)
                    return
