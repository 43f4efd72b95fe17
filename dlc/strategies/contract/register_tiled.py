"""What schedules have in common whose products are tiles of sums in SIMD registers of a core."""

from collections.abc import Mapping
from dataclasses import dataclass

from dlc.errors import CompileError
from dlc.model.violation import Resource
from dlc.strategies._key import LARGEST, Key, flag, key_field, sizes
from dlc.strategies._schedule import Schedule
from dlc.strategies.contract.register_tile import RegisterTile

_LANES = Key(
    "elements of a SIMD register; `nr` is a multiple",
    "2, 4, 8, 16, 32 or 64",
    lambda value: type(value) is int and value in (2, 4, 8, 16, 32, 64),
)


@dataclass(frozen=True)
class RegisterTiled(Schedule):
    """A schedule for a core, which makes a tile of sums at a time. Those of a strategy say what the
    rows and the columns of the tile are.
    """

    tile: tuple[int, int] = sizes("`[mr, nr]`: the register tile", 2, most=LARGEST)
    lanes: int = key_field(_LANES)
    cores: bool = flag("whether the work is spread over several cores", False)

    @property
    def remedies(self) -> Mapping[Resource, str]:
        return {Resource.REGISTERS: "lower tile"}

    @property
    def thrift(self) -> tuple[int, ...]:
        """The fewest registers."""
        return (self.register_tile().registers,)

    def register_tile(self, rows: int = LARGEST) -> RegisterTile:
        """Return the tile, of no more rows than there are."""
        return RegisterTile(min(self.tile[0], rows), self.tile[1] // self.lanes, self.lanes)

    def check(self) -> None:
        if self.tile[1] % self.lanes:
            raise CompileError(
                f"tile columns {self.tile[1]} are no multiple of the {self.lanes} lanes"
            )
