"""Attention among the ops of a graph: a product, a softmax of its rows, the product of the weights.

``graph.attention`` stands as these ops where kernels are chosen. So what becomes of a mask, a scale
or padded keys is found in the ops between the products, however an exporter writes it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.contraction import Gemm, gemm
from dlc.analysis.epilogue import NotFusibleError, places
from dlc.dialects.graph.computed import ComputedOp, ContractionOp, ElementwiseOp
from dlc.dialects.graph.elementwise import AddOp
from dlc.dialects.graph.softmax_form import softmax_form
from dlc.ir.tensor import element_type, is_float, shape


@dataclass(frozen=True)
class Attention:
    """The ops of attention.

    scores: the first product. between: what is computed of the scores before the softmax, in order.
    logits: what the softmax is of. steps: the ops of the softmax. product: the second product,
    whose lhs are the weights. zero: whether the weights of a row are zero where its total is no
    number; without it they are NaN.
    """

    scores: ContractionOp
    between: tuple[ComputedOp, ...]
    logits: SSAValue
    steps: frozenset[Operation]
    product: ContractionOp
    zero: bool

    @property
    def loops(self) -> tuple[Gemm, Gemm]:
        """The loops of the two products: they agree in batch and rows, and the columns of the first
        are the reduction of the second.
        """
        return gemm(self.scores), gemm(self.product)

    @property
    def is_sum(self) -> bool:
        """Whether logits are scores and something that does not depend on them, added."""
        op = self.logits.owner
        return self.between == (op,) and isinstance(op, AddOp) and op.lhs is not op.rhs


def attention_of(product: ContractionOp) -> Attention | None:
    """Return the attention that ends with a product; ``None`` where its lhs are no weights of a
    softmax along rows, or these are no rows of another product.
    """
    form = softmax_form(product.operands[0])
    if form is None:
        return None
    between = list(_between(form.x))
    anchors = [op for op in between if isinstance(op, ContractionOp)]
    if len(anchors) != 1 or not _fit(anchors[0], product, form.x):
        return None
    own = tuple(op for op in reversed(between) if op is not anchors[0])
    found = Attention(anchors[0], own, form.x, frozenset(form.ops), product, form.zero)
    return found if _is_elementwise(found) else None


def _between(value: SSAValue) -> Iterator[ComputedOp]:
    """Yield the ops that a value is computed by, up to contractions, each after its readers."""
    ordered: list[ComputedOp] = []
    seen: set[Operation] = set()

    def visit(value: SSAValue) -> None:
        op = value.owner
        if not isinstance(op, ComputedOp) or op in seen:
            return
        seen.add(op)
        if not isinstance(op, ContractionOp):
            for operand in op.operands:
                visit(operand)
        ordered.append(op)

    visit(value)
    depends: set[Operation] = set()
    for op in ordered:
        if isinstance(op, ContractionOp) or any(v.owner in depends for v in op.operands):
            depends.add(op)
    return (op for op in reversed(ordered) if op in depends)


def _fit(scores: ContractionOp, product: ContractionOp, logits: SSAValue) -> bool:
    """Whether the columns of the first product are the reduction of the second, and all else is
    alike.
    """
    first, second = gemm(scores), gemm(product)
    rank = len(shape(logits))
    lhs = product.indexing_maps()[0]
    inner = len(product.domain.parallel)
    places = [AffineExpr.dimension(n) for n in (*range(rank - 1), inner)]
    in_order = all(
        size == 1 or expr == place
        for size, expr, place in zip(shape(logits), lhs.results, places, strict=True)
    )
    return (
        shape(scores.results[0]) == shape(logits) == shape(product.operands[0])
        and is_float(element_type(logits))
        and len({element_type(v) for v in (*scores.operands[:2], product.operands[1])}) == 1
        and (first.batch, first.m) == (second.batch, second.m)
        and [(loop.dim, loop.step) for loop in first.n] == [(rank - 1, 1)]
        and [(loop.dim, loop.step) for loop in second.k] == [(inner, 1)]
        and in_order
        and not scores.lhs_guard
        and not product.lhs_guard
    )


def _is_elementwise(found: Attention) -> bool:
    """Whether each logit is computed from one score, and stands at its place."""
    root = found.scores.results[0]
    if found.logits is root:
        return True
    if not all(isinstance(op, ElementwiseOp) for op in found.between):
        return False
    try:
        place = places(root, found.between)[found.logits]
    except NotFusibleError:
        return False
    dims = tuple(AffineExpr.dimension(n) for n in range(len(shape(root))))
    return place.index == dims and not place.conditions
