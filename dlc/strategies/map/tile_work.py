"""What the tiles of a ``map`` group do, as the model of the chip asks."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd, prod

from dlc.analysis.dataflow import Cluster
from dlc.analysis.turned_reads import Turn, TurnedInput
from dlc.arch.memory import ACCESS_BYTES, BANK_BYTES, LINE_BYTES, SECTOR_BYTES
from dlc.ir.tensor import element_bytes, element_type
from dlc.strategies.map.sides import FEW_LINES, Sides
from dlc.strategies.map.skew import Skew

_SIDES = (32, 64, 128)
_LONG_SIDES = (256, 512, 1024)
"""Beside a side that is shorter than any of the first."""
_WHOLE = 256
"""An axis up to this size may be in a tile as a whole."""
_LEAST, _MOST = 512, 16384
"""Elements of a tile."""
_SHARED_BYTES = 48 * 1024


@dataclass(frozen=True)
class TileWork:
    """A tile of a schedule: its sides as the schedule has them, the elements of a thread's vector,
    blocks, elements and bytes of shared memory of a block; for each input whose lines are not
    skewed, how many neighbours a thread brings at once, and the skews of the others; the lines that
    all blocks read, and the bytes of sectors that they write; whether neighbours of some threads
    lie in two lines, and lanes need the same banks.
    """

    tile: tuple[int, int]
    vector: int
    blocks: int
    elements: int
    shared_bytes: int
    input_vectors: tuple[int, ...]
    lines: float
    stored_bytes: float
    is_crossed: bool = False
    skews: tuple[Skew, ...] = ()


def tile_works(cluster: Cluster, turn: Turn) -> Iterator[TileWork]:
    """Yield the tiles that a group may have whose inputs lie turned."""
    bytes = [element_bytes(element_type(value)) for value in cluster.results]
    height, width = turn.sizes[turn.axis], turn.sizes[-1]
    for down in _sides(height, width):
        for across in _sides(width, height):
            sides = Sides.of(turn, down, across, max(bytes))
            if _LEAST <= down * across <= _MOST:
                for vector in _vectors(sides):
                    found = _work(turn, sides, bytes, vector)
                    if found.shared_bytes <= _SHARED_BYTES:
                        yield found


def _sides(size: int, other: int) -> list[int]:
    """Return the sides that a tile may have along an axis, beside one of another size."""
    several = _LONG_SIDES if other < _SIDES[0] else _SIDES
    some = [side for side in several if side < size]
    return [*some, size] if size <= _WHOLE else some


def _vectors(sides: Sides) -> Iterator[int]:
    """Yield the neighbours that a thread may store at once: as many as it can; and one, where those
    may lie in two lines and a warp that stores single ones writes as many bytes at once, or where
    tiles begin before their ends for them.
    """
    widest = max(1, ACCESS_BYTES // sides.bytes)
    most = next(v for v in (16, 8, 4, 2, 1) if v <= widest and sides.fits(v))
    yield most
    is_long = sides.across % most > 0 and sides.bytes >= BANK_BYTES
    if most > 1 and (is_long or sides.before(most)):
        yield 1


def _work(turn: Turn, sides: Sides, bytes: list[int], vector: int) -> TileWork:
    whole = turn.sizes[turn.axis], turn.sizes[-1]
    counts, before = sides.tiles(vector), sides.before(vector)
    others = prod(turn.sizes) // prod(whole)
    skews = {i: skew for i in turn.inputs if (skew := sides.skew(i, vector))}
    lines = sum(
        others * prod(whole) * i.bytes / LINE_BYTES
        if sides.input_runs(i)
        else others * counts[0] * (whole[1] + before * counts[1]) * _lines(sides, i, skews.get(i))
        for i in turn.inputs
    )
    stored = sum(
        others * counts[1] * whole[0] * _stored_sectors(sides, b) * SECTOR_BYTES
        if not sides.runs and not before
        else others * prod(whole) * b
        for b in bytes
    )
    return TileWork(
        (sides.down, sides.across),
        vector,
        others * prod(counts),
        sides.down * sides.across,
        sides.shared_bytes(vector),
        tuple(sides.input_vector(i) for i in turn.inputs if i not in skews),
        lines,
        stored,
        sides.across % vector > 0 and vector <= FEW_LINES,
        tuple(skews.values()),
    )


def _lines(sides: Sides, input: TurnedInput, skew: Skew | None) -> float:
    """Return the lines of a cache that a line of an input in the tile comes from."""
    if skew:
        return _pieces(skew.vectors * ACCESS_BYTES, LINE_BYTES, ACCESS_BYTES)
    return _pieces(sides.down * input.bytes, LINE_BYTES, sides.turn.line_step(input) * input.bytes)


def _stored_sectors(sides: Sides, bytes: int) -> float:
    """Return the sectors of a line of the result in the tile."""
    return _pieces(sides.across * bytes, SECTOR_BYTES, sides.turn.sizes[-1] * bytes)


def _pieces(bytes: int, piece: int, step: int) -> float:
    """Return how many aligned pieces a run of bytes touches: an average over runs that begin
    multiples of ``step`` apart.
    """
    return (bytes + piece - gcd(bytes, step, piece)) / piece
