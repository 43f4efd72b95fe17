"""Where the largest or the smallest element stands."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerType, UnitAttr, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def

from dlc.dialects.graph.computed import Index, ReductionOp, Scope
from dlc.dialects.graph.reduction import OverAxes, highest, lowest
from dlc.dialects.graph.structure import Array
from dlc.dialects.loop.scalar import Predicate, ScalarBuilder
from dlc.errors import CompileError
from dlc.ir.tensor import compute_type, element_type, is_float


def beats(
    b: ScalarBuilder, predicate: Predicate, x: SSAValue, y: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """Write whether ``x`` is better than ``y``, and whether they are equal; NaN beats numbers."""
    wins, equal = b.compare(predicate, x, y), b.compare("eq", x, y)
    if not is_float(x.type):
        return wins, equal
    x_nan, y_nan = b.compare("ne", x, x), b.compare("ne", y, y)
    wins = b.logical("or", wins, b.logical("and", x_nan, b.invert(y_nan)))
    return wins, b.logical("or", equal, b.logical("and", x_nan, y_nan))


def better_place(
    b: ScalarBuilder,
    predicate: Predicate,
    left: Sequence[SSAValue],
    right: Sequence[SSAValue],
    element: Attribute,
    last: bool = False,
) -> Sequence[SSAValue]:
    """Write the better of two (value, place) pairs.

    predicate: ``gt`` looks for the largest value, ``lt`` for the smallest one; NaN beats numbers.
    element: the stored type of the values.
    last: of equal values the one with the higher place is better, else that with the lower.
    """
    value, place = left
    other, other_place = right
    wins, equal = beats(b.of(element), predicate, other, value)
    nearer = b.compare("gt" if last else "lt", other_place, place)
    wins = b.logical("or", wins, b.logical("and", equal, nearer))
    return [b.select(wins, other, value), b.select(wins, other_place, place)]


class ArgExtremumOp(OverAxes, ReductionOp, ABC):
    """The index along one axis of the best element, the first of equal ones or ``select_last``."""

    select_last = opt_prop_def(UnitAttr)
    assembly_format = (
        "$x `axes` $axes (`keep_dims` $keep_dims^)? (`select_last` $select_last^)? attr-dict"
        " `:` type($x) `->` type($output)"
    )

    @property
    @abstractmethod
    def predicate(self) -> Predicate:
        """``gt`` for the largest element, ``lt`` for the smallest one."""

    @property
    @abstractmethod
    def identity_value(self) -> float | int:
        """The value that never wins."""

    @property
    def needs_elements(self) -> Sequence[int]:
        return (0,)

    def result_element(self) -> Attribute:
        if len(self.reduced) != 1:
            raise CompileError(f"works along one axis, not along axes {list(self.reduced)}")
        return i64

    @property
    def _place(self) -> IntegerType:
        """The type of a place while places are compared: the narrowest with instructions."""
        return i32 if self.domain.points < 2**31 else i64

    @property
    def _nowhere(self) -> int:
        """A place that is worse than any other."""
        return -1 if self.select_last is not None else 2 ** (self._place.width.data - 1) - 1

    def identity(self, b: ScalarBuilder) -> Sequence[SSAValue]:
        value = b.constant(self.identity_value, compute_type(element_type(self.x)))
        return [value, b.constant(self._nowhere, self._place)]

    def contribution(self, scope: Scope, index: Index, reduction: Index) -> Sequence[SSAValue]:
        x = scope.read(self.x, self.operand_index(index, reduction))
        return [x, scope.integer(reduction[0], self._place)]

    def combine(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        last = self.select_last is not None
        return better_place(b, self.predicate, left, right, element_type(self.x), last)

    def append(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        value, place = left
        other, other_place = right
        wins = self._wins_behind(b.of(element_type(self.x)), other, value)
        return [b.select(wins, other, value), b.select(wins, other_place, place)]

    def _wins_behind(self, b: ScalarBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
        """Write whether ``x`` is better than ``y``, which stands before it."""
        if self.select_last is not None:
            wins = b.compare("ge" if self.predicate == "gt" else "le", x, y)
            return b.logical("or", wins, b.compare("ne", x, x)) if is_float(x.type) else wins
        if not is_float(x.type):
            return b.compare(self.predicate, x, y)
        loses = b.compare("le" if self.predicate == "gt" else "ge", x, y)  # no NaN does
        return b.logical("and", b.invert(loses), b.compare("eq", y, y))

    def finish(
        self, scope: Scope, index: Index, accumulators: Sequence[SSAValue], result: int = 0
    ) -> SSAValue:
        place = accumulators[1]
        if self.select_last is None:  # no element beats what never wins: the first one is the best
            none = scope.b.compare("eq", place, scope.b.constant(self._nowhere, self._place))
            place = scope.b.select(none, scope.b.constant(0, self._place), place)
        return scope.b.cast(place, i64)

    def flops(self) -> int:
        return self.domain.points

    def find(self, x: Array) -> Array:
        """Return the index of numpy's ``argmax`` or ``argmin`` along the axis."""
        (axis,) = self.reduced
        function = np.argmax if self.predicate == "gt" else np.argmin
        keep = self.keep_dims is not None
        if self.select_last is None:
            return function(x, axis=axis, keepdims=keep)
        return x.shape[axis] - 1 - function(np.flip(x, axis), axis=axis, keepdims=keep)

    def reference(self, *operands: Array) -> Array:
        return np.asarray(self.find(operands[0]), np.int64)


@irdl_op_definition
class ArgMaxOp(ArgExtremumOp):
    """``y = index of the largest x``.

    ``%i = graph.arg_max %x axes [1] : tensor<4x10xf32> -> tensor<4xi64>``
    """

    name = "graph.arg_max"

    @property
    def predicate(self) -> Predicate:
        return "gt"

    @property
    def identity_value(self) -> float | int:
        return lowest(element_type(self.x))


@irdl_op_definition
class ArgMinOp(ArgExtremumOp):
    """``y = index of the smallest x``."""

    name = "graph.arg_min"

    @property
    def predicate(self) -> Predicate:
        return "lt"

    @property
    def identity_value(self) -> float | int:
        return highest(element_type(self.x))


OPERATIONS = [ArgMaxOp, ArgMinOp]
