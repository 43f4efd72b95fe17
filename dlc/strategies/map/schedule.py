"""What a schedule of ``map`` on a GPU holds."""

from collections.abc import Mapping
from dataclasses import dataclass

from dlc.errors import CompileError
from dlc.model.violation import Resource
from dlc.strategies._key import size, sizes
from dlc.strategies._schedule import Schedule

UNTILED = (1, 1)


@dataclass(frozen=True)
class MapOnGpu(Schedule, strategy="map", target="gpu"):
    """A thread computes a few neighbouring elements of the results."""

    threads: int = size("threads per block")
    vector: int = size(
        "neighbouring elements of the result that a thread computes", default=1, most=16
    )
    columns: int = size(
        "neighbouring places of the axis before it that a thread computes them at: their windows, "
        "or what a resize takes for them, are read together; or all places of a short axis along "
        "which inputs lie turned, which it reads as they lie",
        default=1,
        most=16,
    )
    tile: tuple[int, int] = sizes(
        "positions of a block along the axis of the neighbours of inputs that lie turned, and "
        "along the last axis; these inputs go through shared memory. `[1, 1]`: no tile",
        2,
        default=UNTILED,
    )

    @property
    def remedies(self) -> Mapping[Resource, str]:
        return {
            Resource.THREADS: "lower threads",
            Resource.REGISTERS: "lower threads, vector or columns",
            Resource.MEMORY: "lower tile",
        }

    @property
    def stage_threads(self) -> int:
        return self.threads

    def check(self) -> None:
        if self.columns > 1 and self.tile != UNTILED:
            raise CompileError(
                f"columns = {self.columns} do not go with tile = {list(self.tile)}: windows are "
                "read without tiles; leave one of the two out"
            )
