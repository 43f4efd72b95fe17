"""What a schedule of ``attention`` on a CPU holds."""

from collections.abc import Mapping
from dataclasses import dataclass

from dlc.errors import CompileError
from dlc.model.violation import Resource
from dlc.strategies._key import LARGEST, count, flag, size, sizes
from dlc.strategies.contract.register_tiled import RegisterTiled


@dataclass(frozen=True)
class AttentionOnCpu(RegisterTiled, strategy="attention", target="cpu"):
    """A core takes some rows of queries through the keys; their scores stay in its cache."""

    tile: tuple[int, int] = sizes(
        "`[mr, nr]`: the register tile of the micro-kernel, queries by keys, and by columns of "
        "the values",
        2,
        most=LARGEST,
    )
    cores: bool = flag("whether queries are spread over several cores", False)
    tiles: int = size("register tiles of queries, below each other, that a core takes at a time", 1)
    step: int = count(
        "keys of a step, a multiple of `nr`: after each, what was added up is made relative to the "
        "largest score so far, so that the scores of a step are all that a core holds. 0: all keys"
    )

    def step_of(self, keys: int) -> int:
        """Return the keys of a step, of so many."""
        return min(self.step, keys) if self.step else keys

    @property
    def remedies(self) -> Mapping[Resource, str]:
        step = ", tiles or step" if self.step else " or tiles, or give a step"
        return {**super().remedies, Resource.MEMORY: f"lower tile{step}"}

    @property
    def thrift(self) -> tuple[int, ...]:
        return self.register_tile().registers, self.tiles, self.step

    def check(self) -> None:
        super().check()
        if self.step % self.tile[1]:
            raise CompileError(
                f"step = {self.step} keys are no multiple of the {self.tile[1]} of a register tile"
            )
