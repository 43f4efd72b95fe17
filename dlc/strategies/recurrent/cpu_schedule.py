"""What a schedule of ``recurrent`` on a CPU holds."""

from collections.abc import Mapping
from dataclasses import dataclass

from dlc.errors import CompileError
from dlc.model.violation import Resource
from dlc.strategies._key import LARGEST, flag, key_field, sizes
from dlc.strategies._schedule import Schedule
from dlc.strategies.contract.register_tile import RegisterTile
from dlc.strategies.contract.schedule import LANES


@dataclass(frozen=True)
class RecurrentOnCpu(Schedule, strategy="recurrent", target="cpu"):
    """A core has the sums of some units of all sequences in its cache, and makes new states of
    them; cores meet once in a step.
    """

    tile: tuple[int, int] = sizes(
        "`[mr, nr]`: the register tile of the micro-kernel, sequences by units. A core takes `nr` "
        "units at a time",
        2,
        most=LARGEST,
    )
    lanes: int = key_field(LANES)
    cores: bool = flag("whether units are spread over several cores", False)
    ahead: bool = flag(
        "whether the weights of the next product are asked for while this one is done", False
    )

    def register_tile(self, sequences: int = LARGEST) -> RegisterTile:
        """Return the tile of sums, its rows evened out over the sequences."""
        tiles = -(-sequences // self.tile[0])
        rows = self.tile[0] if sequences == LARGEST else -(-sequences // tiles)
        return RegisterTile(rows, self.tile[1] // self.lanes, self.lanes)

    @property
    def remedies(self) -> Mapping[Resource, str]:
        return {
            Resource.REGISTERS: "lower tile",
            Resource.MEMORY: "lower nr of tile",
        }

    @property
    def thrift(self) -> tuple[int, ...]:
        return (self.register_tile().registers,)

    def check(self) -> None:
        if self.tile[1] % self.lanes:
            raise CompileError(
                f"tile columns {self.tile[1]} are no multiple of the {self.lanes} lanes"
            )
