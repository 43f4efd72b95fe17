"""Copies of boxes of tensors that the hardware does beside the threads, and their groups."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, ClassVar

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    f32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineConstantExpr
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from dlc.arch.memory import PIECE_BYTES
from dlc.arch.scope import Scope
from dlc.core.tensor_map import TensorMap
from dlc.dialects.gpu.buffers import (
    FROM_TO,
    BuffersOp,
    Place,
    element_of,
    place_format,
    verify_same_element,
)
from dlc.dialects.gpu.capability import NeedsCapability
from dlc.dialects.gpu.cluster import verify_cluster
from dlc.dialects.gpu.mbarrier import MOST_ARRIVALS, verify_barrier
from dlc.dialects.gpu.tensor_map import TensorMapAttr
from dlc.ir.access import INDEX, Access
from dlc.ir.order import OrderingOp, Token, TokenKind
from dlc.ir.space import Space, buffer_type, space_of
from dlc.ir.tensor import element_bytes


class MappedOp(NeedsCapability, ABC):
    """An operation that uses a tensor map of a buffer: the kernel gets one as a parameter."""

    @property
    @abstractmethod
    def mapped(self) -> tuple[SSAValue, TensorMapAttr]:
        """The buffer and the map."""

    @property
    def capability(self) -> str:
        return "tma"

    def verify_map(self) -> None:
        """Raise VerifyException where the map does not fit the buffer."""
        buffer, map = self.mapped
        type = buffer_type(buffer)
        width = element_bytes(type.element_type)
        if space_of(buffer) is not Space.GLOBAL:
            raise VerifyException(f"tensor maps are of global memory, got {type}")
        if map.map.rounded_bits and type.element_type != f32:
            raise VerifyException(f"a tensor map rounds f32, got {type}")
        for problem in map.map.problems_with(width, prod(type.get_shape()) * width):
            raise VerifyException(problem)


class _TensorMoveOp(BuffersOp, OrderingOp, MappedOp, ABC):
    """A copy of a box between a tensor in global memory and a tile in shared memory."""

    @property
    def tensor_map(self) -> TensorMap:
        """What is moved."""
        return self.mapped[1].map

    @property
    def bytes(self) -> int:
        """The bytes moved, those outside of the tensor among them."""
        return self.tensor_map.elements * element_bytes(element_of(self.mapped[0]))

    def _in_tensor(self, role: str, **facts: Any) -> Access:
        map: AffineMapAttr = getattr(self, f"{role}_map")
        indices = tuple(getattr(self, f"{role}_indices"))
        count, region = self.tensor_map.elements, self.tensor_map
        buffer = getattr(self, role)
        return Access(buffer, map.data, indices, count, asynchronous=True, region=region, **facts)

    def _in_tile(self, role: str, **facts: Any) -> Access:
        count, buffer = self.tensor_map.elements, getattr(self, role)
        access = self.access(role, count, asynchronous=True, **facts)
        alignment = self.tensor_map.alignment()
        return replace(access, box=_whole_axes(buffer, count), alignment=alignment)

    def _verify_tile(self, tile: SSAValue) -> None:
        (region,) = [access for access in self.accesses() if access.region is not None]
        last = region.map.results[self.tensor_map.rank - 1]
        width = element_bytes(element_of(self.mapped[0]))
        if isinstance(last, AffineConstantExpr) and last.value * width % PIECE_BYTES:
            raise VerifyException(
                f"the last axis begins at byte {last.value * width}, no multiple of {PIECE_BYTES}"
            )
        if space_of(tile) is not Space.SHARED:
            raise VerifyException(f"the tile is in shared memory, got {tile.type}")
        source, destination, *_ = self.accesses()
        verify_same_element(source, destination, "load, convert and store instead")


@irdl_op_definition
class TensorCopyOp(_TensorMoveOp):
    """Start a copy of a box of a tensor to shared memory (PTX ``cp.async.bulk.tensor``, "tile" and
    "im2col" mode).

    One thread starts it. The source's indices are those of the map's axes, not the buffer's; they
    may be outside of the tensor, where all elements are zero. The last one is at a multiple of 16
    bytes. In im2col mode the offsets from the pixels follow, one for each axis between the first
    and the last. All bytes of the box, the zeros too, arrive at the ``mbarrier`` object. They lie
    in the tile one after the other, as the destination's swizzle says, which is the map's.

    blocks: the box goes to the same place in the shared memory of several blocks of the cluster,
    and arrives at the same object of each; bit ``r`` is set for the block of rank ``r``
    (``.multicast::cluster``). Each of them must have begun, have freed the place, and wait for the
    bytes before it ends. No lowering gives it.

    ``gpu.tensor_copy %x[%i * 128, %k * 64] to %s[%k mod 4, 0, 0] at %full[%k mod 4] {map =
    #gpu.tensor_map<sizes = [512, 256], strides = [512], box = [128, 64]>} : memref<..>, ...``

    ``gpu.tensor_copy %x[0, 0] to %s[0, 0] at %full[0] multicast %blocks {map = ..} : ...``
    """

    name = "gpu.tensor_copy"
    source = operand_def(MemRefType)
    source_indices = var_operand_def(INDEX)
    source_map = prop_def(AffineMapAttr)
    destination = operand_def(MemRefType)
    destination_indices = var_operand_def(INDEX)
    destination_map = prop_def(AffineMapAttr)
    barrier = operand_def(MemRefType)
    barrier_indices = var_operand_def(INDEX)
    barrier_map = prop_def(AffineMapAttr)
    blocks = opt_operand_def(IndexType())
    map = prop_def(TensorMapAttr)

    ROLES: ClassVar[tuple[str, ...]] = ("source", "destination", "barrier")
    assembly_format = (
        f"{FROM_TO} `at` {place_format('barrier')} (`multicast` $blocks^)? "
        "attr-dict `:` type($source) `,` type($destination) `,` type($barrier)"
    )

    def __init__(
        self,
        source: Place,
        destination: Place,
        barrier: Place,
        map: TensorMapAttr,
        blocks: SSAValue | None = None,
    ):
        more = [[] if blocks is None else [blocks]]
        super().__init__(source, destination, barrier, more=more, map=map)

    @property
    def mapped(self) -> tuple[SSAValue, TensorMapAttr]:
        return self.source, self.map

    @property
    def releases(self) -> Token:
        scope = Scope.BLOCK if self.blocks is None else Scope.CLUSTER
        return Token(TokenKind.PHASE, scope, self.barrier)

    def accesses(self) -> Sequence[Access]:
        return (
            self._in_tensor("source", reads=True),
            self._in_tile("destination", writes=True),
            self.access("barrier", 1, reads=True, writes=True, atomic=True),
        )

    def verify_(self) -> None:
        self.verify_map()
        super().verify_()
        self._verify_tile(self.destination)
        verify_barrier(self.barrier)
        if self.bytes > MOST_ARRIVALS:
            raise VerifyException(f"moves {self.bytes} bytes; {MOST_ARRIVALS} can be awaited")
        if self.blocks is not None:
            verify_cluster(self)


@irdl_op_definition
class TensorStoreOp(_TensorMoveOp):
    """Start a copy of a tile in shared memory to a box of a tensor (PTX ``cp.async.bulk.tensor``).

    One thread starts it, after a fence of those that wrote the tile (``gpu.async_fence``) and a
    barrier. What is outside of the tensor is not written; the last index is at a multiple of 16
    bytes. It belongs to the thread's group that the next ``gpu.bulk_commit`` closes.

    No lowering uses it: measured on products, stores of 16 bytes by threads take 0.97 to 0.98 of
    its time (``docs/performance.md``, "forms of products by warpgroups").

    ``gpu.tensor_store %s[0, 0] to %y[%i * 128, %j * 64] {map = #gpu.tensor_map<..>} : ...``
    """

    name = "gpu.tensor_store"
    source = operand_def(MemRefType)
    source_indices = var_operand_def(INDEX)
    source_map = prop_def(AffineMapAttr)
    destination = operand_def(MemRefType)
    destination_indices = var_operand_def(INDEX)
    destination_map = prop_def(AffineMapAttr)
    map = prop_def(TensorMapAttr)

    ROLES: ClassVar[tuple[str, ...]] = ("source", "destination")
    assembly_format = f"{FROM_TO} attr-dict `:` type($source) `,` type($destination)"

    def __init__(self, source: Place, destination: Place, map: TensorMapAttr):
        super().__init__(source, destination, map=map)

    @property
    def mapped(self) -> tuple[SSAValue, TensorMapAttr]:
        return self.destination, self.map

    def accesses(self) -> Sequence[Access]:
        return (self._in_tile("source", reads=True), self._in_tensor("destination", writes=True))

    def verify_(self) -> None:
        self.verify_map()
        super().verify_()
        self._verify_tile(self.source)
        if self.tensor_map.is_im2col:
            raise VerifyException("stores boxes; only loads take columns of pixels")
        if self.tensor_map.rounded_bits:
            raise VerifyException("stores elements as they are; only loads round them")


def _whole_axes(buffer: SSAValue, elements: int) -> tuple[int, ...]:
    """Return the last axes of a buffer if they have so many elements, else none."""
    sizes = buffer_type(buffer).get_shape()
    found = (sizes[first:] for first in range(len(sizes)))
    return next((axes for axes in found if prod(axes) == elements), ())


class _BulkGroupOp(IRDLOperation, OrderingOp, NeedsCapability):
    """An operation on the groups of a thread's stores (PTX "cp.async.bulk", bulk groups)."""

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    @property
    def capability(self) -> str:
        return "tma"


@irdl_op_definition
class BulkCommitOp(_BulkGroupOp):
    """Close the group of this thread's tensor stores (PTX ``cp.async.bulk.commit_group``).

    No lowering uses it, as none uses ``gpu.tensor_store``.
    """

    name = "gpu.bulk_commit"

    @property
    def releases(self) -> Token:
        return Token(TokenKind.STORES, Scope.THREAD)


@irdl_op_definition
class BulkWaitOp(_BulkGroupOp):
    """Wait until at most ``outstanding`` groups of this thread's stores are under way (PTX
    ``cp.async.bulk.wait_group``).

    read: wait only until the tiles have been read, so that they may be written again. Who has a
    store under way must wait for that before it ends. No lowering uses it, as none uses
    ``gpu.tensor_store``.

    ``gpu.bulk_wait {outstanding = 1 : i64, read}``
    """

    name = "gpu.bulk_wait"
    outstanding = prop_def(IntegerAttr.constr(i64))
    read = opt_prop_def(UnitAttr)

    def __init__(self, outstanding: int, read: bool = False):
        properties: dict[str, Attribute | None] = {"outstanding": IntegerAttr(outstanding, i64)}
        super().__init__(properties={**properties, "read": UnitAttr() if read else None})

    @property
    def acquires(self) -> Token:
        return Token(TokenKind.STORES, Scope.THREAD)

    def verify_(self) -> None:
        if self.outstanding.value.data < 0:
            raise VerifyException(
                f"outstanding = {self.outstanding.value.data} should be at least 0"
            )


@irdl_op_definition
class PrefetchTensorMapOp(IRDLOperation, MappedOp):
    """Bring a tensor map to where copies look for it (PTX ``prefetch.tensormap``).

    No lowering uses it: it could only hasten a block's first copy, and that has not been measured.

    ``gpu.prefetch_tensor_map %x {map = #gpu.tensor_map<..>} : memref<512x256xf16>``
    """

    name = "gpu.prefetch_tensor_map"
    tensor = operand_def(MemRefType)
    map = prop_def(TensorMapAttr)
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$tensor attr-dict `:` type($tensor)"

    def __init__(self, tensor: SSAValue, map: TensorMapAttr):
        super().__init__(operands=[tensor], properties={"map": map})

    @property
    def mapped(self) -> tuple[SSAValue, TensorMapAttr]:
        return self.tensor, self.map

    def verify_(self) -> None:
        self.verify_map()


OPERATIONS = [TensorCopyOp, TensorStoreOp, BulkCommitOp, BulkWaitOp, PrefetchTensorMapOp]
