"""Tiles that all threads of a block bring to shared memory together."""

from abc import ABC
from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType, UnitAttr, i64
from xdsl.ir import Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryWriteEffect, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from dlc.core.task_map import TaskMap
from dlc.dialects.loop.memory import buffer_element, buffer_shape
from dlc.dialects.loop.structure import YieldOp
from dlc.dialects.loop.task_map import TaskMapAttr
from dlc.ir.access import INDEX, ArrivalPlace, IndexedTile, canonical_access
from dlc.ir.space import Space, space_of
from dlc.ir.tensor import compute_type, element_bytes

TilePlace = tuple[SSAValue, Sequence[AffineExpr], Sequence[SSAValue]]
"""A buffer of tiles, the leading indices of one, and the values of their dims."""


def verify_tile(buffer: SSAValue, slot: AffineMap) -> None:
    """Raise VerifyException unless a buffer holds tiles and ``slot`` says which of them."""
    if space_of(buffer) is not Space.SHARED or len(buffer_shape(buffer)) < 2:
        raise VerifyException(f"a staged tile is lines x elements in shared memory: {buffer.type}")
    outer = len(buffer_shape(buffer)) - 2
    if len(slot.results) not in (outer, outer - 1):
        raise VerifyException(
            f"{buffer.type} holds tiles along {outer} axes, not {len(slot.results)}"
        )


def tile_sizes(buffer: SSAValue, slot: Sequence[AffineExpr]) -> tuple[int, int]:
    """Return the lines of the tiles of a buffer, of which ``slot`` says which one, and the elements
    of a line.

    Of a buffer with one axis more, a tile lies in groups: each has a part of all lines.
    """
    *outer, lines, length = buffer_shape(buffer)
    return lines, prod(outer[len(slot) :]) * length


def tile_index(
    buffer: SSAValue, slot: Sequence[AffineExpr], line: AffineExpr, place: AffineExpr
) -> list[AffineExpr]:
    """Return the index in the buffer of an element of a tile."""
    *outer, _, length = buffer_shape(buffer)
    if len(slot) == len(outer):
        return [*slot, line, place]
    return [*slot, place // length, line, place % length]


class TileOp(IRDLOperation, ABC):
    """An op that all threads of a block do together, each its part; a pass writes that out."""


@irdl_op_definition
class StageOp(TileOp):
    """Bring a tile to shared memory: its element at line ``i``, place ``j`` is what the region
    yields for them.

    The region computes in the compute type and only reads; it yields zero for what is not there.
    ``map`` takes the threads to the elements: its shape covers the tile, and what a last ``repeat``
    gives one thread is moved together where it may be. ``async``: the copies may still be under way
    afterwards, until ``gpu.cp_async_wait`` and a barrier. A buffer of rank above 2 holds several
    tiles; the leading indices say which. Where there is an index less, a tile lies in groups, each
    with a part of all lines: element ``i``, ``j`` of ``memref<2x64x64>`` is at
    ``[j floordiv 64, i, j mod 64]``.

    ``tensor``: one thread starts copies of boxes of a tensor instead (``gpu.tensor_copy``), whose
    bytes arrive at the ``mbarrier`` object that ``at`` names (``loop-pipeline-stages``).
    The region must be such a box, and zero outside (``dlc/analysis/tensor_stage.py``).

    ``loop.stage %s[%k mod 2] map = <spatial(16, 8) * repeat(1, 8)> : memref<2x16x64xf16, ..> {..}``
    """

    name = "loop.stage"
    tile = operand_def(MemRefType)
    indices = var_operand_def(INDEX)
    slot = prop_def(AffineMapAttr)
    barrier = opt_operand_def(MemRefType)
    barrier_indices = var_operand_def(INDEX)
    barrier_map = opt_prop_def(AffineMapAttr)
    asynchronous = opt_prop_def(UnitAttr)
    tensor = opt_prop_def(UnitAttr)
    map = prop_def(TaskMapAttr)
    element = region_def("single_block")
    traits = traits_def(MemoryWriteEffect(), RecursiveMemoryEffect())
    custom_directives = (IndexedTile, ArrivalPlace)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "(`async` $asynchronous^)? (`tensor` $tensor^)? "
        "custom<IndexedTile>($tile, $indices, $slot) "
        "custom<ArrivalPlace>($barrier, $barrier_indices, $barrier_map) `map` `=` $map "
        "attr-dict `:` type($tile) (`,` type($barrier)^)? $element"
    )

    def __init__(
        self,
        tile: TilePlace,
        map: TaskMap,
        element: Region,
        asynchronous: bool = False,
        tensor: bool = False,
        barrier: TilePlace | None = None,
    ):
        """element: its block takes the line and the place in it. barrier: the object at which the
        bytes of a tensor copy arrive.
        """
        buffer, exprs, dims = tile
        slot, indices = canonical_access(exprs, dims)
        object, objects, object_map = None, [], None
        if barrier is not None:
            object = barrier[0]
            object_map, objects = canonical_access(*barrier[1:])
        super().__init__(
            operands=[buffer, indices, [] if object is None else [object], objects],
            properties={
                "slot": slot,
                "map": TaskMapAttr(map),
                "asynchronous": UnitAttr() if asynchronous else None,
                "tensor": UnitAttr() if tensor else None,
                "barrier_map": object_map,
            },
            regions=[element],
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """The lines of the tile and the elements of a line."""
        return tile_sizes(self.tile, self.slot.data.results)

    @property
    def chunk(self) -> int:
        """The neighbours in a line that the mapping gives one thread together."""
        last = self.map.data.factors[-1]
        return last.shape[1] if last.kind == "repeat" and last.shape[0] == 1 else 1

    @property
    def bytes(self) -> int:
        """The bytes of the tile."""
        lines, places = self.sizes
        return lines * places * element_bytes(buffer_element(self.tile))

    def verify_(self) -> None:
        verify_tile(self.tile, self.slot.data)
        covered = self.map.data.shape
        if len(covered) != 2 or any(n < size for n, size in zip(covered, self.sizes, strict=True)):
            raise VerifyException(
                f"the task mapping is over {list(covered)}, the tile has {list(self.sizes)}"
            )
        if tuple(self.element.block.arg_types) != (IndexType(), IndexType()):
            raise VerifyException("the region takes a line and a place in it")
        if self.barrier is not None:
            self._verify_barrier(self.barrier)
        type = compute_type(buffer_element(self.tile))
        last = self.element.block.last_op
        if not isinstance(last, YieldOp) or list(last.arguments.types) != [type]:
            raise VerifyException(f"the region ends with loop.yield of the element, in {type}")

    def _verify_barrier(self, barrier: SSAValue) -> None:
        if self.tensor is None:
            raise VerifyException("only tensor copies arrive at an object")
        if space_of(barrier) is not Space.SHARED or buffer_element(barrier) != i64:
            raise VerifyException(f"arrives at an i64 in shared memory, got {barrier.type}")
        axes = len(buffer_shape(barrier))
        if self.barrier_map is None or len(self.barrier_map.data.results) != axes:
            raise VerifyException(f"the object's place needs {axes} indices")
