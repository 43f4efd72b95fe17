"""Tensor maps: what a copy of a box of a tensor is about, known when the kernel is compiled."""

from dataclasses import fields
from typing import Any

from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from dlc.core.tensor_map import TensorMap
from dlc.dialects.gpu.alloc import SwizzleAttr
from dlc.ir.record import RecordAttr, Value, text_of


@irdl_attr_definition
class TensorMapAttr(RecordAttr):
    """A tensor in a buffer, and the box of it that a copy moves; ``sizes``, ``strides`` in bytes of
    every axis but the last, ``box``.

    ``element_strides``: every how many elements one is brought. ``swizzle``: 32, 64 or 128 bytes,
    the rows whose pieces are permuted in shared memory. ``l2_promotion``: bytes fetched to L2 at
    least. ``lower_corner``, ``upper_corner``: the window of the image over which a column of pixels
    goes (im2col mode); the box is pixels by channels. What is outside of the tensor is zero.
    ``rounded_bits``: 13 rounds ``f32`` to tf32 on the way to shared memory, to nearest, ties to
    even; else bits are moved as they are.

    The host encodes it for the address of the buffer (CUDA Driver API, ``cuTensorMapEncodeTiled``,
    ``cuTensorMapEncodeIm2col``).

    ``#gpu.tensor_map<sizes = [512, 256], strides = [512], box = [128, 64], swizzle = 128>``
    """

    name = "gpu.tensor_map"

    @classmethod
    def of(cls, map: TensorMap) -> "TensorMapAttr":
        """Return the attribute of a map; what has its default is left out."""
        given = {field.name: (getattr(map, field.name), field.default) for field in fields(map)}
        shown = ((name, value) for name, (value, default) in given.items() if value != default)
        return cls(tuple(shown))

    @property
    def map(self) -> TensorMap:
        """The tensor and the box."""
        values: dict[str, Any] = dict(self.data)
        return TensorMap(**values)

    def verify(self) -> None:
        for field in fields(TensorMap):
            if field.name in self:
                _verify_value(field.name, self[field.name], int if field.default == 0 else tuple)
        for name in ("sizes", "strides", "box"):
            if name not in self:
                raise VerifyException(f"{self.name} needs {name}")
        known = {field.name for field in fields(TensorMap)}
        for name in self:
            if name not in known:
                raise VerifyException(
                    f"{self.name} has no {name}; it has {', '.join(sorted(known))}"
                )
        for problem in self.map.problems():
            raise VerifyException(problem)


def _verify_value(name: str, value: Value, kind: type) -> None:
    numbers = value if isinstance(value, tuple) else (value,)
    if not isinstance(value, kind) or any(type(number) is not int for number in numbers):
        wanted = "a list of integers" if kind is tuple else "an integer"
        raise VerifyException(f"{name} = {text_of(value)} should be {wanted}")


def hardware_swizzle(row_bytes: int) -> SwizzleAttr | None:
    """Return the permutation that a tensor map means by ``swizzle = row_bytes``; 0 is none."""
    return SwizzleAttr.of_lines(row_bytes) if row_bytes else None


ATTRIBUTES = [TensorMapAttr]
