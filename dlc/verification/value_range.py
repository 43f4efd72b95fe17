"""Tells values that a precision cannot hold from faults of the compiler."""

from collections.abc import Callable, Mapping, Sequence

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dlc.analysis.evaluation import known_values
from dlc.core.locations import operation_text
from dlc.core.weights import WeightStore
from dlc.dialects.graph._structure import Array
from dlc.errors import CompileError
from dlc.oracle import run_reference

LARGEST = {
    "fp16": float(np.finfo(np.float16).max),
    "bf16": float(ml_dtypes.finfo(ml_dtypes.bfloat16).max),
}
"""The largest finite value of the precisions whose values are narrower than the model's."""


class RangeError(CompileError):
    """The values of a model do not fit into the precision that was asked for."""


_SMALLEST = {
    "fp16": float(np.finfo(np.float16).smallest_normal),
    "bf16": float(ml_dtypes.finfo(ml_dtypes.bfloat16).smallest_normal),
}
"""The smallest value that has all digits."""


def check_range(
    module: ModuleOp, feeds: Mapping[str, Array], weights: WeightStore, precision: str, case: str
) -> None:
    """Raise RangeError when an op of ``module`` computes a finite value on ``feeds`` that is above
    the largest one of ``precision``.

    case: the name of the inputs, for the message.
    """
    limit = LARGEST.get(precision, np.inf)

    def check(op: Operation, top: float) -> None:
        if top > limit:
            raise RangeError(
                f"its values reach {top:.1e} on {case} input, {precision} holds up to "
                f"{limit:.1e}; use another precision, or scale the model",
                at=operation_text(op),
            )

    _each_largest(module, feeds, weights, check)


def check_underflow(
    module: ModuleOp, feeds: Mapping[str, Array], weights: WeightStore, precision: str, case: str
) -> None:
    """Raise RangeError when an op of ``module`` computes nothing but zeros and values on ``feeds``
    that lose digits in ``precision``, since they are below its smallest normal value.
    """
    limit = _SMALLEST.get(precision, 0.0)

    def check(op: Operation, top: float) -> None:
        if 0 < top < limit:
            raise RangeError(
                f"its values are at most {top:.1e} on {case} input and underflow: {precision} has "
                f"all digits down to {limit:.1e}; use {_WIDER[precision]}, or scale the model",
                at=operation_text(op),
            )

    _each_largest(module, feeds, weights, check)


_WIDER = {"fp16": "bf16 or tf32", "bf16": "fp32"}


def _each_largest(
    module: ModuleOp,
    feeds: Mapping[str, Array],
    weights: WeightStore,
    check: Callable[[Operation, float], None],
) -> None:
    """Run ``module``; give ``check`` each op that computes floats and its largest finite value."""
    known = known_values(module)

    def observe(op: Operation, results: Sequence[Array]) -> None:
        if op.results[0] not in known:
            for array in results:
                if array.dtype.kind == "f":
                    check(op, _largest(array))

    run_reference(module, feeds, weights, observe=observe)


def _largest(array: Array) -> float:
    return float(np.abs(array[np.isfinite(array)]).max(initial=0.0))
