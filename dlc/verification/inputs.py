"""The inputs on which a finished artifact runs: ordinary ones and those at which code fails."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from dlc.analysis.evaluation import known_values
from dlc.core.weights import WeightStore
from dlc.dialects.graph.computed import ElementwiseOp
from dlc.dialects.graph.structure import Array, CompositeOp, GraphOp
from dlc.ir.tensor import element_type, is_float, is_integer
from dlc.runtime.library import TensorInfo
from dlc.verification import float_inputs
from dlc.verification.evidence import Evidence
from dlc.verification.float_inputs import FloatDraw
from dlc.verification.integer_inputs import IntegerInput, integer_inputs
from dlc.verification.reference import Reference

Feeds = dict[str, Array]
_IntegerDraw = Callable[[IntegerInput, np.random.Generator], Array]

SPECIAL = "special"
"""The case with NaN and infinities."""

ZERO = "zero"
"""The case in which all is 0: steps of a loop that stays there magnify nothing."""

_Draws = Mapping[str, tuple[_IntegerDraw, FloatDraw]]

_CASES: _Draws = {
    "random": (IntegerInput.ordinary, float_inputs.ordinary),
    "large": (IntegerInput.ends, float_inputs.large),
    SPECIAL: (IntegerInput.ordinary, float_inputs.special),
    ZERO: (lambda x, g: x.zeros(), lambda g, sizes, dtype: np.zeros(sizes)),
    "ties": (IntegerInput.measures, float_inputs.ties),
    "small": (IntegerInput.ordinary, float_inputs.small),
    "negative": (IntegerInput.late, lambda g, sizes, dtype: -g.random(sizes)),
}

_OTHERS: _Draws = {
    "positive": (IntegerInput.ordinary, float_inputs.positive),
    "ties": (IntegerInput.measures, float_inputs.ties),
}
"""What is tried first where an output tells nothing on the first of the cases."""


def telling_inputs(
    inputs: Sequence[TensorInfo], reference: Reference
) -> Iterator[tuple[str, Feeds]]:
    """Yield verification_inputs, but first others if more outputs tell something on them
    (``Evidence``): numbers, which are not all the same.
    """
    module, weights = reference.module, reference.weights
    cases = verification_inputs(inputs, module, weights)
    first = next(cases)
    found = _silent(reference, first)
    for other in _drawn(_OTHERS, inputs, integer_inputs(module, weights)) if found else ():
        silent = _silent(reference, other)
        if silent < found:
            yield other
            cases = (case for case in cases if case[0] != other[0])
            break
    yield first
    yield from cases


def _silent(reference: Reference, case: tuple[str, Feeds]) -> int:
    """Return how many outputs tell nothing in a case."""
    evidence = Evidence(reference.module)
    evidence.add(reference.outputs(case[1]))
    return len(evidence.silence.outputs)


def verification_inputs(
    inputs: Sequence[TensorInfo], module: ModuleOp, weights: WeightStore
) -> Iterator[tuple[str, Feeds]]:
    """Yield inputs by name: ordinary ones first, then those at which code tends to fail.

    module: the model, which says what its integers may be. There are no NaN and infinities for a
    model without floats, or in which they have no meaning: those of an integer that is made of
    them, of a place.
    """
    integers = integer_inputs(module, weights)
    without_special = all(i.name in integers for i in inputs) or _needs_finite(module)
    for name, feeds in _drawn(_CASES, inputs, integers):
        if name != SPECIAL or not without_special:
            yield name, feeds


def _drawn(
    draws: _Draws, inputs: Sequence[TensorInfo], integers: Mapping[str, IntegerInput]
) -> Iterator[tuple[str, Feeds]]:
    for seed, (name, (whole, real)) in enumerate(draws.items()):
        generator = np.random.default_rng(seed)
        feeds = {
            i.name: whole(integers[i.name], generator).astype(i.dtype)
            if i.name in integers
            else real(generator, i.shape, i.dtype).astype(i.dtype)
            for i in inputs
        }
        yield name, feeds


def _needs_finite(module: ModuleOp) -> bool:
    """Return whether an op makes integers or places of floats that are computed (a cast,
    quantisation, sampling).
    """
    known = known_values(module)
    return any(
        _makes_integers(op, known) or any(op.operands[n] not in known for n in op.finite_operands)
        for op in module.walk()
        if isinstance(op, GraphOp)
    )


def _makes_integers(op: GraphOp, known: Set[SSAValue]) -> bool:
    return (
        isinstance(op, ElementwiseOp | CompositeOp)
        and any(is_float(element_type(x)) and x not in known for x in op.operands)
        and any(is_integer(element_type(x)) for x in op.results)
    )
