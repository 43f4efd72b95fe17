"""The sides of a tile of ``map``, and how its inputs lie in shared memory."""

from dataclasses import dataclass
from math import gcd, prod

from dlc.analysis.turned_reads import Turn, TurnedInput
from dlc.arch.memory import ACCESS_BYTES, BANK_BYTES, SECTOR_BYTES
from dlc.strategies.map.skew import Skew

FEW_LINES = 4
"""Of the neighbours of a thread: with more, a line is left out after each so many."""

_LEAST_TILES = 4
"""Along an axis on which tiles begin before their ends: there is one tile more."""


@dataclass(frozen=True)
class Sides:
    """A tile, cut to the sizes of the axes.

    down: along the axis of the inputs' neighbours. across: along the last axis. bytes: of an
    element of the results, the widest. runs: whether all of the last axis is in the tile, and
    results of a tile follow each other.
    """

    turn: Turn
    down: int
    across: int
    bytes: int

    @staticmethod
    def of(turn: Turn, down: int, across: int, bytes: int) -> "Sides":
        """Return the sides of a tile."""
        return Sides(turn, min(down, turn.sizes[turn.axis]), min(across, turn.sizes[-1]), bytes)

    @property
    def runs(self) -> bool:
        """Whether results of the tile follow each other from line to line."""
        neighbours = self.turn.axis == len(self.turn.sizes) - 2
        return neighbours and self.across == self.turn.sizes[-1]

    def fits(self, vector: int) -> bool:
        """Whether threads with so many neighbouring results have whole tiles."""
        if self.runs:
            lines = self.turn.sizes[self.turn.axis]
            return self.down * self.across % vector == lines * self.across % vector == 0
        whole = self.turn.sizes[-1] % vector == 0 or self.before(vector) > 0
        return whole and self.across % vector == 0

    def before(self, vector: int) -> int:
        """Return how many places before its left end a tile begins at most: where lines of the
        result are no whole sectors, the part of the tile in each line begins at one, so that no
        sector is stored in two parts. Warps whose threads store a bank do so.
        """
        size, sector = self.turn.sizes[-1], max(1, SECTOR_BYTES // self.bytes)
        is_one_axis = len(self.turn.groups[-1]) == 1 and size >= _LEAST_TILES * self.across
        plain = (
            self.across % sector == 0
            and not self.runs
            and not any(map(self.input_runs, self.turn.inputs))
        )
        if size % sector and vector == max(1, BANK_BYTES // self.bytes) and is_one_axis and plain:
            return sector - 1
        return 0

    def tiles(self, vector: int) -> tuple[int, int]:
        """Return how many tiles there are along both sides."""
        height, width = self.turn.sizes[self.turn.axis], self.turn.sizes[-1]
        return -(-height // self.down), -(-(width + self.before(vector)) // self.across)

    def input_runs(self, input: TurnedInput) -> bool:
        """Whether the elements of an input in the tile follow each other, and threads had better
        bring them so, since its lines are not a multiple of what they move.
        """
        whole = self.turn.is_dense(input) and self.down == self.turn.sizes[self.turn.axis]
        return whole and bool(self.down * input.bytes % ACCESS_BYTES)

    def input_vector(self, input: TurnedInput) -> int:
        """Return how many neighbours of an input a thread brings at once."""
        size = self.turn.sizes[self.turn.axis]
        common = gcd(self.down, size)
        if self.input_runs(input):
            common = gcd(self.across * self.down, self.turn.sizes[-1] * size)
        return gcd(common, ACCESS_BYTES // input.bytes)

    def skew(self, input: TurnedInput, vector: int) -> Skew | None:
        """Return how lines of an input stand that begin anywhere, of which threads would bring no
        more than a bank at once otherwise; ``None`` where they do not, or follow each other.
        """
        step = self.turn.line_step(input)
        few = self.input_vector(input) * input.bytes <= BANK_BYTES
        if self.before(vector) and few and input.bytes < BANK_BYTES and step >= self.down:
            return Skew.of(self.across + self.before(vector), self.down, step, input.bytes)
        return None

    def pitch(self, input: TurnedInput, vector: int) -> int:
        """Return the elements from line to line of an input in shared memory: an odd number of
        banks, so that the lines of a column lie in different ones; or of elements, where threads
        read as many lines as fill a bank.
        """
        if self.input_runs(input) or self.down == 1:
            return self.down
        if self.before(vector):
            return self.down | 1
        each = max(1, BANK_BYTES // input.bytes)
        return (-(-self.down // each) | 1) * each

    def shared_sizes(self, input: TurnedInput, vector: int) -> tuple[int, ...]:
        """Return the sizes of the buffer of an input, where threads have so many neighbouring
        results.

        They read lines that are as far apart. After each so many one more line is left out: an odd
        number of lines of an odd number of banks lets neighbouring threads read different banks.
        Four lines apart eight threads do without it, and where all lines are those of one thread.
        """
        pitch, lines = self.pitch(input, vector), self.across + self.before(vector)
        if skew := self.skew(input, vector):
            return (skew.size,)
        if vector <= FEW_LINES or self.across <= vector or self.input_runs(input):
            return lines, pitch
        return -(-self.across // vector), vector + 1, pitch

    def shared_bytes(self, vector: int) -> int:
        """Return the bytes of shared memory."""
        return sum(prod(self.shared_sizes(i, vector)) * i.bytes for i in self.turn.inputs)
