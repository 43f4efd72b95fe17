"""The ops that a normalisation is decomposed into, found again from its result."""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from dlc.dialects.graph.cast import CastOp
from dlc.dialects.graph.elementwise import AddOp, DivOp, MulOp, SubOp
from dlc.dialects.graph.math import SqrtOp
from dlc.dialects.graph.pattern import (
    Apply,
    Bindings,
    Either,
    Number,
    Pattern,
    Variable,
    constant_number,
    matches,
)
from dlc.dialects.graph.reduction import ReduceMeanOp
from dlc.ir.tensor import shape


@dataclass(frozen=True)
class NormalizationForm:
    """A normalisation over the last axes, in ops.

    x: what it is of. ops: all of them, casts included, between any types. axes: how many it is
    over. is_centred: whether the mean is taken off, as a layer normalisation does; without it the
    mean of squares is its variance. bias: ``None`` where nothing is added.
    """

    x: SSAValue
    scale: SSAValue
    bias: SSAValue | None
    epsilon: float
    axes: int
    is_centred: bool
    ops: frozenset[Operation]


def normalization_form(result: SSAValue) -> NormalizationForm | None:
    """Return the normalisation that gives a tensor; ``None`` where none does."""
    return next((form for way in _WAYS for form in way.found(result)), None)


def _cast(pattern: Pattern) -> Either:
    """Return a pattern of the same in another type or not; each is a pattern of its own."""
    return Either((Apply(CastOp, (pattern,)), pattern))


def _either_order(op: type[AddOp | MulOp], *operands: Pattern) -> Apply:
    return Apply(op, tuple(map(_cast, operands)), commutes=True)


class _Way:
    """A pattern of normalisations. is_biased: whether something is added in the end. divides:
    whether it is divided by the deviation, in the place of a product with its reciprocal.
    """

    def __init__(self, is_centred: bool, is_biased: bool, divides: bool):
        self.is_centred = is_centred
        self.x, self.scale, self.bias = Variable(), Variable(), Variable()
        self.epsilon, self.one = Number(), Number(1.0)
        self.mean = Apply(ReduceMeanOp, (_cast(self.x),))
        self.variance = Apply(ReduceMeanOp, (_either_order(MulOp, *self._distances()),))
        deviation = Apply(SqrtOp, (_either_order(AddOp, self.variance, self.epsilon),))
        inverse = Apply(DivOp, (self.one, deviation))
        distance = self._distances()[0]
        standard = (
            Apply(DivOp, (_cast(distance), deviation))
            if divides
            else _either_order(MulOp, distance, inverse)
        )
        scaled = _either_order(MulOp, standard, self.scale)
        self.pattern = _cast(_either_order(AddOp, scaled, self.bias) if is_biased else scaled)

    def _distances(self) -> tuple[Pattern, Pattern]:
        """Return what is squared: twice the same, or two patterns that give the same."""
        if not self.is_centred:
            return self.x, self.x
        distance = Apply(SubOp, (_cast(self.x), self.mean))
        return distance, distance

    def found(self, result: SSAValue) -> Iterator[NormalizationForm]:
        """Yield the normalisations that give a tensor."""
        for bindings in matches(self.pattern, result, {}):
            if (form := self._form(bindings)) is not None:
                yield form

    def _form(self, found: Bindings) -> NormalizationForm | None:
        axes, epsilon = self._axes(found), constant_number(found[self.epsilon])
        is_one = self.one not in found or constant_number(found[self.one]) == 1
        owners = (found[each].owner for each in found if isinstance(each, Apply))
        ops = frozenset(op for op in owners if isinstance(op, Operation))
        if epsilon is None or not axes or not is_one:
            return None
        x, scale, bias = found[self.x], found[self.scale], found.get(self.bias)
        return NormalizationForm(x, scale, bias, epsilon, axes, self.is_centred, ops)

    def _axes(self, found: Bindings) -> int:
        """Return over how many axes all means are; 0 where they are not over the last ones."""
        rank = len(shape(found[self.x]))
        means = [found[each].owner for each in (self.mean, self.variance) if each in found]
        over = {op.reduced if op.keep_dims else () for op in means if isinstance(op, ReduceMeanOp)}
        axes = over.pop() if len(over) == 1 else ()
        return len(axes) if axes == tuple(range(rank - len(axes), rank)) else 0


_WAYS = [
    _Way(is_centred, is_biased, divides)
    for is_biased in (True, False)
    for is_centred in (True, False)
    for divides in (False, True)
]
