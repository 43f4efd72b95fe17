"""Tells values that a precision cannot hold from faults of the compiler."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, OpResult

from dlc.analysis.evaluation import known_values
from dlc.core.locations import operation_text
from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, is_float, numpy_dtype
from dlc.oracle import run_reference
from dlc.verification.storage import stored_element


class RangeError(CompileError):
    """The values of a model do not fit into the precision that was asked for."""


def check_range(
    module: ModuleOp, feeds: Mapping[str, Array], weights: WeightStore, precision: str, case: str
) -> None:
    """Raise RangeError when an op of ``module`` computes a finite value on ``feeds`` that is above
    the largest one of the type in which ``precision`` stores it.

    case: the name of the inputs, for the message.
    """

    def check(value: OpResult, top: float) -> None:
        stored = stored_element(element_type(value), precision)
        limit = _limits(stored).max
        if top > limit:
            is_narrowed = stored != element_type(value)
            name, way = (precision, "use another precision, or ") if is_narrowed else (stored, "")
            raise RangeError(
                f"its values reach {top:.1e} on {case} input, {name} holds up to {limit:.1e}; "
                f"{way}scale the model",
                at=operation_text(value.op),
            )

    _each_largest(module, feeds, weights, check)


def check_underflow(
    module: ModuleOp, feeds: Mapping[str, Array], weights: WeightStore, precision: str, case: str
) -> None:
    """Raise RangeError when an op of ``module`` computes nothing but zeros and values on ``feeds``
    that lose digits in ``precision``, since they are below its smallest normal value.
    """
    if precision not in _WIDER:
        return

    def check(value: OpResult, top: float) -> None:
        limit = _limits(stored_element(element_type(value), precision)).smallest_normal
        if 0 < top < limit:
            raise RangeError(
                f"its values are at most {top:.1e} on {case} input and underflow: {precision} has "
                f"all digits down to {limit:.1e}; use {_WIDER[precision]}, or scale the model",
                at=operation_text(value.op),
            )

    _each_largest(module, feeds, weights, check)


_WIDER = {"fp16": "bf16 or tf32", "bf16": "fp32"}
"""Of the precisions whose values are narrower than the model's: where they fit."""


@dataclass(frozen=True)
class _Limits:
    """The largest finite number of a float type, and the smallest one that has all digits."""

    max: float
    smallest_normal: float


def _limits(element: Attribute) -> _Limits:
    info = ml_dtypes.finfo(numpy_dtype(element))
    return _Limits(float(info.max), float(info.smallest_normal))


def _each_largest(
    module: ModuleOp,
    feeds: Mapping[str, Array],
    weights: WeightStore,
    check: Callable[[OpResult, float], None],
) -> None:
    """Run ``module``; give ``check`` each float that an op computes and its largest finite
    element.
    """
    known = known_values(module)

    def observe(op: Operation, results: Sequence[Array]) -> None:
        if op.results[0] not in known:
            for array, value in zip(results, op.results, strict=True):
                if is_float(element_type(value)):
                    check(value, _largest(array))

    run_reference(module, feeds, weights, observe=observe)


def _largest(array: Array) -> float:
    return float(np.abs(array[np.isfinite(array)]).max(initial=0.0))
