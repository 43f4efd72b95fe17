"""How the work of a block lies in its warps, registers and shared memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, prod

from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import PANEL_ROWS, ROW_LANES, WARP_LANES
from dlc.arch.memory import ACCESS_BYTES, LINE_BYTES, REGISTER_BYTES
from dlc.ir.tensor import element_bytes
from dlc.strategies.recurrent.cell import Cell
from dlc.strategies.recurrent.schedule import RecurrentOnGpu

_OTHER_REGISTERS = 40
"""Of a thread: addresses, counters."""
_CELL_REGISTERS = 8
_STEPS_OF_PIECE = 2
"""Products of a matrix instruction that a piece of 16 bytes is enough for."""


@dataclass(frozen=True)
class Layout:
    """A phase of a step. parts: of each factor that blocks exchange before it, the columns of its
    products that a unit adds up. units, sequences: of all blocks. bytes: of an element of the
    factors.

    The *rows* of a block are columns of products for each of its units. Those of one factor stand
    together, padded to whole tiles.
    """

    schedule: RecurrentOnGpu
    parts: tuple[int, ...]
    units: int
    sequences: int
    bytes: int

    # Blocks -------------------------------------------------------------------------------------

    @property
    def unit_blocks(self) -> int:
        """Blocks beside each other, with units of the same sequences."""
        return ceil(self.units / self.schedule.units)

    @property
    def blocks(self) -> int:
        """The blocks of the launch."""
        return self.unit_blocks * (self.sequences // self.schedule.sequences)

    @property
    def cells(self) -> int:
        """The cells of a thread: units of sequences."""
        return ceil(self.schedule.units * self.schedule.sequences / self.schedule.threads)

    # States -------------------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """The elements of a state of a sequence that blocks exchange, padded."""
        return self.unit_blocks * self.schedule.units

    @property
    def lines(self) -> int:
        """The states of sequences that a block reads."""
        return len(self.parts) * self.schedule.sequences

    @property
    def run(self) -> int:
        """The elements of a piece of 16 bytes."""
        return ACCESS_BYTES // self.bytes

    @property
    def pieces(self) -> int:
        """The pieces of states that a block reads in a step."""
        return self.lines * self.depth // self.run

    @property
    def pieces_at_once(self) -> int:
        """The pieces that a thread asks for at a time."""
        return min(self.schedule.pieces, self.pieces_of_thread)

    @property
    def pieces_of_thread(self) -> int:
        """The pieces that a thread brings in a step."""
        return ceil(self.pieces / self.schedule.threads)

    @property
    def line(self) -> int:
        """The elements of a line in shared memory, padded so that lanes of neighbouring sequences
        read other banks.
        """
        half = LINE_BYTES // 2 // self.bytes
        whole = self.schedule.warps[1] * self.slice
        return whole + (half - whole) % (2 * half)

    # Products -----------------------------------------------------------------------------------

    @property
    def chunk(self) -> int:
        """The elements of the reduction of which each lane of a warp takes one piece, or all."""
        return self.run * (1 if self.schedule.is_fma else ROW_LANES)

    @property
    def chunks(self) -> int:
        """The chunks of a warp."""
        return ceil(self.depth / (self.schedule.warps[1] * self.chunk))

    @property
    def held_chunks(self) -> int:
        """The chunks of a warp whose weights are in registers."""
        return max(0, self.chunks - self.schedule.shared_chunks)

    @property
    def shared_chunks(self) -> int:
        """The chunks of a warp whose weights are in shared memory."""
        return self.chunks - self.held_chunks

    @property
    def fragments(self) -> int:
        """The pieces of 16 bytes that a lane has of the weights of a tile and a chunk."""
        return 1 if self.schedule.is_fma else _STEPS_OF_PIECE

    @property
    def shared_weight_sizes(self) -> tuple[int, ...]:
        """The sizes of the weights in shared memory: by warp, tile, chunk, fragment, lane."""
        warps = prod(self.schedule.warps)
        return warps, self.down, self.shared_chunks, self.fragments, WARP_LANES, self.run

    @property
    def slice(self) -> int:
        """The elements of the reduction that a warp has."""
        return self.chunks * self.chunk

    @property
    def tile_rows(self) -> int:
        """The rows of one instruction, or of the lanes of a warp."""
        return WARP_LANES if self.schedule.is_fma else 2 * PANEL_ROWS

    @property
    def tiles(self) -> tuple[int, ...]:
        """The tiles of rows of each state."""
        return tuple(ceil(count * self.schedule.units / self.tile_rows) for count in self.parts)

    @property
    def down(self) -> int:
        """The tiles of rows of a warp."""
        return ceil(sum(self.tiles) / self.schedule.warps[0])

    @property
    def rows(self) -> int:
        """The rows of all warps."""
        return self.down * self.schedule.warps[0] * self.tile_rows

    @property
    def across(self) -> int:
        """The tiles of columns, which are sequences."""
        own = self.schedule.sequences
        return own if self.schedule.is_fma else ceil(own / PANEL_ROWS)

    @property
    def sides(self) -> int:
        """The parts of a row of partial sums: even columns and odd ones of matrix instructions."""
        return 1 if self.schedule.is_fma else 2

    @property
    def _row_places(self) -> int:
        """The places of a row of partial sums in a side."""
        if self.schedule.is_fma:
            return self.across | 1
        least = self.across * ROW_LANES
        return least + (ROW_LANES - least) % (2 * ROW_LANES)

    @property
    def sum_sizes(self) -> tuple[int, ...]:
        """The sizes of the partial sums in shared memory: by slice of the reduction, 8 rows, side,
        place.
        """
        places = PANEL_ROWS * self._row_places + self.sides - 1
        return self.schedule.warps[1], self.rows // PANEL_ROWS, self.sides, places

    def sum_place(self, row: AffineExpr, column: AffineExpr) -> list[AffineExpr]:
        """Return the side and the place of a partial sum among those of 8 rows.

        The lanes of a warp have pairs of columns: even columns stand together, and odd ones, so
        that neighbouring lanes write neighbours. Who adds them up has a row and one or two columns
        each: they are in different banks then.
        """
        return [column % self.sides, row * self._row_places + column // self.sides]

    def first_row(self, state: int, part: int) -> int:
        """Return the first row of a part of a state's products."""
        return sum(self.tiles[:state]) * self.tile_rows + part * self.schedule.units

    # Resources ----------------------------------------------------------------------------------

    @property
    def shared_bytes(self) -> int:
        """The shared memory of a block: states, partial sums."""
        sums = prod(self.sum_sizes) * REGISTER_BYTES
        return self.lines * self.line * self.bytes + sums + self.shared_weight_bytes

    @property
    def moved_bytes(self) -> int:
        """The bytes of states that warps read in a step, and of sums that they write and read."""
        states = self.schedule.warps[0] * self.lines * self.depth * self.bytes
        sums = self.schedule.warps[1] * self.rows * self.schedule.sequences * REGISTER_BYTES
        return states + 2 * sums

    @property
    def shared_weight_bytes(self) -> int:
        """The bytes of a block's weights in shared memory."""
        return prod(self.shared_weight_sizes) * self.bytes

    @property
    def weight_registers(self) -> int:
        """The registers of a thread for weights, and for a fragment of those in shared memory."""
        held = self.down * self.held_chunks * self.fragments
        pieces = held + min(1, self.shared_chunks) * self.fragments
        return pieces * ACCESS_BYTES // REGISTER_BYTES

    @property
    def passing_registers(self) -> int:
        """The registers of a thread for what it needs in a phase alone."""
        sums = self.down * self.across * (1 if self.schedule.is_fma else ROW_LANES)
        fragments = self.across * ACCESS_BYTES // REGISTER_BYTES
        asked = self.pieces_at_once * ACCESS_BYTES // REGISTER_BYTES
        return max(sums + fragments, asked)


def registers_of(phases: Sequence[Layout]) -> int:
    """Return the registers of a thread for all phases of a step, about."""
    weights = sum(layout.weight_registers for layout in phases)
    states = _CELL_REGISTERS * phases[0].cells
    passing = max(layout.passing_registers for layout in phases)
    return weights + states + passing + _OTHER_REGISTERS


def layouts_of(cell: Cell, schedule: RecurrentOnGpu) -> list[Layout]:
    """Return how the work of a block lies in each phase of a step."""
    bytes = element_bytes(cell.exchanged_type)
    return [
        Layout(schedule, phase.counts, cell.units, cell.sequences, bytes) for phase in cell.phases
    ]
