"""What a tensor map says: a tensor in global memory, and the box of it that one copy moves.

Axes stand as in a ``memref``: the last one is the one whose elements are neighbours in memory. The
driver's arrays have the opposite order. Source: CUDA Driver API, "Tensor Map Object Management";
PTX ISA, "Tensors".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlc.arch import tf32
from dlc.arch.memory import PIECE_BYTES

Integers = NDArray[np.int64]

MOST_AXES = 5
MOST_BOX = 256
"""Elements of a box along an axis, those included that element strides leave out."""
MOST_PIXELS = 1024
"""Of a column (``pixelsPerColumn``)."""
MOST_ELEMENT_STRIDE = 8
SWIZZLES = (0, 32, 64, 128)
"""Bytes of the rows that are permuted; 0: none."""
PROMOTIONS = (0, 64, 128, 256)
"""Bytes that are fetched to L2 at least."""
ROUNDINGS = (0, tf32.IGNORED_BITS)
"""Bits that are rounded off floats of 32 bits: none, or those that tf32 has not
(``CU_TENSOR_MAP_DATA_TYPE_TFLOAT32``).
"""
_CORNERS = {1: (-(1 << 15), (1 << 15) - 1), 2: (-128, 127), 3: (-16, 15)}
"""The corners that the driver can encode, by how many axes they have."""


@dataclass(frozen=True)
class TensorMap:
    """A tensor and a box in it.

    sizes: elements along each axis. strides: bytes from one element to the next, along each axis
    but the last. box: the elements that a copy brings along each axis. element_strides: every how
    many elements of the tensor one is brought. swizzle: bytes of the rows whose 16-byte pieces are
    permuted in shared memory. l2_promotion: bytes that a miss fetches to L2 at least.

    lower_corner, upper_corner: where they are given (im2col mode), the axes are an image, its
    spatial axes, and channels; the box is pixels by channels. The pixels that one copy brings
    follow each other in the window of the image that reaches from ``lower_corner`` to the size plus
    ``upper_corner``, and then in the next image; ``element_strides`` is the step from pixel to
    pixel.

    rounded_bits: the last bits of the mantissa of each element that a copy to shared memory rounds
    off, to nearest, ties to even; they become zero.
    """

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    element_strides: tuple[int, ...] = ()
    swizzle: int = 0
    l2_promotion: int = 0
    lower_corner: tuple[int, ...] = ()
    upper_corner: tuple[int, ...] = ()
    rounded_bits: int = 0

    @property
    def rank(self) -> int:
        """The axes of the tensor."""
        return len(self.sizes)

    @property
    def is_im2col(self) -> bool:
        """Whether the box is a column of pixels."""
        return bool(self.lower_corner)

    @property
    def offsets(self) -> int:
        """The offsets from the pixels that a copy also names: one for each spatial axis."""
        return len(self.lower_corner)

    @property
    def steps(self) -> tuple[int, ...]:
        """The element stride along each axis."""
        return self.element_strides or (1,) * self.rank

    @property
    def elements(self) -> int:
        """The elements that a copy moves."""
        return prod(self.box)

    @property
    def covered(self) -> tuple[int, ...]:
        """The box as the driver wants it: with the elements that are left out."""
        return tuple(n * step for n, step in zip(self.box, self.steps, strict=True))

    def byte_strides(self, element_bytes: int) -> tuple[int, ...]:
        """Return the stride of every axis."""
        return (*self.strides, element_bytes)

    def reach(self, element_bytes: int) -> int:
        """Return the bytes from the first element of the tensor to the end of the last."""
        strides = self.byte_strides(element_bytes)
        far = sum((n - 1) * stride for n, stride in zip(self.sizes, strides, strict=True))
        return far + element_bytes

    def problems(self) -> Iterator[str]:
        """Give what no driver encodes, whatever the type of the elements."""
        if not 1 <= self.rank <= MOST_AXES:
            yield f"a tensor map has 1 to {MOST_AXES} axes, sizes has {self.rank}"
            return
        yield from self._lengths()
        yield from _outside("sizes", self.sizes, 1, 1 << 32)
        yield from _outside("strides", self.strides, PIECE_BYTES, (1 << 40) - 1)
        yield from _outside("element_strides", self.element_strides, 1, MOST_ELEMENT_STRIDE)
        for stride in self.strides:
            if stride % PIECE_BYTES:
                yield f"strides are multiples of {PIECE_BYTES} bytes, got {list(self.strides)}"
                break
        if self.element_strides and self.element_strides[-1] != 1:
            yield "the element stride of the last axis is 1: its elements are neighbours"
        if self.swizzle not in SWIZZLES:
            yield f"swizzle = {self.swizzle} should be one of {_listed(SWIZZLES)} bytes"
        if self.l2_promotion not in PROMOTIONS:
            yield f"l2_promotion = {self.l2_promotion} should be one of {_listed(PROMOTIONS)} bytes"
        if self.rounded_bits not in ROUNDINGS:
            yield f"rounded_bits = {self.rounded_bits} should be one of {_listed(ROUNDINGS)}"
        yield from self._column() if self.is_im2col else self._tile()

    def _lengths(self) -> Iterator[str]:
        axes = 2 if self.is_im2col else self.rank
        wanted = {
            "strides": (self.strides, self.rank - 1),
            "box": (self.box, axes),
            "element_strides": (self.element_strides or self.sizes, self.rank),
        }
        for name, (values, count) in wanted.items():
            if len(values) != count:
                yield f"{name} has {len(values)} numbers, the {self.rank} axes need {count}"

    def _tile(self) -> Iterator[str]:
        if len(self.box) == len(self.steps) == self.rank:
            yield from _outside("the box with its element strides", self.covered, 1, MOST_BOX)
        if self.upper_corner:
            yield "upper_corner needs a lower_corner"

    def _column(self) -> Iterator[str]:
        spatial = self.rank - 2
        corners = (self.lower_corner, self.upper_corner)
        if spatial < 1 or any(len(corner) != spatial for corner in corners):
            yield (
                "the corners have a number for each axis between the first and the last, got "
                f"{len(corners[0])} and {len(corners[1])} for {self.rank} axes"
            )
            return
        low, high = _CORNERS[spatial]
        for name, corner in zip(("lower_corner", "upper_corner"), corners, strict=True):
            yield from _outside(name, corner, low, high)
        if len(self.box) == 2:
            yield from _outside("the pixels of the box", self.box[:1], 1, MOST_PIXELS)
            yield from _outside("the channels of the box", self.box[1:], 1, MOST_BOX)
        if any(n <= 0 for n in self._window()):
            yield "there is no pixel between the corners"

    def problems_with(self, element_bytes: int, buffer_bytes: int) -> Iterator[str]:
        """Give what is wrong for elements of this size, in a buffer of that size."""
        inner = self.box[-1] * element_bytes
        if inner % PIECE_BYTES:
            yield (
                f"the last axis of the box has {inner} bytes; they should be a multiple of "
                f"{PIECE_BYTES}"
            )
        if self.swizzle and inner > self.swizzle:
            yield (
                f"the last axis of the box has {inner} bytes, a swizzle of {self.swizzle} takes no "
                "longer rows"
            )
        if self.reach(element_bytes) > buffer_bytes:
            yield (
                f"the tensor map reaches {self.reach(element_bytes)} bytes far, the buffer has "
                f"{buffer_bytes}"
            )

    def alignment(self) -> int:
        """Return what the place in shared memory is a multiple of: the period of the swizzle, which
        hangs on addresses, and 128 bytes at least (PTX ISA, "cp.async.bulk.tensor").
        """
        return max(8 * self.swizzle, 128)

    # Which elements a copy moves.

    def positions(
        self, at: Sequence[Integers], offsets: Sequence[Integers], element_bytes: int
    ) -> tuple[Integers, NDArray[np.bool_]]:
        """Return the byte offsets in the tensor of the elements of some boxes, in the order of the
        tile in shared memory, and which of them are inside: boxes x elements.

        at: the first element of each box, along each axis. offsets: to the pixels (im2col).
        """
        axes = self._pixels(at, offsets) if self.is_im2col else self._box(at)
        inside = np.ones((), np.bool_)
        place: Any = 0
        for index, size, stride in zip(
            axes, self.sizes, self.byte_strides(element_bytes), strict=True
        ):
            inside = inside & (index >= 0) & (index < size)
            place = place + index * stride
        boxes = len(at[0])
        return place.reshape(boxes, -1), np.asarray(inside).reshape(boxes, -1)

    def _box(self, at: Sequence[Integers]) -> list[Integers]:
        found: list[Integers] = []
        for axis, (first, count, step) in enumerate(zip(at, self.box, self.steps, strict=True)):
            shape = [1] * (1 + self.rank)
            shape[1 + axis] = count
            steps = np.arange(count).reshape(shape) * step
            found.append(first.reshape(-1, *[1] * self.rank) + steps)
        return found

    def _window(self) -> list[int]:
        """Return how many pixels a window has along each spatial axis."""
        spatial = range(1, self.rank - 1)
        spans = [
            self.sizes[axis] + self.upper_corner[axis - 1] - self.lower_corner[axis - 1]
            for axis in spatial
        ]
        return [-(-span // self.steps[axis]) for axis, span in zip(spatial, spans, strict=True)]

    def _pixels(self, at: Sequence[Integers], offsets: Sequence[Integers]) -> list[Integers]:
        """Return the indices of columns of pixels: these are numbered over windows and images."""
        spatial = range(1, self.rank - 1)
        window, (pixels, channels) = self._window(), self.box
        number = at[0]
        for axis in spatial:
            first = (at[axis] - self.lower_corner[axis - 1]) // self.steps[axis]
            number = number * window[axis - 1] + first
        number = number[:, None] + np.arange(pixels)
        axes: list[Integers] = []
        for axis in reversed(spatial):
            number, index = np.divmod(number, window[axis - 1])
            first = self.lower_corner[axis - 1] + offsets[axis - 1][:, None]
            axes.insert(0, (first + index * self.steps[axis])[..., None])
        return [number[..., None], *axes, at[-1][:, None, None] + np.arange(channels)]


def _outside(name: str, values: Sequence[int], low: int, high: int) -> Iterator[str]:
    bad = [value for value in values if not low <= value <= high]
    if bad:
        yield f"{name}: {bad[0]} should be in {low}..{high}"


def _listed(values: Sequence[int]) -> str:
    return ", ".join(map(str, values))
