"""Sums of products named by letters, as transposes, reductions and matrix products."""

from collections.abc import Iterable, Sequence
from functools import reduce
from math import prod

from xdsl.ir import SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.layout import SliceOp
from dlc.dialects.graph.properties import integers
from dlc.dialects.graph.reduction import ReduceSumOp
from dlc.errors import CompileError, OpenSizeError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.ir.tensor import DYNAMIC, shape

Labels = tuple[str, ...]
"""One label for each axis: a letter, or a number for an axis that an ellipsis stands for."""


@converts("Einsum", since=12)
def _einsum(node: NodeContext) -> SSAValue:
    operands = node.operands()
    ranks = [len(shape(x)) for x in operands]
    if any(DYNAMIC in shape(x) for x in operands):
        raise OpenSizeError(node.op_type)
    terms, result = parse_equation(node.string("equation"), ranks)
    g = Composer(node.insert)
    factors = [_Factor(g, *pair).without_repetition() for pair in zip(operands, terms, strict=True)]
    for number, factor in enumerate(factors):
        elsewhere = {*result, *_all_labels(f for f in factors if f is not factor)}
        factors[number] = factor.summed_to(elsewhere)
    return _product(g, factors, result).ordered(result)


def _product(g: Composer, factors: Sequence["_Factor"], result: Labels) -> "_Factor":
    rest = list(factors)
    total = rest.pop(0)
    while rest:
        factor = rest.pop(0)
        total = total.times(factor, {*result, *_all_labels(rest)})
    return total


def _all_labels(factors: Iterable["_Factor"]) -> set[str]:
    return {label for factor in factors for label in factor.labels}


def parse_equation(equation: str, ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
    """Return the labels of each operand's axes and those of the result.

    An ellipsis stands for the axes that have no letter, counted from the last one. Raises
    CompileError for an equation that does not fit the operands.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    texts = left.split(",")
    if len(texts) != len(ranks):
        raise CompileError(
            f"equation {equation!r} has {len(texts)} terms for {len(ranks)} operands"
        )
    terms = [_term_labels(equation, text, rank) for text, rank in zip(texts, ranks, strict=True)]
    found = [label for term in terms for label in term]
    covered = max((term for term in map(_numbered, terms)), key=len, default=())
    if arrow:
        expanded = tuple(_expanded(right, covered))
    else:
        expanded = (*covered, *sorted({x for x in found if x.isalpha() and found.count(x) == 1}))
    if not set(expanded) <= set(found):
        raise CompileError(f"equation {equation!r} has a letter in the result only")
    return terms, expanded


def _numbered(term: Labels) -> Labels:
    return tuple(label for label in term if not label.isalpha())


def _expanded(text: str, covered: Labels) -> Iterable[str]:
    before, dots, after = text.partition("...")
    return (*before, *(covered if dots else ()), *after)


def _term_labels(equation: str, text: str, rank: int) -> Labels:
    letters = len(text.replace("...", ""))
    covered = tuple(str(-number) for number in range(rank - letters, 0, -1))
    labels = tuple(_expanded(text, covered))
    if len(labels) != rank or any(not x.isalpha() and x not in covered for x in labels):
        raise CompileError(f"term {text!r} of equation {equation!r} does not fit {rank} axes")
    return labels


class _Factor:
    """A value whose axes have labels."""

    def __init__(self, g: Composer, value: SSAValue, labels: Labels):
        self.g = g
        self.value = value
        self.labels = labels

    def size(self, label: str) -> int:
        """Return the size of a labelled axis."""
        return shape(self.value)[self.labels.index(label)]

    def sizes(self, labels: Iterable[str]) -> list[int]:
        """Return the sizes of labelled axes."""
        return [self.size(label) for label in labels]

    def without_repetition(self) -> "_Factor":
        """Write the diagonal of axes that have the same label."""
        repeated = [x for x in dict.fromkeys(self.labels) if self.labels.count(x) > 1]
        return reduce(_Factor._diagonal, repeated, self)

    def _diagonal(self, label: str) -> "_Factor":
        axes = [a for a, x in enumerate(self.labels) if x == label]
        others = [a for a, x in enumerate(self.labels) if x != label]
        value = self.g.transpose(self.value, [*others, *axes])
        *kept, n = shape(value)[: len(others) + 1]
        flat = self.g.reshape(value, [*kept, n ** len(axes)])
        # Along the flattened axes, one step along all of them at once.
        step = sum(n**power for power in range(len(axes)))
        starts, stops = integers([0] * len(shape(flat))), integers(shape(flat))
        steps = integers([*[1] * len(kept), step])
        diagonal = self.g.insert(SliceOp.make(flat, starts=starts, stops=stops, steps=steps))
        return _Factor(self.g, diagonal, (*(self.labels[a] for a in others), label))

    def summed_to(self, needed: set[str]) -> "_Factor":
        """Write the sum over axes whose labels nothing else needs."""
        axes = [a for a, label in enumerate(self.labels) if label not in needed]
        if not axes:
            return self
        value = self.g.reduce(ReduceSumOp, self.value, axes, keep=False)
        return _Factor(self.g, value, tuple(x for x in self.labels if x in needed))

    def ordered(self, labels: Labels) -> "SSAValue":
        """Write the value with its axes in the order of ``labels``."""
        return self.g.transpose(self.value, [self.labels.index(x) for x in labels])

    def times(self, other: "_Factor", needed: set[str]) -> "_Factor":
        """Write the product with another factor, summed over shared labels that are not needed.

        A shared axis of size 1 in one factor broadcasts.
        """
        shared = [x for x in self.labels if x in other.labels]
        batch = [x for x in shared if x in needed]
        inner = [x for x in shared if x not in needed]
        rows = [x for x in self.labels if x not in shared]
        columns = [x for x in other.labels if x not in shared]
        left = self._matrix(batch, rows, inner, other)
        right = other._matrix(batch, inner, columns, self)
        sizes = [max(self.size(x), other.size(x)) for x in batch]
        product = self.g.matmul(left, right)
        product = self.g.reshape(product, [*sizes, *self.sizes(rows), *other.sizes(columns)])
        return _Factor(self.g, product, (*batch, *rows, *columns))

    def _matrix(
        self, batch: Sequence[str], rows: Sequence[str], columns: Sequence[str], other: "_Factor"
    ) -> SSAValue:
        """Write the value as a batch of matrices; a summed axis of size 1 is repeated to fit."""
        value = self.ordered((*batch, *rows, *columns))
        full = [
            max(self.size(x), other.size(x))
            if x in other.labels and x not in batch
            else self.size(x)
            for x in (*batch, *rows, *columns)
        ]
        value = self.g.broadcast(value, full)
        split = len(batch), len(batch) + len(rows)
        sizes = [*full[: split[0]], prod(full[split[0] : split[1]]), prod(full[split[1] :])]
        return self.g.reshape(value, sizes)
