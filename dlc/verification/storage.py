"""Values as a compiled model keeps them: rounded to the type in which each is stored."""

from collections.abc import Mapping, Sequence

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import bf16, f16, f32, f64
from xdsl.ir import Attribute, BlockArgument, SSAValue

from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import element_type, is_float, numpy_dtype

_NARROW: Mapping[str, Attribute] = {"fp16": f16, "bf16": bf16}


def stored_element(element: Attribute, precision: str) -> Attribute:
    """Return the float type in which values of ``element`` are stored: the precision changes
    ``f32`` alone.
    """
    return _NARROW.get(precision, element) if element == f32 else element


class Storage:
    """Noise that rounds constants and the results of every op as storing them does.

    Values that are lost in the model's own types (overflow, underflow) are lost here, too. Those of
    ``f32`` that a narrower precision cannot hold stay, since that is an error of its own
    (``value_range``): above its largest value, and where all of a tensor is below its smallest
    normal one.
    """

    def __init__(self, precision: str, inputs: bool):
        """inputs: whether the model's are rounded, too: a kernel may use them as they are."""
        self._precision = precision
        self._inputs = inputs

    def operands(self, op: GraphOp, operands: Sequence[Array]) -> Sequence[Array]:
        """Return the operands of ``op`` as they are read."""
        return [
            x if isinstance(v, BlockArgument) and not self._inputs else self._read(x, v)
            for x, v in zip(operands, op.operands, strict=True)
        ]

    def results(self, op: GraphOp, results: Sequence[Array]) -> Sequence[Array]:
        """Return the results of ``op`` as they are read again."""
        return [self._read(x, v) for x, v in zip(results, op.results, strict=True)]

    def _read(self, x: Array, value: SSAValue) -> Array:
        return self._stored(x, element_type(value))

    def _stored(self, x: Array, element: Attribute) -> Array:
        if not is_float(element) or element == f64:
            return x
        dtype = numpy_dtype(stored_element(element, self._precision))
        if element == f32 and np.abs(x).max(initial=0.0) < ml_dtypes.finfo(dtype).smallest_normal:
            return x
        with np.errstate(all="ignore"):
            kept = x.astype(dtype).astype(x.dtype)
        return np.where(np.isfinite(x) & ~np.isfinite(kept), x, kept) if element == f32 else kept
