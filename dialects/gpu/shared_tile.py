"""Tiles in shared memory that hardware reads by a matrix descriptor."""

from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineMap
from xdsl.utils.exceptions import VerifyException

from dlc.arch.matrix_descriptor import (
    PATTERN_ROWS,
    ROW_BYTES,
    TRANSPOSED_BYTES,
    MatrixDescriptor,
)
from dlc.arch.memory import PIECE_BYTES
from dlc.core.affine import simplify
from dlc.dialects.gpu.alloc import SharedAllocOp, SwizzleAttr
from dlc.ir.space import Space, buffer_type, space_of
from dlc.ir.tensor import element_bytes


@dataclass(frozen=True)
class SharedTile:
    """``rows`` x ``depth`` elements of a buffer, from the place on that ``map`` names.

    The last axes are (rows, depth); where the tile is transposed (group, depth, rows of a group),
    or (depth, rows) if one group has them all.
    """

    buffer: SSAValue
    map: AffineMap
    rows: int
    depth: int
    transposed: bool = False

    @property
    def _sizes(self) -> tuple[int, ...]:
        return buffer_type(self.buffer).get_shape()

    @property
    def _element_bytes(self) -> int:
        return element_bytes(buffer_type(self.buffer).element_type)

    @property
    def _row_bytes(self) -> int:
        return self._sizes[-1] * self._element_bytes

    @property
    def _groups(self) -> int:
        """How many rows of memory beside each other the rows of a transposed tile take."""
        return -(-self.rows // self._sizes[-1])

    @property
    def box(self) -> tuple[int, ...]:
        """What it takes of the last axes."""
        if not self.transposed:
            return self.rows, self.depth
        if self._groups == 1:
            return self.depth, self.rows
        return self._groups, self.depth, self._sizes[-1]

    @property
    def descriptor(self) -> MatrixDescriptor:
        """How the hardware finds its elements."""
        stride = PATTERN_ROWS * self._row_bytes
        if not self.transposed or self._groups == 1:
            return MatrixDescriptor(self._row_bytes, stride, transposed=self.transposed)
        leading = prod(self._sizes[-2:]) * self._element_bytes
        return MatrixDescriptor(self._row_bytes, stride, leading, transposed=True)

    def verify(self, what: str) -> None:
        """Raise VerifyException unless the hardware can read it."""
        if space_of(self.buffer) is not Space.SHARED:
            raise VerifyException(f"{what} is a tile in shared memory, got {self.buffer.type}")
        if self.transposed and self._element_bytes != TRANSPOSED_BYTES:
            raise VerifyException(
                f"{what} is transposed, which works for elements of 16 bits only, not for "
                f"{buffer_type(self.buffer).element_type}"
            )
        self._verify_sizes(what)
        self._verify_swizzle(what)
        self._verify_place(what)

    def _verify_sizes(self, what: str) -> None:
        sizes = self._sizes
        if len(sizes) < len(self.box):
            raise VerifyException(
                f"{what} takes {' x '.join(map(str, self.box))}, {self.buffer.type} has "
                f"{len(sizes)} axes"
            )
        if self._row_bytes not in ROW_BYTES:
            raise VerifyException(
                f"{what} lies in rows of {self._row_bytes} bytes; the hardware takes "
                f"{', '.join(map(str, sorted(ROW_BYTES)))}"
            )
        if sizes[-2] % PATTERN_ROWS:
            raise VerifyException(
                f"{what} lies in {sizes[-2]} rows; should be a multiple of {PATTERN_ROWS}, after "
                "which the swizzle repeats"
            )
        ends = zip(self.box, sizes[-len(self.box) :], strict=True)
        if any(extent > size for extent, size in ends):
            raise VerifyException(
                f"{what} takes {' x '.join(map(str, self.box))} elements, which "
                f"{self.buffer.type} has not"
            )

    def _verify_swizzle(self, what: str) -> None:
        """A buffer has no swizzle before ``gpu-swizzle-shared``; with an offset it has its own."""
        owner = self.buffer.owner
        if not isinstance(owner, SharedAllocOp):
            return
        wanted = SwizzleAttr(self.descriptor.swizzle)
        known = owner.swizzle is not None or owner.offset is not None
        if known and owner.swizzle != wanted:
            found = "no swizzle" if owner.swizzle is None else str(owner.swizzle)
            raise VerifyException(
                f"{what} lies in rows of {self._row_bytes} bytes, whose swizzle is {wanted}; the "
                f"buffer has {found}"
            )
        if owner.offset is not None and owner.offset.value.data % wanted.period_bytes:
            raise VerifyException(
                f"{what} is in a buffer at byte {owner.offset.value.data}; should be a multiple of "
                f"{wanted.period_bytes}"
            )

    def _verify_place(self, what: str) -> None:
        *_, line, place = (simplify(index) for index in self.map.results)
        units = PIECE_BYTES // self._element_bytes
        for index, unit in ((line, PATTERN_ROWS), (place, units)):
            if isinstance(index, AffineConstantExpr) and index.value % unit:
                raise VerifyException(
                    f"{what} starts at index {index.value}; should be a multiple of {unit}"
                )
