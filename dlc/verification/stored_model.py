"""Runs groups in numpy as kernels would: for a model whose target this machine does not have."""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f64
from xdsl.ir import Operation

from dlc.arch.tf32 import round_tf32
from dlc.backends.host.reader import interface
from dlc.core.weights import WeightStore
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.graph.precision import Precision
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import element_type
from dlc.oracle import round_results, run_reference
from dlc.runtime.library import TensorInfo


class StoredModel:
    """A module of groups that runs in the reference interpreter: each value that a kernel stores is
    rounded to its type, everything else is computed in float32 (in float64 if the model has such
    tensors), factors of tf32 products are rounded to 10 bits of mantissa.
    """

    def __init__(self, groups: ModuleOp, weights: WeightStore):
        self._groups = groups
        self._weights = weights
        values = [x for op in groups.walk() if isinstance(op, GraphOp) for x in op.results]
        wide = any(element_type(x) == f64 for x in values)
        self._float_type = np.float64 if wide else np.float32

    @property
    def inputs(self) -> Sequence[TensorInfo]:
        """The inputs of the model."""
        inputs, _ = interface(self._groups)
        return [TensorInfo(x.name, np.dtype(x.dtype), tuple(x.shape)) for x in inputs]

    def run(self, feeds: Mapping[str, Array]) -> dict[str, Array]:
        """Return the outputs by name. Raises CompileError when the feeds do not fit."""
        return run_reference(
            self._groups,
            feeds,
            self._weights,
            self._float_type,
            store=_store,
            noise=_Tf32(),
        )


def _store(op: Operation, results: Sequence[Array]) -> Sequence[Array]:
    """Return what is read of the results of ``op``."""
    if not isinstance(op, GroupOp):
        return results
    return round_results(op, results)


class _Tf32:
    """Rounds the factors of products in tf32."""

    def operands(self, op: GraphOp, operands: Sequence[Array]) -> Sequence[Array]:
        if not isinstance(op, ContractionOp) or op.precision is None:
            return operands
        assert op.precision.data == Precision.tf32
        return [round_tf32(x).astype(x.dtype) for x in operands]

    def results(self, op: GraphOp, results: Sequence[Array]) -> Sequence[Array]:
        return results
