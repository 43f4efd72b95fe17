"""What a graph op computes, in numpy."""

from collections.abc import Sequence, Set

import numpy as np
from numpy.typing import DTypeLike
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, SSAValue

from dlc.core.weights import WeightStore
from dlc.dialects.graph.source import ConstantOp, SplatOp, WeightOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import element_type, is_empty, is_float, numpy_dtype, shape


def constant_value(value: SSAValue, weights: WeightStore) -> Array | None:
    """Return the elements of a constant, splat or weight in their stored dtype, else ``None``."""
    match value.owner:
        case ConstantOp() | SplatOp() as op:
            return op.reference()
        case WeightOp() as op:
            return weights.array(op.symbol.string_value())
        case _:
            return None


def evaluate(
    op: GraphOp, operands: Sequence[Array], float_type: DTypeLike = np.float64
) -> tuple[Array, ...]:
    """Return the results of ``op``, its floats computed in ``float_type``, not yet rounded.

    Integers and booleans have the dtypes of the results' types.
    """
    if all(is_empty(x) for x in op.results):
        return tuple(np.empty(shape(x), _dtype(x, float_type)) for x in op.results)
    widened = [_widen(x, v, float_type) for x, v in zip(operands, op.operands, strict=True)]
    with np.errstate(all="ignore"):
        results = op.reference(*widened)
        results = results if isinstance(results, tuple) else (results,)
        return tuple(
            _widen(np.asarray(x), r, float_type) for x, r in zip(results, op.results, strict=True)
        )


def round_to(array: Array, type: Attribute) -> Array:
    """Return ``array`` in the stored dtype and shape of a tensor type."""
    with np.errstate(all="ignore"):
        return np.asarray(array, numpy_dtype(element_type(type))).reshape(shape(type))


def _widen(array: Array, value: SSAValue, float_type: DTypeLike) -> Array:
    return array.astype(_dtype(value, float_type), copy=False)


def _dtype(value: SSAValue, float_type: DTypeLike) -> np.dtype:
    element = element_type(value)
    return np.dtype(float_type) if is_float(element) else numpy_dtype(element)


def is_known(value: SSAValue) -> bool:
    """Return whether a tensor is computed from constants and weights only."""
    return value in KnownValues()


class KnownValues:
    """Answers ``is_known`` for many values of a module, each op looked at once.

    Ops may be made and replaced by equal ones between the questions.
    """

    def __init__(self) -> None:
        self._known: dict[SSAValue, bool] = {}

    def __contains__(self, value: SSAValue) -> bool:
        """Return whether a tensor is computed from constants and weights only."""
        pending = [value]
        while pending:
            asked = self._open_operand(pending[-1])
            if asked is None:
                pending.pop()
            else:
                pending.append(asked)
        return self._known[value]

    def _open_operand(self, value: SSAValue) -> SSAValue | None:
        """Note whether a value is known; return the operand that must be asked first, if any."""
        op, found = value.owner, self._known
        if value in found:
            return None
        if isinstance(op, GraphOp) and op.operands and not op.is_constant:
            if all(found.get(x, True) for x in op.operands):
                unasked = next((x for x in op.operands if x not in found), None)
                if unasked is not None:
                    return unasked
                found[value] = True
            else:
                found[value] = False
        else:
            found[value] = isinstance(op, GraphOp) and op.is_constant
        return None


def known_values(module: ModuleOp) -> Set[SSAValue]:
    """Return all tensors for which ``is_known`` holds, in one walk: for who asks about each op."""
    found = set[SSAValue]()
    for op in module.walk():
        if isinstance(op, GraphOp):
            made = bool(op.operands) and all(x in found for x in op.operands)
            if op.is_constant or made:
                found.update(op.results)
    return found
