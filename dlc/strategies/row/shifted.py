"""Weights of rows that start anywhere in a line: a copy for each place where one may start."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd, prod

import numpy as np
from xdsl.ir import SSAValue

from dlc.dialects.graph.computed import ElementwiseOp
from dlc.dialects.graph.structure import Array
from dlc.ir.tensor import shape
from dlc.lowering.job import Job


@dataclass(frozen=True)
class Shifted:
    """A form of a weight with an element for each of a row.

    Copy ``n`` has zeros before it for the ``n * step`` elements of a line that are before a row,
    and zeros behind it up to ``width`` elements. So it is loaded by whole lines where the row is.
    """

    copies: int
    step: int
    width: int

    @staticmethod
    def of(length: int, vector: int, width: int) -> "Shifted":
        """Return the form for rows of a length, in lines of ``vector`` elements."""
        step = gcd(length, vector)
        return Shifted(vector // step, step, width)

    def __call__(self, weight: Array) -> Array:
        flat, shifted = weight.reshape(-1), np.zeros((self.copies, self.width), weight.dtype)
        for number in range(self.copies):
            shifted[number, number * self.step :][: flat.size] = flat
        return shifted


def shift_weights(
    job: Job, inner: list[int], sizes: tuple[int, ...], form: Shifted
) -> list[SSAValue]:
    """Let a kernel take weights of rows in another form. Return them."""
    found = weights_of_rows(job.weights, inner, sizes)
    for value in found:
        job.buffers[value] = job.repack(value, (form.copies, form.width), form)
    return found


def weights_of_rows(
    values: Iterable[SSAValue], inner: list[int], sizes: tuple[int, ...]
) -> list[SSAValue]:
    """Return those of some values that have an element for each of a row, which one op reads
    element by element.

    inner: the sizes of a row's axes. sizes: of the tensor of the rows.
    """
    return [
        value
        for value in values
        if prod(shape(value)) == prod(inner) and _is_broadcast(value, inner, sizes)
    ]


def _is_broadcast(value: SSAValue, inner: list[int], sizes: tuple[int, ...]) -> bool:
    user = value.get_user_of_unique_use()
    if not isinstance(user, ElementwiseOp) or list(shape(value))[-len(inner) :] != inner:
        return False
    return shape(user.results[0]) == sizes
