"""Split a batch axis of products, and of what is computed of them, where it is split elsewhere."""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.graph.reshape import ReshapeOp, reshape, split_sizes
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import shape

_ROW_RANK = 2
"""The axes of a matrix, which the reshapes that move leave as they are."""


class GraphSplitBatchesPass(DlcPass):
    """Let products, the softmax of their rows and elementwise ops between have one batch.

    Some models fold the heads of attention into the batch for the products, and unfold them for a
    mask, or the other way round. The reshapes between keep the two products from being seen as one
    attention. Here all ops are computed with the axes apart: a reshape that splits batch axes goes
    before the op that it reads, one that merges them goes behind the op that reads it. Both are
    views wherever they stand.

    Runs on: ``graph``. Leaves: ``graph``. Order: before ``graph-recognize``, which looks for
    attention.

    ::

        %0 = graph.matmul %q, %k : 16x64x64                 %0 = graph.reshape %q : 2x8x64x32
        %1 = graph.reshape %0 : 2x8x64x64               ->  %1 = graph.reshape %k : 2x8x32x64
        %2 = graph.add %1, %mask                            %2 = graph.matmul %0, %1 : 2x8x64x64
                                                            %3 = graph.add %2, %mask
    """

    name = "graph-split-batches"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [_SplitBefore(), _MergeBehind()], ctx)


class _SplitBefore(OpRewrite[ReshapeOp]):
    """What a reshape splits is computed split."""

    def rewrite(self, op: ReshapeOp, rewriter: PatternRewriter) -> None:
        source = op.x.owner
        if not _splits(shape(op.x), shape(op.output)) or not _is_of_product(op.x):
            return
        assert isinstance(source, GraphOp)
        if op.x.has_one_use() and (new := _split(source, shape(op.output), rewriter)):
            rewriter.replace(op, new)


class _MergeBehind(OpRewrite[GraphOp]):
    """What reads a product whose batch axes are merged is computed before they are."""

    def rewrite(self, op: GraphOp, rewriter: PatternRewriter) -> None:
        if not _goes_by_rows(op):
            return
        whole = shape(op.results[0])
        for x in op.operands:
            merge = x.owner
            if not isinstance(merge, ReshapeOp) or shape(x)[:-_ROW_RANK] != whole[:-_ROW_RANK]:
                continue
            if _splits(shape(x), shape(merge.x)) and _is_of_product(merge.x):
                sizes = (*shape(merge.x)[:-_ROW_RANK], *whole[-_ROW_RANK:])
                if new := _split(op, sizes, rewriter):
                    rewriter.replace(op, (new, reshape(new.results[0], whole)))
                    return


def _splits(old: Sequence[int], new: Sequence[int]) -> bool:
    """Whether a shape is another one with batch axes in several, and the same rows."""
    same = len(old) > _ROW_RANK and old[-_ROW_RANK:] == new[-_ROW_RANK:]
    return same and len(new) > len(old)


def _goes_by_rows(op: GraphOp) -> bool:
    """Whether an op does the same for each matrix of a batch."""
    return op.row_rank is not None and op.row_rank <= _ROW_RANK


def _is_of_product(value: SSAValue) -> bool:
    """Whether a value is a batch of products, or computed of one at each place or row alone."""
    pending, seen = [value], set[SSAValue]()
    while pending:
        here = pending.pop()
        op = here.owner
        if here in seen or not isinstance(op, GraphOp) or not _goes_by_rows(op):
            continue
        if isinstance(op, ContractionOp) and all(len(shape(x)) > _ROW_RANK for x in op.operands):
            return True
        seen.add(here)
        pending += [] if isinstance(op, ContractionOp) else op.operands
    return False


def _split(op: GraphOp, sizes: Sequence[int], rewriter: PatternRewriter) -> GraphOp | None:
    """Return an op with a result of the shape ``sizes``, after inserting views of its operands;
    ``None`` where one of them cannot be split.
    """
    old, new = shape(op.results[0])[:-_ROW_RANK], sizes[:-_ROW_RANK]
    wanted = [split_sizes(shape(x)[:-_ROW_RANK], old, new) for x in op.operands]
    if any(batch is None for batch in wanted):
        return None
    operands = list(op.operands)
    for number, (x, batch) in enumerate(zip(op.operands, wanted, strict=True)):
        if batch is not None and batch != shape(x)[:-_ROW_RANK]:
            operands[number] = _viewed(x, (*batch, *shape(x)[-_ROW_RANK:]), op, rewriter)
    made = op.with_batch(operands)
    made.location = op.location
    return made


def _viewed(
    x: SSAValue, sizes: tuple[int, ...], reader: GraphOp, rewriter: PatternRewriter
) -> SSAValue:
    """Return a value in another shape: what it is a view of, if that has it."""
    source = x.owner.x if isinstance(x.owner, ReshapeOp) else x
    if shape(source) == sizes:
        return source
    view = reshape(source, sizes)
    view.location = reader.location
    rewriter.insert(view)
    return view.output
