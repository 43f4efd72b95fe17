"""Kernels that write a part of a buffer, which others have the rest of."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, i64
from xdsl.ir import BlockArgument, Operation
from xdsl.utils.exceptions import VerifyException

from dlc.ir.space import buffer_type


@dataclass(frozen=True)
class WrittenPart:
    """The places from ``start`` to before ``stop`` along an axis of buffer ``number``."""

    number: int
    axis: int
    start: int
    stop: int

    def attribute(self) -> DenseArrayBase[Any]:
        """Return the numbers as the IR has them."""
        return DenseArrayBase.from_list(i64, [self.number, self.axis, self.start, self.stop])


def written_parts(kernel: Operation) -> Iterator[WrittenPart]:
    """Yield what ``parts`` of a kernel says."""
    parts = kernel.properties.get("parts")
    for each in parts.data if isinstance(parts, ArrayAttr) else ():
        assert isinstance(each, DenseArrayBase)
        yield WrittenPart(*map(int, each.get_values()))


def parts_attribute(parts: Sequence[WrittenPart]) -> ArrayAttr[DenseArrayBase[Any]] | None:
    """Return ``parts`` of a kernel; ``None`` where it writes all of every output."""
    return ArrayAttr([part.attribute() for part in parts]) if parts else None


def written(kernel: Operation, buffer: BlockArgument) -> NDArray[np.bool_]:
    """Return which elements of an output a kernel writes, in row-major order."""
    sizes = buffer_type(buffer).get_shape()
    found = np.ones(sizes, np.bool_)
    for part in written_parts(kernel):
        if part.number == buffer.index:
            found[:] = False
            np.moveaxis(found, part.axis, 0)[part.start : part.stop] = True
    return found.reshape(prod(sizes))


def verify_parts(kernel: Operation, outputs: Sequence[BlockArgument]) -> None:
    """Raise VerifyException for ``parts`` that are none of a kernel's outputs."""
    given = kernel.properties.get("parts")
    for each in given.data if isinstance(given, ArrayAttr) else ():
        if not isinstance(each, DenseArrayBase) or len(each) != 4:
            raise VerifyException("each of parts is a buffer, an axis, a start and an end")
    sizes = {x.index: buffer_type(x).get_shape() for x in outputs}
    for part in written_parts(kernel):
        own = sizes.get(part.number, ())
        is_axis = 0 <= part.axis < len(own)
        if not is_axis or not 0 <= part.start < part.stop <= own[part.axis]:
            raise VerifyException(f"{part} is no part of an output")
