"""What a schedule of ``recurrent`` on a CPU holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from dlc.model.violation import Resource
from dlc.strategies._key import LARGEST, flag, sizes
from dlc.strategies.contract.register_tile import RegisterTile
from dlc.strategies.contract.register_tiled import RegisterTiled


@dataclass(frozen=True)
class RecurrentOnCpu(RegisterTiled, strategy="recurrent", target="cpu"):
    """A core has the sums of some units of all sequences in its cache, and makes new states of
    them; cores meet once in a step.
    """

    tile: tuple[int, int] = sizes(
        "`[mr, nr]`: the register tile of the micro-kernel, sequences by units. A core takes `nr` "
        "units at a time",
        2,
        most=LARGEST,
    )
    cores: bool = flag("whether units are spread over several cores", False)
    ahead: bool = flag(
        "whether the weights of the next product are asked for while this one is done", False
    )

    def register_tile(self, rows: int = LARGEST) -> RegisterTile:
        """Return the tile of sums, its rows evened out over the sequences."""
        tiles = ceil(rows / self.tile[0])
        return super().register_tile(self.tile[0] if rows == LARGEST else ceil(rows / tiles))

    @property
    def remedies(self) -> Mapping[Resource, str]:
        return {**super().remedies, Resource.MEMORY: "lower nr of tile"}
