"""What warpgroups do: products that they wait for later, and the fences around them."""

from collections.abc import Callable, Mapping

import numpy as np
from xdsl.ir import Operation

from dlc.arch.fragments import WARP_LANES, Fragment
from dlc.arch.matrix_descriptor import PATTERN_ROWS, MatrixDescriptor
from dlc.arch.memory import PIECE_BYTES
from dlc.arch.scope import Scope
from dlc.dialects import gpu
from dlc.dialects.gpu.shared_tile import SharedTile
from dlc.ir.access import Access
from dlc.simulator._async_view import PRODUCT
from dlc.simulator._buffer import Array, RegisterBuffer, one_per_thread
from dlc.simulator._faults import Site
from dlc.simulator._groups import commit_of, wait_of
from dlc.simulator._guarded_registers import GuardedRegisters
from dlc.simulator._machine import Compiler, Machine, Step
from dlc.simulator._matrices import by_lane, by_place, product
from dlc.simulator._shared import SharedBuffer
from dlc.simulator._threads import Active, Integers

_THREADS = Scope.WARPGROUP.threads
_WARPS = _THREADS // WARP_LANES


class _Tile:
    """A factor in shared memory, found as the hardware finds it: by the bits of a descriptor.

    split: whether each warp reads its part of the rows, not all.
    """

    def __init__(self, machine: Machine, site: Site, access: Access, tile: SharedTile, split: bool):
        self.machine, self.site, self.split = machine, site, split
        self._place = machine.place(access, site)
        self.layout: MatrixDescriptor = tile.descriptor
        self.row, self.depth = np.ogrid[: tile.rows, : tile.depth]

    def begin(self, active: Active) -> Callable[[Active], Array]:
        """Begin to read; return what gives the elements of some of the threads' warpgroups,
        warpgroups x rows x depth, and ends it.
        """
        buffer, first = self._place(active)
        assert isinstance(buffer, SharedBuffer)
        starts = active.spread(self._starts(active, buffer, one_per_thread(first, active)))
        shadow, size = buffer.memory.shadow, buffer.dtype.itemsize
        if shadow is not None:
            shadow.begin_reading(self.site, *self._cells(active, buffer, starts), PRODUCT)

        def end(part: Active) -> Array:
            if shadow is not None:
                shadow.finish_reading(*self._cells(part, buffer, starts))
            return buffer.elements[self._addresses(part, buffer, starts) // size]

        return end

    def _starts(self, active: Active, buffer: SharedBuffer, first: Integers) -> Integers:
        """Return the byte of its block at which the tile begins that each thread names."""
        named = first.reshape(-1, _THREADS)
        offset = first * buffer.dtype.itemsize
        line = offset // self.layout.row_bytes
        self._check(active, (named != named[:, :1]).reshape(-1), _SAME)
        self._check(active, (line % PATTERN_ROWS != 0) | (offset % PIECE_BYTES != 0), _BEGINS)
        return offset + buffer.offset

    def _check(self, active: Active, bad: Array, message: str) -> None:
        if bad.any():
            self.site.fail(self.machine.batch, int(active.threads[np.argmax(bad)]), message)

    def _addresses(
        self, active: Active, buffer: SharedBuffer, starts: Integers, every: int = 1
    ) -> Integers:
        """Return the byte of each element, or of the first of so many neighbours: warpgroups x rows
        x depth.
        """
        leaders = active.threads[::_THREADS]
        row, depth = self.row, self.depth
        row, depth = (row[::every], depth) if self.layout.transposed else (row, depth[:, ::every])
        start = starts[leaders][:, None, None]
        at = self.layout.address(start, row, depth, buffer.dtype.itemsize)
        block = self.machine.batch.block_slot[leaders]
        return at + (block * buffer.memory.stride)[:, None, None]

    def _cells(
        self, active: Active, buffer: SharedBuffer, starts: Integers
    ) -> tuple[Integers, Integers]:
        """Return the first lane of each warp, and the cells that the warp reads."""
        leaders, granule = active.threads[::WARP_LANES], buffer.memory.granule
        pieces = self._addresses(active, buffer, starts, PIECE_BYTES // buffer.dtype.itemsize)
        cells = pieces[..., None] // granule + np.arange(PIECE_BYTES // granule)
        cells = cells.reshape(len(leaders) if self.split else len(leaders) // _WARPS, -1)
        return leaders, cells if self.split else np.repeat(cells, _WARPS, axis=0)


_SAME = "names another tile than the first thread of its warpgroup"
_BEGINS = (
    f"takes a tile that does not begin in the first of {PATTERN_ROWS} rows, or at no multiple of "
    f"{PIECE_BYTES} bytes"
)


class _Fragment:
    """A factor or the sums in registers: 16 rows in each warp."""

    def __init__(self, machine: Machine, site: Site, access: Access, layout: Fragment, number: int):
        self.site, self.number, self.count = site, number, layout.slots
        self._place = machine.place(access, site)
        self.holders = by_place(layout)
        self.places = by_lane(layout)

    def begin(self, active: Active) -> "tuple[Callable[[Active], Array], Callable[..., None]]":
        """Begin to use them; return what gives the elements, warpgroups x rows x columns, and ends
        it, and what writes them.
        """
        buffer, first = self._place(active)
        assert isinstance(buffer, RegisterBuffer)
        every = active.spread(one_per_thread(first, active))
        if isinstance(buffer, GuardedRegisters):
            buffer.begin(self.site, active, first, self.count, self.number)
        lane, slot = self.holders

        def end(part: Active) -> Array:
            at = every[part.index]
            if isinstance(buffer, GuardedRegisters):
                buffer.finish(self.site, part, at, self.count, self.number)
            held = buffer.peek(self.site, part, at, self.count)
            warps = held.reshape(-1, WARP_LANES, self.count)[:, lane, slot]
            return warps.reshape(-1, _WARPS * warps.shape[1], warps.shape[2])

        def write(part: Active, tile: Array) -> None:
            row, column = self.places
            warps = tile.reshape(-1, tile.shape[1] // _WARPS, tile.shape[2])[:, row, column]
            buffer.poke(self.site, part, every[part.index], warps.reshape(part.count, -1))

        return end, write


def _wgmma(machine: Machine, op: gpu.WgmmaOp) -> Step:
    site, it = Site(op), op.instruction
    a, b, c = op.accesses()
    assert it.c.place is not None
    sums = _Fragment(machine, site, c, it.c.place, number=it.n * it.k)
    right = _Tile(machine, site, b, op.tile_b, split=False)
    begin_left = _begin_of_a(machine, site, op, a)

    def run(active: Active) -> None:
        of_a, of_b, (of_c, write) = begin_left(active), right.begin(active), sums.begin(active)

        def finish(part: Active) -> None:
            write(part, product(it, of_a(part), of_b(part).swapaxes(1, 2), of_c(part)))

        machine.products.start(site, active, finish)

    return run


def _begin_of_a(
    machine: Machine, site: Site, op: gpu.WgmmaOp, access: Access
) -> Callable[[Active], Callable[[Active], Array]]:
    place = op.instruction.a.place
    if not op.has_a_in_registers or place is None:
        return _Tile(machine, site, access, op.tile_a, split=True).begin
    fragment = _Fragment(machine, site, access, place, number=0)
    return lambda active: fragment.begin(active)[0]


def _fence(machine: Machine, op: gpu.WgmmaFenceOp) -> Step:
    def run(active: Active) -> None:
        for buffer in machine.registers.values():
            if isinstance(buffer, GuardedRegisters):
                buffer.fence(active)

    return run


def _async_fence(machine: Machine, op: gpu.AsyncFenceOp) -> Step:
    def run(active: Active) -> None:
        if machine.shared.shadow is not None:
            machine.shared.shadow.fence(active)

    return run


COMPILERS: Mapping[type[Operation], Compiler] = {
    gpu.WgmmaOp: _wgmma,
    gpu.WgmmaFenceOp: _fence,
    gpu.WgmmaCommitOp: commit_of(lambda machine: machine.products),
    gpu.WgmmaWaitOp: wait_of(lambda machine: machine.products),
    gpu.AsyncFenceOp: _async_fence,
}
