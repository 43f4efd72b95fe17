"""Inputs that lie turned: along the last axis of a result, their elements are far apart.

Such are the operands of transpositions and of changes between channels first and last. A thread
that computes neighbours of the result would read each from another line of memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.dataflow import Cluster
from dlc.core.affine import (
    Ranges,
    extent,
    interval_of,
    linear_index,
    simplify,
    stride,
    uses_symbols,
)
from dlc.dialects.graph.computed import ComputedOp
from dlc.ir.tensor import element_bytes, element_count, element_type, shape, tensor_bytes

_MOST_READS = 64
"""Of the inputs; a cluster with more is no matter of its addresses."""

Exprs = tuple[AffineExpr, ...]


@dataclass(frozen=True)
class TurnedInput:
    """An input that each element of the result reads once, at ``index``: one expression of the
    result's axes for each of its own.
    """

    value: SSAValue
    index: Exprs

    @property
    def bytes(self) -> int:
        """Of an element."""
        return element_bytes(element_type(self.value))


@dataclass(frozen=True)
class Turn:
    """How the inputs of a result lie.

    shape: of the result. groups: its axes without those of size 1; neighbours along which every
    input keeps one stride are gone through as one. axis: which of the groups the inputs have their
    neighbours along; it is not the last.
    """

    shape: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    axis: int
    inputs: tuple[TurnedInput, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of the groups."""
        return tuple(prod(self.shape[a] for a in group) for group in self.groups)

    def line_step(self, input: TurnedInput) -> int:
        """Return how far apart the elements of an input along the last group are."""
        step = _strides(input, self.shape)[self.groups[-1][-1]]
        assert step is not None
        return step

    def is_dense(self, input: TurnedInput) -> bool:
        """Whether the elements of an input along the last group follow those along ``axis``."""
        return self.line_step(input) == self.sizes[self.axis]


def turn_of(cluster: Cluster) -> Turn | None:
    """Return how the inputs of a cluster lie that lie turned; ``None`` where none does."""
    sizes = shape(cluster.results[0])
    if not prod(sizes) or not any(op.moves_data for op in cluster.ops):
        return None
    if any(shape(value) != sizes for value in cluster.results):
        return None
    read = dict[SSAValue, set[Exprs | None]]()
    dims = tuple(AffineExpr.dimension(a) for a in range(len(sizes)))
    for number, (value, index) in enumerate(_reads(cluster, dims)):
        if number == _MOST_READS:
            return None
        read.setdefault(value, set()).add(index)
    pairs = [(value, next(iter(found))) for value, found in read.items() if len(found) == 1]
    return _turn(sizes, [TurnedInput(value, index) for value, index in pairs if index is not None])


def _reads(cluster: Cluster, dims: Exprs) -> Iterator[tuple[SSAValue, Exprs | None]]:
    """Yield each read of an input and its index, ``None`` where it is not one of the axes only, or
    leads outside for some elements, as of one part of a concatenation.
    """
    ranges = Ranges([extent(n) for n in shape(cluster.results[0])])
    todo: list[tuple[SSAValue, Exprs | None]] = [(value, dims) for value in cluster.results]
    seen = set(todo)
    while todo:
        value, index = todo.pop()
        op = value.owner
        if not (isinstance(op, ComputedOp) and cluster.inner(value)):
            if element_count(value) > 1:
                yield value, index
            continue
        found = cluster.profile(op)
        for read in found.reads:
            plain = index is not None and not (read.guarded or read.reduced or found.reduction)
            place = None
            if plain and not any(map(uses_symbols, read.map.results)):
                assert index is not None
                exprs = (e.replace_dims_and_symbols(index, ()) for e in read.map.results)
                place = tuple(simplify(e, ranges) for e in exprs)
                if not _is_inside(place, shape(op.operands[read.operand]), ranges):
                    place = None
            each = op.operands[read.operand], place
            if each not in seen:
                seen.add(each)
                todo.append(each)


def _is_inside(index: Exprs, sizes: Sequence[int], ranges: Ranges) -> bool:
    pairs = zip(index, sizes, strict=True)
    return all(interval_of(e, ranges).within(0, size - 1) for e, size in pairs)


def _strides(input: TurnedInput, sizes: tuple[int, ...]) -> tuple[int | None, ...]:
    """Return by how much the place in an input grows along each axis of the result."""
    return _strides_at(input.index, shape(input.value), sizes)


@lru_cache(4096)  # elementwise ops of a shape read alike
def _strides_at(
    index: Exprs, own: tuple[int, ...], sizes: tuple[int, ...]
) -> tuple[int | None, ...]:
    """Return the same at an index of a tensor of shape ``own``."""
    ranges = Ranges([extent(n) for n in sizes])
    place = simplify(linear_index(index, own), ranges)
    return tuple(stride(place, axis, ranges) for axis in range(len(sizes)))


def _turn(sizes: tuple[int, ...], inputs: Sequence[TurnedInput]) -> Turn | None:
    axes = [axis for axis, size in enumerate(sizes) if size > 1]
    turned = dict[int, list[TurnedInput]]()
    for each in inputs:
        strides = _strides(each, sizes)
        fastest = next((a for a in axes if strides[a] == 1), None)
        if None not in strides and fastest is not None and strides[axes[-1]] not in (0, 1):
            turned.setdefault(fastest, []).append(each)
    if not turned:
        return None
    axis, found = max(turned.items(), key=lambda item: sum(tensor_bytes(i.value) for i in item[1]))
    groups = _groups(sizes, axes, [_strides(each, sizes) for each in found])
    own = next(number for number, group in enumerate(groups) if axis in group)
    return Turn(sizes, groups, own, tuple(found))


def _groups(
    sizes: Sequence[int], axes: Sequence[int], strides: Sequence[Sequence[int | None]]
) -> tuple[tuple[int, ...], ...]:
    groups: list[list[int]] = []
    for axis in axes:
        last = groups[-1][-1] if groups else None
        if last is not None and all(s[last] == (s[axis] or 0) * sizes[axis] for s in strides):
            groups[-1].append(axis)
        else:
            groups.append([axis])
    return tuple(map(tuple, groups))
