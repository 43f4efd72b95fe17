"""Ops that touch several buffers: ``%a[%i, 0] to %b[%j] {..} : type, type``."""

from abc import ABC
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, ClassVar

from xdsl.dialects.builtin import (
    AffineMapAttr,
    Float32Type,
    Float64Type,
    IntegerAttr,
    IntegerType,
    MemRefType,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    prop_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from dlc.ir.access import (
    Access,
    IndexedBuffer,
    MemoryOp,
    canonical_access,
    verify_access,
)
from dlc.ir.space import Space, space_of
from dlc.ir.tensor import element_bytes

Place = tuple[SSAValue, Sequence[AffineExpr], Sequence[SSAValue]]
"""A buffer, one index expression per axis, and the index values of the expressions' dims."""

SCALAR = Float32Type | Float64Type | IntegerType
"""The scalars that other threads can be given or add to; 16-bit floats are f32 in registers."""


def place_format(role: str) -> str:
    """Return how the place of a role is written: ``%x[%i, 0]``."""
    return f"custom<IndexedBuffer>(${role}, ${role}_indices, ${role}_map)"


FROM_TO = f"{place_format('source')} `to` {place_format('destination')}"
"""How an op that moves elements names both places."""


class BuffersOp(IRDLOperation, MemoryOp, ABC):
    """An op on one place in each of several buffers, named by ``ROLES``.

    A subclass defines, for each role ``r``, the operand ``r``, the variadic operand ``r_indices``
    and the property ``r_map``, in this order. Two ops with the same roles do not share them: what a
    class defines itself comes before what it inherits, so operands would change places.
    """

    ROLES: ClassVar[tuple[str, ...]]
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    custom_directives = (IndexedBuffer,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        *places: Place,
        more: Sequence[Sequence[SSAValue]] = (),
        **properties: Attribute | None,
    ):
        """more: the operands after the places, an empty list for an absent one."""
        operands: list[SSAValue | Sequence[SSAValue]] = []
        maps: dict[str, Attribute | None] = {}
        for role, (buffer, exprs, dims) in zip(self.ROLES, places, strict=True):
            maps[f"{role}_map"], indices = canonical_access(exprs, dims)
            operands += [buffer, indices]
        super().__init__(operands=[*operands, *more], properties={**maps, **properties})

    def access(self, role: str, elements: int, **facts: Any) -> Access:
        """Return the access of one role; facts are those of ``Access``."""
        map: AffineMapAttr = getattr(self, f"{role}_map")
        indices = tuple(getattr(self, f"{role}_indices"))
        return Access(getattr(self, role), map.data, indices, elements, **facts)

    def access_of_box(self, role: str, box: tuple[int, ...], **facts: Any) -> Access:
        """Return the access of one role to a tile, whose extents along the last axes these are."""
        return replace(self.access(role, prod(box), **facts), box=box)

    def verify_(self) -> None:
        for role, access in zip(self.ROLES, self.accesses(), strict=True):
            verify_access(access, f"the {role}")


class VectorMoveOp(BuffersOp, ABC):
    """An op by which one thread moves ``elements`` neighbouring elements, with one instruction."""

    elements = prop_def(IntegerAttr.constr(i64))

    ROLES: ClassVar[tuple[str, ...]] = ("source", "destination")

    @property
    def bytes(self) -> int:
        """The bytes moved by one thread."""
        source, _ = self.accesses()
        return source.elements * element_bytes(source.type.element_type)

    def accesses(self) -> Sequence[Access]:
        count = self.elements.value.data
        return (
            self.access("source", count, reads=True),
            self.access("destination", count, writes=True),
        )


def verify_same_element(source: Access, destination: Access, instead: str) -> None:
    """Raise VerifyException when two buffers hold different element types."""
    if source.type.element_type != destination.type.element_type:
        raise VerifyException(
            f"moves {source.type.element_type} to {destination.type.element_type} without "
            f"converting; {instead}"
        )


def verify_spaces(source: SSAValue, destination: SSAValue, wanted: tuple[Space, Space]) -> None:
    """Raise VerifyException where two buffers are not in the memories between which an op moves."""
    if (space_of(source), space_of(destination)) != wanted:
        raise VerifyException(
            f"moves from {wanted[0]} to {wanted[1]} memory, got {source.type} and "
            f"{destination.type}"
        )


def verify_bytes(bytes: int, sizes: Sequence[int]) -> None:
    """Raise VerifyException for bytes that no one instruction moves."""
    if bytes not in sizes:
        *others, last = map(str, sizes)
        raise VerifyException(
            f"moves {bytes} bytes; one instruction moves {', '.join(others)} or {last}"
        )


def element_of(buffer: SSAValue) -> Attribute:
    """Return the stored element type of a buffer."""
    assert isinstance(buffer.type, MemRefType)
    return buffer.type.element_type


def verify_scalar(type: Attribute) -> None:
    """Raise VerifyException unless the hardware exchanges scalars of ``type`` between threads."""
    if isinstance(type, IntegerType) and type.width.data not in (32, 64):
        raise VerifyException(f"takes f32, f64, i32 or i64, not {type}")
