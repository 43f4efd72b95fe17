"""What the integers among a model's inputs may be, and values for them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from dlc.analysis.entry import find_main, input_names
from dlc.analysis.evaluation import constant_value
from dlc.analysis.index_bounds import Numbers, computed_indices, index_bounds, legal_values
from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import DYNAMIC, element_type, is_float, numpy_dtype, shape
from dlc.verification.mask_inputs import late_marks, marks
from dlc.verification.met_range import MetRange, met_range

MEASURED = 300
"""The largest integer given where the model makes a float of it: its square fits into 32 bits, and
a cast back to integers is defined.
"""


@dataclass(frozen=True)
class IntegerInput:
    """An input of integers or booleans of a dtype.

    least, largest: the legal values of each element. switches: the values with which the model
    compares it. indices: which elements index tables. measured: whether floats are made of it.
    steers: whether the model computes indices from it, which may be outside the tables. divides:
    whether it is a divisor, which is never 0. met: the values with which
    comparisons with places come out either way, if there are any.
    """

    dtype: np.dtype
    least: Numbers
    largest: Numbers
    switches: Sequence[int]
    indices: Array
    measured: bool
    steers: bool
    divides: bool
    met: MetRange | None = None

    @property
    def is_wide(self) -> bool:
        """Whether elements that are no indices may have any value."""
        return not self.steers and (not self.measured or self.dtype.itemsize == 1)

    @property
    def is_any(self) -> bool:
        """Whether elements that are no indices are numbers of which any will do."""
        return self.is_wide and self.dtype.kind != "b"

    def ordinary(self, generator: np.random.Generator) -> Array:
        """Return indices over their whole range; integers of all lengths and both signs, but 0 and
        1 as masks have them where not any value will do; where it meets places, also numbers among
        these.
        """
        others = self._any(generator) if self.is_any else marks(generator, self.least.shape)
        if (numbers := self._met(generator)) is not None:
            kept = self.is_wide & (others.size > 1) & (generator.random(others.shape) < 0.5)
            others = np.where(kept, others, numbers)
        return self._drawn(generator, self._inside(generator), others)

    def ends(self, generator: np.random.Generator) -> Array:
        """Return the first and the last legal indices, and integers of the largest magnitudes; 1
        where not any value will do.
        """
        low, high = self._ends if self.is_wide else (1, 1)
        last = self._flags(generator) == 1
        least, largest = self._legal
        indices = np.where(last, largest, least)
        return self._drawn(generator, indices, np.where(last, high, low))

    def measures(self, generator: np.random.Generator) -> Array:
        """Return what is ordinary, but up to ``MEASURED`` of both signs where floats are made; of
        booleans some rows are False alone.
        """
        if self.dtype.kind == "b":
            others = marks(generator, self.least.shape, empty=True)
            return self._drawn(generator, self._inside(generator), others)
        if self.is_wide or self.steers or self.met is not None:
            return self.ordinary(generator)
        sizes = self.least.shape
        least, largest = (int(np.clip(x, -MEASURED, MEASURED)) for x in _limits(self.dtype))
        others = generator.integers(least, largest, sizes, endpoint=True)
        return self._drawn(generator, self._inside(generator), others)

    def late(self, generator: np.random.Generator) -> Array:
        """Return what ``ends`` does, but of masks 1 at the last places alone."""
        if self.is_any or self.divides or self.least.ndim < 2:
            return self.ends(generator)
        others = late_marks(generator, self.least.shape)
        return np.where(self.indices, self._inside(generator), others)

    def zeros(self) -> Array:
        """Return zeros, or the legal values next to them; ones if it divides."""
        return np.clip(int(self.divides), self.least, self.largest)

    def _drawn(self, generator: np.random.Generator, indices: Array, others: Array) -> Array:
        """Return elements that are indices and others; switches are at one of their positions, and
        so are some elements of what is compared as a whole.
        """
        drawn = np.where(self.indices, indices, others)
        drawn = np.where((drawn == 0) & self.divides, 1, drawn)
        if not self.switches:
            return drawn
        positions = generator.choice(self.switches, drawn.shape)
        kept = (drawn.size > 1) & (generator.random(drawn.shape) < 0.75)
        return np.clip(np.where(kept, drawn, positions), self.least, self.largest)

    @property
    def _legal(self) -> tuple[Numbers, Numbers]:
        if not self.measured:
            return self.least, self.largest
        least = np.maximum(self.least, -MEASURED)
        return least, np.maximum(least, np.minimum(self.largest, MEASURED))

    def _inside(self, generator: np.random.Generator) -> Array:
        return generator.integers(*self._legal, endpoint=True)

    def _met(self, generator: np.random.Generator) -> Array | None:
        """Return numbers of the range that is met, all equal where others are illegal indices."""
        if self.met is None:
            return None
        sizes = self.least.shape
        drawn = generator.integers(self.met.least, self.met.largest, sizes, endpoint=True)
        same = np.full(sizes, drawn.flat[0] if drawn.size else 0)
        return next(filter(self.met.allows, (drawn, same)), None)

    def _flags(self, generator: np.random.Generator) -> Array:
        return generator.integers(0, 2, self.least.shape)

    def _any(self, generator: np.random.Generator) -> Array:
        """Return 0 and 1, small numbers, and numbers of all lengths up to the longest."""
        low, high = self._symmetric
        sizes = self.least.shape
        bits = generator.integers(1, high.bit_length(), sizes, endpoint=True)
        long = generator.integers(0, high, sizes, endpoint=True) >> (high.bit_length() - bits)
        long *= generator.choice([-1, 1], sizes)
        kinds = [self._flags(generator), generator.integers(-9, 10, sizes), long, long]
        return np.clip(np.choose(generator.integers(0, 4, sizes), kinds), low, high)

    @property
    def _symmetric(self) -> tuple[int, int]:
        """The largest number with a sign in as many bits, and its negative. A negative one in an
        unsigned type is a number above its middle: they share their bits.
        """
        if self.dtype.kind == "b":
            return 0, 1
        top = (1 << (8 * self.dtype.itemsize - 1)) - 1
        return -top, top

    @property
    def _ends(self) -> tuple[int, int]:
        """The extremes of the dtype, as numbers with a sign; of these the least is the negative of
        the largest.
        """
        return (0, -1) if self.dtype.kind == "u" else self._symmetric


def _limits(dtype: np.dtype) -> tuple[int, int]:
    """Return the extremes of a dtype, as far as 64 bits with a sign hold them."""
    if dtype.kind == "b":
        return 0, 1
    limits = np.iinfo(dtype)
    return int(limits.min), int(min(limits.max, np.iinfo(np.int64).max))


def integer_inputs(module: ModuleOp, weights: WeightStore) -> dict[str, IntegerInput]:
    """Return what the inputs of integers and booleans may be, by name."""
    main = find_main(module)
    names = input_names(main)
    bounds = index_bounds(main, weights)
    computed = computed_indices(main, weights)
    found: dict[str, IntegerInput] = {}
    for number, (name, value) in enumerate(zip(names, main.args, strict=True)):
        if is_float(element_type(value)) or DYNAMIC in shape(value):
            continue
        least, largest = legal_values(bounds, number, shape(value))
        elements = [b.elements for b in bounds if b.argument == number]
        indices = np.zeros(least.size, np.bool_)
        indices[np.concatenate(elements) if elements else []] = True
        indices = indices.reshape(least.shape)
        dtype = numpy_dtype(element_type(value))
        found[name] = IntegerInput(
            dtype,
            np.where(indices, np.maximum(least, _limits(dtype)[0]), least),
            np.where(indices, np.minimum(largest, _limits(dtype)[1]), largest),
            _compared(value, weights),
            indices,
            *_reach(main, value, computed),
            _divides(value),
            None if dtype.kind == "b" else met_range(main, value, computed, weights),
        )
    return found


def _compared(value: SSAValue, weights: WeightStore) -> list[int]:
    """Return the constants of one element that ops with a boolean result take beside ``value``."""
    users = [use.operation for use in value.uses]
    tests = [op for op in users if isinstance(op, GraphOp) and element_type(op.results[0]) == i1]
    beside = [constant_value(x, weights) for op in tests for x in op.operands if x is not value]
    known = [x for x in beside if x is not None and x.size == 1 and x.dtype.kind in "iu"]
    return sorted({int(x.item()) for x in known})


def _reach(main: FuncOp, value: SSAValue, computed: Sequence[GraphOp]) -> tuple[bool, bool]:
    """Return whether floats are made of ``value``, and whether one of the indices ``computed`` is.

    An op that takes it for an index makes nothing of it, and a comparison only decides something.
    """
    reached, measured, steers = {value}, False, False
    for op in (op for op in main.body.block.ops if isinstance(op, GraphOp)):
        numbers = {n for n, x in enumerate(op.operands) if x in reached}
        places = numbers & set(op.index_limits)
        steers |= bool(places) and op in computed
        if numbers - places:
            measured |= any(is_float(element_type(x)) for x in op.results)
            reached.update(x for x in op.results if element_type(x) != i1)
    return measured, steers


def _divides(value: SSAValue) -> bool:
    """Return whether an op takes a value, or a copy of it, for a divisor."""
    for use in value.uses:
        op = use.operation
        if not isinstance(op, GraphOp):
            continue
        if use.index in op.nonzero_operands:
            return True
        if op.keeps_integers and any(map(_divides, op.results)):
            return True
    return False
