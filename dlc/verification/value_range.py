"""Tells values that a precision cannot hold from faults of the compiler."""

from collections.abc import Mapping, Sequence

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

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


def check_range(
    module: ModuleOp, feeds: Mapping[str, Array], weights: WeightStore, precision: str, case: str
) -> None:
    """Raise RangeError when an op of ``module`` computes a finite value on ``feeds`` that is above
    the largest one of ``precision``.

    case: the name of the inputs, for the message.
    """
    limit = LARGEST.get(precision, np.inf)

    def observe(op: Operation, results: Sequence[Array]) -> None:
        for array in results:
            if array.dtype.kind == "f" and (top := _largest(array)) > limit:
                raise RangeError(
                    f"its values reach {top:.1e} on {case} input, {precision} holds up to "
                    f"{limit:.1e}; use another precision, or scale the model",
                    at=operation_text(op),
                )

    run_reference(module, feeds, weights, observe=observe)


def _largest(array: Array) -> float:
    return float(np.abs(array[np.isfinite(array)]).max(initial=0.0))
