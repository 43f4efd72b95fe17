"""What a schedule of ``attention`` on a CPU holds."""

from dataclasses import dataclass

from dlc.errors import CompileError
from dlc.strategies._key import LARGEST, flag, key_field, sizes
from dlc.strategies._schedule import Schedule
from dlc.strategies.contract.register_tile import RegisterTile
from dlc.strategies.contract.schedule import LANES


@dataclass(frozen=True)
class AttentionOnCpu(Schedule, strategy="attention", target="cpu"):
    """A core takes some rows of queries, whose scores stay in its cache, through all keys."""

    block_keys = "tile"

    tile: tuple[int, int] = sizes(
        "`[mr, nr]`: the register tile of the micro-kernel, queries by keys, and by columns of "
        "the values. A core takes `mr` queries at a time",
        2,
        most=LARGEST,
    )
    lanes: int = key_field(LANES)
    cores: bool = flag("whether queries are spread over several cores", False)

    def register_tile(self, rows: int = LARGEST) -> RegisterTile:
        """Return the tile of sums of both products, of no more rows than there are."""
        return RegisterTile(min(self.tile[0], rows), self.tile[1] // self.lanes, self.lanes)

    @property
    def thrift(self) -> tuple[int, ...]:
        return (self.register_tile().registers,)

    def check(self) -> None:
        if self.tile[1] % self.lanes:
            raise CompileError(
                f"tile columns {self.tile[1]} are no multiple of the {self.lanes} lanes"
            )
