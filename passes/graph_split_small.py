"""Give each reader of a small tensor that is quickly computed an operation of its own."""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from dlc.analysis.dataflow import is_inlined, origin
from dlc.analysis.element_profile import profile
from dlc.core.passes import DlcPass
from dlc.core.rewrite import apply_patterns
from dlc.dialects.graph.computed import ComputedOp, ElementwiseOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_count

_SMALLER = 8
"""Of so many elements of a reader there is one at most: it is computed as often as it is read. What
reads nothing costs no more than to read it, however many there are.
"""

_MOST_OPERATIONS = 2
"""What computes an element costs no more than to load it."""


class GraphSplitSmallPass(DlcPass):
    """A mask of few elements, made of a tensor that is in memory anyway, costs less where it is
    read than a kernel that stores it.

    With one reader each, ``fuse`` can put every copy in the group that reads it. This holds for
    elementwise ops of one tensor that is an argument or has other readers, or of a view of one,
    where every reader is elementwise and computes many elements with each of theirs. It holds, too,
    for what is computed of nothing (the positions of a ``range``), for views of it, and for
    elementwise ops of it, however many elements these have.

    Runs on: ``graph``. Leaves: ``graph``. Order: after the last ``cse``, before ``fuse``.

    ::

        %0 = graph.compare %n, 0                 %0 = graph.compare %n, 0
        %1 = graph.where %0, %x, %y          ->  %1 = graph.where %0, %x, %y
        %2 = graph.where %0, %y, %z              %2 = graph.compare %n, 0
                                                 %3 = graph.where %2, %y, %z
    """

    name = "graph-split-small"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [_OneReader()], ctx)


class _OneReader(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, GraphOp) or len(op.results) != 1:
            return
        readers = list(dict.fromkeys(use.operation for use in op.results[0].uses))
        if len(readers) < 2 or not _may_be_copied(op, readers):
            return
        for reader in readers[1:]:
            copy = _copied(op, rewriter)
            for number, operand in enumerate(reader.operands):
                if operand is op.results[0]:
                    reader.operands[number] = copy.results[0]


def _copied(op: Operation, rewriter: PatternRewriter) -> Operation:
    """Insert a copy of an op, and of what is computed of nothing that it reads."""
    own = [value for value in op.operands if _is_of_nothing(value)]
    copies = {v: _copied(v.owner, rewriter) for v in own if isinstance(v.owner, Operation)}
    copy = op.clone({value: new.results[0] for value, new in copies.items()})
    rewriter.insert(copy)
    return copy


def _may_be_copied(op: GraphOp, readers: Sequence[Operation]) -> bool:
    if _is_of_nothing(op.results[0]):
        return all(isinstance(each, GraphOp) for each in readers)
    if not isinstance(op, ElementwiseOp):
        return False
    return all(_is_larger(each, op) for each in readers) and _is_quick(op)


def _is_of_nothing(value: SSAValue) -> bool:
    """Whether a tensor is computed of places alone, or is a view of such a one."""
    source = origin(value).owner
    return isinstance(source, ComputedOp) and not source.operands and not source.is_constant


def _is_quick(op: ElementwiseOp) -> bool:
    read = _read(op)
    cheap = profile(op).total_cost <= _MOST_OPERATIONS
    return cheap and (not read or (len(read) == 1 and _is_there_anyway(read[0], op)))


def _read(op: Operation) -> list[SSAValue]:
    """Return the operands that lie in memory."""
    return [value for value in op.operands if not is_inlined(value) and not _is_of_nothing(value)]


def _is_there_anyway(value: SSAValue, reader: Operation) -> bool:
    """Whether a tensor is in memory even where ``reader`` is computed with what reads it."""
    source = origin(value)
    if isinstance(source, BlockArgument):
        return True
    return any(op is not reader for op in _readers(source))


def _readers(value: SSAValue) -> list[Operation]:
    """Return who reads a tensor, through views of it too."""
    found: list[Operation] = []
    for use in value.uses:
        op = use.operation
        found += _readers(op.results[0]) if isinstance(op, GraphOp) and op.is_view else [op]
    return found


def _is_larger(reader: Operation, op: ElementwiseOp) -> bool:
    if not isinstance(reader, ElementwiseOp):
        return False
    times = _SMALLER if _read(op) else 1
    return element_count(reader.results[0]) >= times * element_count(op.results[0])
