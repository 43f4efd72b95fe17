"""What every graph op says about itself; passes ask through these classes only."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import NoneType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, traits_def
from xdsl.rewriter import Rewriter
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from dlc.errors import CompileError
from dlc.ir.tensor import (
    DYNAMIC,
    element_bytes,
    element_count,
    element_type,
    is_empty,
    is_float,
    shape,
)

Array = NDArray[Any]

VIEW_ALIGNMENT_BYTES = 16
"""What kernels expect of the buffers that they are given: their widest load and store."""


@dataclass(frozen=True)
class IndexLimits:
    """The least and the largest legal index; arrays of integers that broadcast to the operand.

    What an op computes with another one is inside its buffers, but has no meaning in the model.
    """

    least: Array
    largest: Array


def axis_limits(sizes: Sequence[int] | int) -> IndexLimits:
    """Return the limits of places along axes of these sizes; negative ones count from the end."""
    counts = np.asarray(sizes, np.int64)
    return IndexLimits(-counts, counts - 1)


def length_limits(steps: int) -> IndexLimits:
    """Return the limits of the lengths of sequences that have room for so many steps."""
    return IndexLimits(np.asarray(0), np.asarray(steps))


@dataclass(frozen=True)
class Joined:
    """Where each operand of an op begins along an axis of the result."""

    axis: int
    starts: tuple[int, ...]

    @staticmethod
    def of(op: "GraphOp", axis: int, starts: Sequence[int]) -> "Joined | None":
        """Return that of ``op``, where all its sizes are fixed, no operand is empty, and parts of
        a row begin and end at multiples of ``VIEW_ALIGNMENT_BYTES``.
        """
        sizes = [shape(x) for x in (op.results[0], *op.operands)]
        if any(DYNAMIC in each or 0 in each for each in sizes):
            return None
        whole = sizes[0]
        bytes = prod(whole[axis + 1 :]) * element_bytes(element_type(op.results[0]))
        is_aligned = all(
            place * bytes % VIEW_ALIGNMENT_BYTES == 0 for place in (*starts, whole[axis])
        )
        return Joined(axis, tuple(starts)) if is_aligned else None


class GraphOp(IRDLOperation, ABC):
    """An op on tensors, without side effects.

    ``infer`` is its shape rule, ``reference`` its meaning in numpy (the oracle), and a subclass
    below says how one element is computed.
    """

    traits = traits_def(Pure())

    @property
    def moves_data(self) -> bool:
        """Whether every result element is a copy of an operand element or a constant (transpose,
        slice, gather, pad): such an op is exact in every dtype.
        """
        return False

    @property
    def keeps_integers(self) -> bool:
        """Whether every result element is one of an operand, or a constant, as an integer of any
        width (a copy, a conversion between integers).
        """
        return self.moves_data

    @property
    def index_limits(self) -> "Mapping[int, IndexLimits]":
        """What operands that name places, or how many there are, may hold, by the operand's
        number.
        """
        return {}

    @property
    def nonzero_operands(self) -> Sequence[int]:
        """The operands of integers whose zeros have no meaning in the model (divisors)."""
        return ()

    @property
    def finite_operands(self) -> Sequence[int]:
        """The operands of floats whose NaN and infinities have no meaning in the model (places)."""
        return ()

    @property
    def has_steps(self) -> bool:
        """Whether a result jumps where an operand crosses some value (rounding, comparison,
        arg-max): next to a step, the smallest error of the operand is one of a whole step.

        A function of floats whose values are integers or booleans has steps.
        """
        of_floats = any(is_float(element_type(x)) for x in self.operands)
        return of_floats and not all(is_float(element_type(x)) for x in self.results)

    @property
    def needs_elements(self) -> Sequence[int]:
        """The operands without which there is no result: one of their elements is chosen (gather,
        arg-max). Where such an operand is empty, so must be the results.
        """
        return ()

    @abstractmethod
    def infer(self) -> Sequence[Attribute]:
        """Return the result types from the operands and properties.

        Raises CompileError when they do not fit together.
        """

    @abstractmethod
    def reference(self, *operands: Array) -> Array | tuple[Array, ...]:
        """Return the results in numpy, computed in the dtypes of ``operands``.

        The oracle passes float64 for every float tensor and rounds what it gets to the result
        types.
        """

    @classmethod
    def make(
        cls,
        *operands: SSAValue,
        results: int = 1,
        **properties: Attribute | None,
    ) -> Self:
        """Build the op; its result types come from ``infer``; ``None`` properties are left out."""
        op = cls.create(
            operands=operands,
            properties={k: v for k, v in properties.items() if v is not None},
            result_types=[NoneType()] * results,
        )
        op.update_types()
        return op

    def update_types(self) -> None:
        """Set the result types to what ``infer`` says (after operand types have changed)."""
        for result, type in zip(tuple(self.results), self._checked_types(), strict=True):
            if result.type != type:
                Rewriter.replace_value_with_new_type(result, type)

    def _checked_types(self) -> Sequence[Attribute]:
        types = tuple(self.infer())
        for number in self.needs_elements:
            if is_empty(self.operands[number]) and not all(map(is_empty, types)):
                raise CompileError(f"operand {number} has no elements to choose from")
        return types

    def verify_(self) -> None:
        try:
            types = self._checked_types()
        except CompileError as error:
            raise VerifyException(f"{self.name}: {error.message}") from error
        for number, (result, type) in enumerate(zip(self.results, types, strict=True)):
            if result.type != type:
                raise VerifyException(
                    f"{self.name}: result {number} should be {type}, is {result.type}"
                )

    @property
    def is_constant(self) -> bool:
        """Whether the results are known at compile time (weight, constant, splat)."""
        return False

    @property
    def view_offset(self) -> int | None:
        """The element of operand 0 that is the result's first one, where the result is consecutive
        elements of operand 0 in the same order (a reshape, a slice of whole rows), else ``None``.

        Between kernels such an op costs nothing and shares the operand's buffer, from a multiple of
        ``VIEW_ALIGNMENT_BYTES`` on.
        """
        return None

    @property
    def is_view(self) -> bool:
        """Whether the result can share operand 0's buffer (``view_offset``)."""
        return self.view_offset is not None

    @property
    def operand_offsets(self) -> Sequence[int] | None:
        """The element of the result at which each operand begins, where the result is its operands
        one after the other in memory (a concatenation along the first axis), else ``None``.

        Between kernels such an op costs nothing if the operands are written there; each begins at a
        multiple of ``VIEW_ALIGNMENT_BYTES``.
        """
        return None

    @property
    def joined(self) -> "Joined | None":
        """Where the operands stand in the result, where each of them is a part of it along an axis
        and can be stored there, else ``None``.

        Between kernels such an op costs nothing if that is done.
        """
        return None

    def forwarded(self) -> SSAValue | None:
        """Return the operand that the result always equals (an identity), if there is one."""
        return None

    @property
    def row_rank(self) -> int | None:
        """How many last axes of the result the op works along, where it does the same for each
        place along the axes before them, and these broadcast; ``None`` for any other op.
        """
        return None

    def with_batch(self, operands: Sequence[SSAValue]) -> "GraphOp":
        """Return the op on operands that have other axes before the last ``row_rank`` ones."""
        return self.with_operands(operands)

    def over_steps(self, operands: Sequence[SSAValue], stacked: Sequence[bool]) -> "GraphOp | None":
        """Return the op for all steps of a loop at once, if it has such a form.

        Those of ``operands`` that are ``stacked`` have an axis of steps in front; behind it, where
        the op broadcasts, as many axes as the result has. The result has it at ``axis_of_steps``.
        """
        return None if self.row_rank is None else self.with_batch(operands)

    def axis_of_steps(self, stacked: Sequence[bool]) -> int:
        """Return the axis of steps in the result of the op that ``over_steps`` gives."""
        return 0

    @property
    def permuted_operands(self) -> Sequence[int]:
        """The operands whose axes are those of the result, in their order (all, but for
        weights).
        """
        return range(len(self.operands))

    @property
    def preferred_permutation(self) -> Sequence[int] | None:
        """The order of axes in which the op runs best, where that is another than its own.

        ``permuted`` with it gives the op in that order.
        """
        return None

    def absorbed_transpose(
        self, number: int, permutation: Sequence[int], operand: SSAValue
    ) -> "GraphOp | None":
        """Return an op of the same result that reads ``operand`` instead of its transpose.

        Operand ``number`` is ``operand`` with axes permuted: its axis ``i`` is axis
        ``permutation[i]``. ``None`` where the op has no way to say so.
        """
        return None

    def permuted(
        self, permutation: Sequence[int], operands: Sequence[SSAValue]
    ) -> "GraphOp | None":
        """Return this op on operands whose axes were permuted, or ``None`` where it has no such
        form.

        Axis ``i`` of each operand in ``permuted_operands``, and of the new result, is axis
        ``permutation[i]`` of the old one. Only asked when these have the rank of the result.
        """
        return None

    def with_operands(self, operands: Sequence[SSAValue], **properties: Attribute | None) -> Self:
        """Return a copy on other operands; properties given replace its own, ``None`` removes one.

        The result types are inferred anew. The copy keeps the location.
        """
        merged = {**self.properties, **properties}
        copy = type(self).make(*operands, results=len(self.results), **merged)
        copy.attributes.update(self.attributes)
        copy.location = self.location
        return copy

    def flops(self) -> int:
        """Return the floating-point operations (one multiply-add counts 2); comparisons count 1."""
        return 0 if self.moves_data else sum(map(element_count, self.results))


