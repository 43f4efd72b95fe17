"""Writes graph ops and folds those whose operands are known."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from math import prod

import numpy as np
from xdsl.builder import Builder
from xdsl.dialects.builtin import (
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    TensorType,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from dlc.analysis.evaluation import constant_value, evaluate, round_to
from dlc.core.weights import WeightStore
from dlc.dialects.graph.properties import element_attribute
from dlc.dialects.graph.source import (
    SMALL_CONSTANT,
    ConstantOp,
    SplatOp,
    WeightOp,
    dense_attribute,
)
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.errors import CompileError, OpenSizeError, printable
from dlc.frontends.onnx.known_indices import check_known_indices
from dlc.frontends.onnx.limits import check_computed, check_count, check_sizes
from dlc.ir.tensor import (
    DYNAMIC,
    element_count,
    element_type_of,
    shape,
)

FOLDED_ELEMENTS = 4096
"""An op is computed at import when its operands are known and none of its tensors is larger."""


def location(name: str) -> LocationAttr:
    """Return the location of a node, its name as it may be shown on a terminal."""
    return NameLoc(StringAttr(printable(name)), NoneAttr())


class GraphBuilder:
    """Inserts ops at the end of a block; constants become attributes, splats or weights.

    inserted: how many ops were, constants left out. remarks: what the user should know, each once.
    """

    def __init__(
        self,
        builder: Builder,
        weights: WeightStore,
        inputs: Mapping[SSAValue, str] | None = None,
    ):
        """``inputs``: the names of the model's inputs."""
        self.builder = builder
        self._here = builder
        self.weights = weights
        self.inputs = inputs or {}
        self.inserted = 0
        self._asked = 0
        self._computed = 0
        self.remarks: dict[str, None] = {}

    @contextmanager
    def inside(self, body: Block) -> Generator[None]:
        """Insert ops at the end of ``body`` meanwhile. Constants stay outside, where what comes
        after ``body`` sees them too.
        """
        around, self._here = self._here, Builder(InsertPoint.at_end(body))
        try:
            yield
        finally:
            self._here = around

    def insert(self, op: GraphOp, at: LocationAttr) -> Sequence[SSAValue]:
        """Insert ``op``, or the constants that it computes when it is small and all is known."""
        op.location = at
        self._asked += 1
        check_count(self._asked)
        _check_sizes(op)
        check_known_indices(op, self.known)
        folded = self._fold(op)
        if folded is not None:
            op.erase()
            return [self.constant(value, at) for value in folded]
        try:
            op.verify()
        except VerifyException as error:
            raise CompileError(str(error)) from error
        self._here.insert(op)
        self.inserted += 1
        return op.results

    def known(self, value: SSAValue) -> Array | None:
        """Return the elements of ``value`` when they do not depend on the model's inputs."""
        return constant_value(value, self.weights)

    def inputs_of(self, value: SSAValue) -> list[str]:
        """Return the names of the model's inputs from which ``value`` is computed."""
        found: dict[SSAValue, str] = {}
        pending, seen = [value], {value}
        while pending:
            here = pending.pop()
            if here in self.inputs:
                found[here] = self.inputs[here]
            operands = here.owner.operands if isinstance(here.owner, Operation) else ()
            pending.extend(x for x in operands if x not in seen)
            seen.update(operands)
        return [name for x, name in self.inputs.items() if x in found]

    def constant(
        self, array: Array, at: LocationAttr, name: str = "", stored: bool = False
    ) -> SSAValue:
        """Insert a tensor whose elements are known and return it.

        stored: the model or the user has the elements; others count as computed. Raises
        CompileError for an element type or a number of axes that is not supported.

        At most SMALL_CONSTANT elements stand in the IR, one repeated value is a splat, all else
        goes to the weight store.
        """
        check_sizes(np.shape(array))
        if not stored and any(array.strides):  # a repeated element takes no memory
            self._computed += array.size
            check_computed(self._computed)
        op = self._source(np.asarray(array), name)
        op.location = at
        self.builder.insert(op)
        return op.results[0]

    def _source(self, array: Array, name: str) -> GraphOp:
        type = TensorType(element_type_of(array.dtype), array.shape)
        if array.size <= SMALL_CONSTANT:
            return ConstantOp(dense_attribute(array))
        if _repeats_one_value(array):
            return SplatOp(element_attribute(array.flat[0].item(), type.element_type), type)
        return WeightOp(self.weights.add(name, array), type)

    def _fold(self, op: GraphOp) -> Sequence[Array] | None:
        if not op.operands or not all(map(_is_small, (*op.operands, *op.results))):
            return None
        operands = [self.known(x) for x in op.operands]
        if any(x is None for x in operands):
            return None
        results = evaluate(op, [x for x in operands if x is not None])
        return [round_to(x, r.type) for x, r in zip(results, op.results, strict=True)]


def _check_sizes(op: GraphOp) -> None:
    """Raise CompileError when a result is too large, or its size computed from one not fixed."""
    for result in op.results:
        check_sizes([size for size in shape(result) if size != DYNAMIC])
        if any(size < 0 and size != DYNAMIC for size in shape(result)):
            raise OpenSizeError(op.name)


def _is_small(value: SSAValue) -> bool:
    if not isinstance(value.type, TensorType):
        return False
    return DYNAMIC not in shape(value) and element_count(value) <= FOLDED_ELEMENTS


def _repeats_one_value(array: Array) -> bool:
    """Compare bit patterns; a look at the beginning spares reading most tensors."""
    if array.size and not any(array.strides):  # broadcast: its elements need not exist
        return True
    flat = array.reshape(-1)
    return all(_same_bits(part) for part in (flat[:64], flat)) if prod(array.shape) else False


def _same_bits(flat: Array) -> bool:
    bits = np.ascontiguousarray(flat).view(np.dtype(f"u{flat.dtype.itemsize}"))
    return bool((bits == bits[0]).all())
