"""Loops of steps that are tried as one: it is written before the last of them, then takes their
place or goes.
"""

from collections.abc import Collection, Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.core.rewrite import inherit_location
from dlc.core.weights import WeightStore
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.dialects.graph.strands import Strand, Strands
from dlc.dialects.graph.structure import GraphOp


class JoinedLoops:
    """strands: the loops, in the order in which they stand. later: the ops that need their results
    and are not erased.
    """

    def __init__(self, strands: Sequence[Strand], later: Collection[Operation], store: WeightStore):
        self.last, self.later = strands[-1].loop, later
        self._inserted: list[Operation] = []
        self._strands = Strands(strands, self._insert, store)

    @property
    def loop(self) -> StepLoopOp:
        """The loop that does all of them."""
        return self._strands.loop

    def _insert(self, op: GraphOp) -> SSAValue:
        inherit_location(op, self.last.location)
        Rewriter.insert_op(op, InsertPoint.before(self.last))
        self._inserted.append(op)
        return op.results[0]

    def replace(self, old: Sequence[Operation]) -> None:
        """Let all read the new results; ``old`` vanish: the loops and what is between them, in
        order.
        """
        for value, new in self._strands.results:
            new.name_hint = value.name_hint
            value.replace_all_uses_with(new)
        self._move_readers()
        for op in reversed(old):
            Rewriter.erase_op(op)

    def _move_readers(self) -> None:
        """Move what needs the results behind the new loop."""
        block = self.last.parent
        assert block is not None
        for op in list(block.ops):
            if op is self.last:
                return
            if op in self.later:
                op.detach()
                Rewriter.insert_op(op, InsertPoint.before(self.last))

    def drop(self) -> None:
        """Take away what was written."""
        for op in reversed(self._inserted):
            Rewriter.erase_op(op)