class SteppedOp(GraphOp, ABC):
    """An op whose results jump though they are floats (rounding, sign, thresholds)."""

    @property
    def has_steps(self) -> bool:
        return any(is_float(element_type(x)) for x in self.operands)


class CompositeOp(GraphOp, ABC):
    """An op that means a small graph of others (softmax, layer norm, attention, a recurrent cell).

    A lowering without a kernel of its own for it runs ``graph-decompose`` first.
    """

    @abstractmethod
    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        """Insert the ops that compute the results and return their values.

        insert: places an op before this one and returns its first result.
        """


class BodyOp(GraphOp, ABC):
    """An op whose results are computed by the graph ops of its only region, which runs ``runs``
    times.

    ``update_types`` takes what the region yields; its arguments follow the operands by
    ``update_arguments``.
    """

    @property
    @abstractmethod
    def runs(self) -> int:
        """How often the body runs."""

    @property
    @abstractmethod
    def kept_types(self) -> Sequence[Attribute]:
        """The types of the first values that the body yields, which its next run takes."""

    @abstractmethod
    def update_arguments(self) -> None:
        """Give the arguments of the body the types that the operands say."""

    @abstractmethod
    def run(
        self, operands: Sequence[Array], run_body: Callable[[list[Array]], Sequence[Array]]
    ) -> list[Array]:
        """Return the results in numpy. run_body: gives what one run of the body yields."""
