"""Bugs of warps with roles: the ring of slots, the turns of teams, the order of tiles."""

from collections.abc import Sequence

from mutant import Mutant

_RING = "dlc/simt/ring.py"


def _roles(name: str, file: str, old: str, new: str, bug: str) -> Mutant:
    return Mutant(name, "roles", file, old, new, bug, ["walking products fp16"], ["sm_90a"])


MUTANTS: Sequence[Mutant] = (
    _roles(
        "phase-of-a-slot",
        "dlc/simt/slot_ring.py",
        "scope.index_value(number // self.slots % 2)",
        "scope.index_value((number // self.slots + 1) % 2)",
        "who multiplies waits for the phase before",
    ),
    _roles(
        "slot-given-back-early",
        _RING,
        "lambda: self._give_back(slice, slice.number - 1)",
        "lambda: self._give_back(slice, slice.number)",
        "a slot is given back while products read it",
    ),
    _roles(
        "turn-of-another",
        _RING,
        "(count if team else count + 1) % 2",
        "(count + 1) % 2",
        "a team does not wait for its first turn",
    ),
    _roles(
        "tiles-before",
        "dlc/simt/tile_walk.py",
        "range_of(tile)) // step",
        "range_of(tile)) // (2 * step)",
        "slices are counted as if a block took every other tile",
    ),
    _roles(
        "bytes-of-one-box",
        _RING,
        "bytes = sum(stage.bytes for stage in boxes)",
        "bytes = boxes[0].bytes",
        "a slot is full when one of two boxes is there",
    ),
    _roles(
        "arrivals-of-one-warp",
        _RING,
        "warps = self.multiplying // WARP_LANES",
        "warps = 1",
        "a slot is empty when the first warp has read it",
    ),
    _roles(
        "rows-left-of-groups",
        "dlc/strategies/contract/tile_order.py",
        "last = self.rows - rest + number % rest, number // rest",
        "last = number % rest, number // rest",
        "the tiles of the last rows are those of the first ones",
    ),
    _roles(
        "first-thread-of-a-role",
        "dlc/simt/converter.py",
        "self._roles(op, number + 1, first + size)",
        "self._roles(op, number + 1, first + size + 32)",
        "a warp of a role is taken for one of another",
    ),
)
