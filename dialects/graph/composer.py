"""Short names for inserting ops, so that a decomposition reads as its formula."""

from collections.abc import Callable, Sequence
from math import inf

from xdsl.dialects.builtin import StringAttr, TensorType, bf16, f16, f32, i64
from xdsl.ir import Attribute, SSAValue

from dlc.dialects.graph.cast import CastOp
from dlc.dialects.graph.comparison import CompareOp, WhereOp
from dlc.dialects.graph.contraction import MatmulOp
from dlc.dialects.graph.elementwise import AbsOp, AddOp, DivOp, MaxOp, MinOp, MulOp, PowOp, SubOp
from dlc.dialects.graph.generate import RangeOp
from dlc.dialects.graph.layout import BroadcastOp, ConcatOp, SliceOp, TransposeOp
from dlc.dialects.graph.math import ExpOp, LogOp, RoundOp, SqrtOp
from dlc.dialects.graph.pad import PadOp
from dlc.dialects.graph.properties import element_attribute, flag, integer, integers
from dlc.dialects.graph.reduction import OverAxes, ReduceMaxOp, ReduceMeanOp, ReduceSumOp
from dlc.dialects.graph.reshape import ReshapeOp
from dlc.dialects.graph.source import SplatOp
from dlc.dialects.graph.structure import GraphOp
from dlc.dialects.graph.wide import NarrowOp, WidenOp
from dlc.errors import OpenSizeError
from dlc.ir.tensor import DYNAMIC, element_type, shape, shape_text


