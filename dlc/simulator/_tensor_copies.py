"""Copies of boxes of tensors: which elements they move, and where these lie in the tile."""

from collections.abc import Callable, Mapping

import numpy as np
from xdsl.ir import Operation

from dlc.arch.memory import PIECE_BYTES
from dlc.arch.tf32 import round_tf32_to_even
from dlc.dialects import gpu
from dlc.dialects.gpu import hardware_swizzle
from dlc.ir.access import Access
from dlc.ir.tensor import element_bytes
from dlc.simulator._clusters import each_block
from dlc.simulator._faults import Site
from dlc.simulator._global import GlobalBuffer
from dlc.simulator._groups import commit_of, wait_of
from dlc.simulator._machine import Compiler, Machine, Step, index_expressions, nothing
from dlc.simulator._shared import Piece, SharedBuffer, permuted
from dlc.simulator._threads import Active, Booleans, Integers
from dlc.simulator._waits import BarrierObject

Boxes = Callable[[Active], tuple[Integers, Booleans]]
"""Gives the positions of the elements of each active thread's box, and which are in the tensor."""


def boxes(machine: Machine, access: Access, site: Site) -> Boxes:
    """Compile the coordinates of a box; its first element must be at a multiple of 16 bytes along
    the last axis (an illegal instruction on an H200, driver 580, else).
    """
    region = access.region
    assert region is not None
    width = element_bytes(access.type.element_type)
    axes, slots = index_expressions(access), machine.slots(access.operands)
    values = machine.values

    def at(active: Active) -> tuple[Integers, Booleans]:
        dims = [active.of(values[slot]) for slot in slots]
        numbers = [np.full(active.count, expression(dims), np.int64) for expression in axes]
        inner = numbers[region.rank - 1] * width
        if (inner % PIECE_BYTES).any():
            text = f"has its box at byte {inner[0]} of a row, no multiple of {PIECE_BYTES}"
            site.fail(machine.batch, int(active.threads[0]), text)
        place, inside = region.positions(numbers[: region.rank], numbers[region.rank :], width)
        return place // width, np.broadcast_to(inside, place.shape)

    return at


class _Tile:
    """The tile in shared memory of a copy by a tensor map."""

    def __init__(self, machine: Machine, op: gpu.TensorCopyOp | gpu.TensorStoreOp, access: Access):
        self.machine = machine
        self.site = Site(op)
        self.map = op.tensor_map
        self.bytes = op.bytes
        self._place = machine.place(access, self.site)

    def pieces(self, active: Active, beside: Integers | int = 0) -> tuple[SharedBuffer, Piece]:
        """Return where the elements are, in the memory of the thread's block or of one so many
        ranks beside, permuted as the map says; fail where that is not what the buffer says, or
        where the tile cannot be.
        """
        buffer, first = self._place(active)
        assert isinstance(buffer, SharedBuffer)
        if buffer.swizzle != hardware_swizzle(self.map.swizzle):
            tile = "no swizzle" if buffer.swizzle is None else f"swizzle {buffer.swizzle.data}"
            self._fail(active, f"swizzles rows of {self.map.swizzle} bytes, the tile has {tile}")
        address = np.full(active.count, first) * buffer.dtype.itemsize + buffer.offset
        alignment, limit = self.map.alignment(), buffer.memory.limit
        if (address % alignment).any():
            self._fail(active, f"has its tile at byte {address[0]}, no multiple of {alignment}")
        if (address + self.bytes > limit).any():
            self._fail(active, f"has its tile at byte {address[0]} of {limit}")
        block = self.machine.batch.block_slot[active.index] + beside
        return buffer, self._permuted(block, buffer, address)

    def _permuted(self, block: Integers, buffer: SharedBuffer, address: Integers) -> Piece:
        memory, width = buffer.memory, buffer.dtype.itemsize
        chunks = address[:, None] + np.arange(0, self.bytes, PIECE_BYTES)
        swizzle = hardware_swizzle(self.map.swizzle)
        chunks = chunks if swizzle is None else permuted(swizzle, chunks)
        chunks = chunks + (block * memory.stride)[:, None]
        return Piece(_parts(chunks, width), _parts(chunks, memory.granule))

    def _fail(self, active: Active, message: str) -> None:
        self.site.fail(self.machine.batch, int(active.threads[0]), message)


def _parts(chunks: Integers, width: int) -> Integers:
    """Return the numbers of the parts of so many bytes of all chunks."""
    parts = (chunks // width)[..., None] + np.arange(max(PIECE_BYTES // width, 1))
    return parts.reshape(len(chunks), -1)


def _tensor_copy(machine: Machine, op: gpu.TensorCopyOp) -> Step:
    found, site = BarrierObject(machine, op), Site(op)
    read, written, _ = op.accesses()
    rounds = op.tensor_map.rounded_bits > 0
    box, tile, source = (
        boxes(machine, read, site),
        _Tile(machine, op, written),
        machine.slot(op.source),
    )

    def run(active: Active, beside: Integers | int = 0) -> None:
        keys = found.keys(active, beside)
        place, inside = box(active)
        tensor = machine.values[source]
        assert isinstance(tensor, GlobalBuffer)
        data = tensor.read_inside(site, active, place, inside)
        data = round_tf32_to_even(data) if rounds else data
        buffer, piece = tile.pieces(active, beside)
        machine.tokens.start_copy(site, active, keys, buffer, piece, data)

    if op.blocks is None:
        return run
    blocks = each_block(machine, op.blocks, site)

    def multicast(active: Active) -> None:
        for some, beside in blocks(active):
            run(some, beside)

    return multicast


def _tensor_store(machine: Machine, op: gpu.TensorStoreOp) -> Step:
    site = Site(op)
    read, written = op.accesses()
    tile, box, target = (
        _Tile(machine, op, read),
        boxes(machine, written, site),
        machine.slot(op.destination),
    )

    def run(active: Active) -> None:
        place, inside = box(active)
        buffer, piece = tile.pieces(active)
        data = machine.stores.start(site, active, buffer, piece)
        tensor = machine.values[target]
        assert isinstance(tensor, GlobalBuffer)
        tensor.write_inside(site, active, place, inside, data)

    return run


def _prefetch_box(machine: Machine, op: gpu.PrefetchTensorOp) -> Step:
    (access,) = op.accesses()
    box = boxes(machine, access, Site(op))

    def run(active: Active) -> None:
        box(active)  # which checks where it begins

    return run


def _prefetch(machine: Machine, op: gpu.PrefetchTensorMapOp) -> Step:
    return nothing


COMPILERS: Mapping[type[Operation], Compiler] = {
    gpu.TensorCopyOp: _tensor_copy,
    gpu.TensorStoreOp: _tensor_store,
    gpu.BulkCommitOp: commit_of(lambda machine: machine.stores),
    gpu.BulkWaitOp: wait_of(lambda machine: machine.stores),
    gpu.PrefetchTensorMapOp: _prefetch,
    gpu.PrefetchTensorOp: _prefetch_box,
}