class Composer:
    """Inserts ops through ``insert`` and returns their first results."""

    def __init__(self, insert: Callable[[GraphOp], SSAValue]):
        self.insert = insert

    # Values -------------------------------------------------------------------------------------

    def splat(self, value: float, element: Attribute, sizes: Sequence[int] = ()) -> SSAValue:
        """Return a tensor of one repeated value, by default a scalar."""
        return self.insert(SplatOp(element_attribute(value, element), TensorType(element, sizes)))

    def positions(self, size: int) -> SSAValue:
        """Return the ``i64`` numbers from 0 up to, not including, ``size``."""
        return self.insert(RangeOp.make(start=integer(0), step=integer(1), size=integer(size)))

    def like(self, value: float, x: SSAValue) -> SSAValue:
        """Return ``value`` as a scalar of the element type of ``x``."""
        return self.splat(value, element_type(x))

    def cast(self, x: SSAValue, element: Attribute) -> SSAValue:
        """Return ``x`` in another element type; ``x`` itself when it has it already."""
        return x if element_type(x) == element else self.insert(CastOp.make(x, to=element))

    def widen(self, x: SSAValue) -> SSAValue:
        """Return a 16-bit float tensor in ``f32``, any other as it is."""
        return self.cast(x, f32) if element_type(x) in (f16, bf16) else x

    def keep_wide(self, x: SSAValue) -> SSAValue:
        """Return ``x``, widened; what is computed of it stays so in any precision (``wide``)."""
        wide = self.widen(x)
        return self.insert(WidenOp.make(x)) if wide is x and element_type(x) == f32 else wide

    def narrow_like(self, y: SSAValue, x: SSAValue) -> SSAValue:
        """Return ``y``, computed of ``keep_wide(x)``, in the type and precision of ``x``."""
        narrow = self.cast(y, element_type(x))
        return self.insert(NarrowOp.make(y)) if narrow is y and element_type(y) == f32 else narrow

    # Arithmetic, broadcast ----------------------------------------------------------------------

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Return ``a + b``."""
        return self.insert(AddOp.make(a, b))

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Return ``a - b``."""
        return self.insert(SubOp.make(a, b))

    def mul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Return ``a * b``."""
        return self.insert(MulOp.make(a, b))

    def div(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Return ``a / b``."""
        return self.insert(DivOp.make(a, b))

    def pow(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Return ``a ** b``."""
        return self.insert(PowOp.make(a, b))

    def clip(self, x: SSAValue, low: float, high: float) -> SSAValue:
        """Return ``x`` limited to ``[low, high]``."""
        above = self.insert(MaxOp.make(x, self.like(low, x)))
        return self.insert(MinOp.make(above, self.like(high, x)))

    def below(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return ``x < y``."""
        return self.insert(CompareOp.make(x, y, predicate=StringAttr("lt")))

    def where(self, condition: SSAValue, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return ``x`` where a condition holds, else ``y``."""
        return self.insert(WhereOp.make(condition, x, y))

    def seen(self, x: SSAValue, count: int) -> SSAValue:
        """Return ``x`` with minus infinity behind the first ``count`` elements of each row."""
        places, last = self.positions(shape(x)[-1]), self.splat(count, i64)
        return self.where(self.below(places, last), x, self.like(-inf, x))

    def seen_by_rows(self, x: SSAValue, last: int) -> SSAValue:
        """Return ``x`` with minus infinity behind element ``last + i`` of row ``i``."""
        rows, columns = shape(x)[-2:]
        places = RangeOp.make(start=integer(last), step=integer(1), size=integer(rows))
        ends = self.reshape(self.insert(places), [rows, 1])
        inside = CompareOp.make(self.positions(columns), ends, predicate=StringAttr("le"))
        return self.insert(WhereOp.make(self.insert(inside), x, self.like(-inf, x)))

    def absolute(self, x: SSAValue) -> SSAValue:
        """Return ``|x|``."""
        return self.insert(AbsOp.make(x))

    def exp(self, x: SSAValue) -> SSAValue:
        """Return ``e ** x``."""
        return self.insert(ExpOp.make(x))

    def log(self, x: SSAValue) -> SSAValue:
        """Return the natural logarithm of ``x``."""
        return self.insert(LogOp.make(x))

    def sqrt(self, x: SSAValue) -> SSAValue:
        """Return the square root of ``x``."""
        return self.insert(SqrtOp.make(x))

    def round(self, x: SSAValue) -> SSAValue:
        """Return the nearest integers, halves to even."""
        return self.insert(RoundOp.make(x))

    # Reductions and products --------------------------------------------------------------------

    def reduce(
        self, op: type[OverAxes], x: SSAValue, axes: Sequence[int], keep: bool = True
    ) -> SSAValue:
        """Return a reduction over axes that stay with size 1, unless ``keep`` is false."""
        return self.insert(op.make(x, axes=integers(sorted(axes)), keep_dims=flag(keep)))

    def sum(self, x: SSAValue, *axes: int) -> SSAValue:
        """Return the sum over axes, which stay with size 1."""
        return self.reduce(ReduceSumOp, x, axes)

    def mean(self, x: SSAValue, *axes: int) -> SSAValue:
        """Return the mean over axes, which stay with size 1."""
        return self.reduce(ReduceMeanOp, x, axes)

    def max(self, x: SSAValue, *axes: int) -> SSAValue:
        """Return the largest element over axes, which stay with size 1."""
        return self.reduce(ReduceMaxOp, x, axes)

    def matmul(
        self, a: SSAValue, b: SSAValue, transpose_lhs: bool = False, transpose_rhs: bool = False
    ) -> SSAValue:
        """Return the matrix product, of transposed factors where asked for."""
        return self.insert(
            MatmulOp.make(
                a, b, transpose_lhs=flag(transpose_lhs), transpose_rhs=flag(transpose_rhs)
            )
        )

    # Shape --------------------------------------------------------------------------------------

    def reshape(self, x: SSAValue, sizes: Sequence[int]) -> SSAValue:
        """Return the elements of ``x`` in another shape; ``x`` itself when it has it already.

        One size may be ``DYNAMIC`` or -1: it takes what is left.
        """
        if shape(x) == tuple(sizes):
            return x
        known = [-1 if n == DYNAMIC else n for n in sizes]
        if known.count(-1) > 1:
            raise OpenSizeError(f"a reshape to {shape_text(sizes)}")
        return self.insert(ReshapeOp.make(x, sizes=integers(known)))

    def on_axis(self, x: SSAValue, axis: int, rank: int) -> SSAValue:
        """Return a vector as a tensor of ``rank`` axes that broadcasts along all but ``axis``."""
        (size,) = shape(x)
        return self.reshape(x, [size if a == axis else 1 for a in range(rank)])

    def transpose(self, x: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """Return ``x`` with axis ``permutation[i]`` as axis ``i``; ``x`` itself if none moves."""
        if list(permutation) == list(range(len(shape(x)))):
            return x
        return self.insert(TransposeOp.make(x, permutation=integers(permutation)))

    def broadcast(self, x: SSAValue, sizes: Sequence[int]) -> SSAValue:
        """Return ``x`` repeated to a shape; an axis of size ``DYNAMIC`` stays as it is."""
        if shape(x) == tuple(sizes):
            return x
        known = [1 if n == DYNAMIC else n for n in sizes]
        return self.insert(BroadcastOp.make(x, sizes=integers(known)))

    def part(self, x: SSAValue, axis: int, start: int, stop: int) -> SSAValue:
        """Return the elements from ``start`` up to, not including, ``stop`` along one axis."""
        sizes = shape(x)
        if (start, stop) == (0, sizes[axis]):
            return x
        return self.window(x, {axis: (start, stop)})

    def window(self, x: SSAValue, ranges: dict[int, tuple[int, int]]) -> SSAValue:
        """Return the elements in a range of each axis named."""
        whole = [(0, 2**63 - 1 if size == DYNAMIC else size) for size in shape(x)]
        bounds = [ranges.get(axis, bound) for axis, bound in enumerate(whole)]
        starts, stops = (integers([bound[side] for bound in bounds]) for side in (0, 1))
        ones = integers([1] * len(bounds))
        return self.insert(SliceOp.make(x, starts=starts, stops=stops, steps=ones))

    def reverse(self, x: SSAValue, axes: Sequence[int]) -> SSAValue:
        """Return ``x`` backwards along some axes."""
        sizes = shape(x)
        starts = [n - 1 if a in axes else 0 for a, n in enumerate(sizes)]
        stops = [-n - 1 if a in axes else n for a, n in enumerate(sizes)]
        steps = [-1 if a in axes else 1 for a in range(len(sizes))]
        return self.insert(
            SliceOp.make(x, starts=integers(starts), stops=integers(stops), steps=integers(steps))
        )

    def concat(self, values: Sequence[SSAValue], axis: int) -> SSAValue:
        """Return values one after the other along ``axis``."""
        return (
            values[0]
            if len(values) == 1
            else self.insert(ConcatOp.make(*values, axis=integer(axis)))
        )

    def pad(self, x: SSAValue, low: Sequence[int], high: Sequence[int]) -> SSAValue:
        """Return ``x`` with zeros before and after it along each axis; ``x`` itself for none."""
        if not any((*low, *high)):
            return x
        zero = element_attribute(0, element_type(x))
        mode = StringAttr("constant")
        return self.insert(
            PadOp.make(x, mode=mode, value=zero, low=integers(low), high=integers(high))
        )
