"""What a schedule of ``stitched`` holds: who computes the stages, and how values get from one to
the next.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dlc.arch.scope import BLOCK_THREADS, CLUSTER_BLOCKS
from dlc.errors import CompileError
from dlc.ir.record import Inner
from dlc.model.violation import Resource
from dlc.strategies._choice import read_record
from dlc.strategies._key import Key, key_field, size
from dlc.strategies._schedule import Schedule

NONE, BLOCK, CLUSTER, GRID = "none", "block", "cluster", "grid"
_OF_THE_KERNEL = ("target", "library", "algorithm")
CARRIES = (NONE, BLOCK, CLUSTER, GRID)
"""Who meets before a stage, from few to many."""


def _are_carries(value: Any) -> bool:
    return isinstance(value, tuple) and set(value) <= set(CARRIES)


def _are_stages(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(each, Inner) for each in value)


_CARRY = Key(
    "for each stage but the first, how it gets what stages before it give, through global memory, "
    'which the caches hold: `"block"`: all is in one block, whose threads meet; `"cluster"`: all '
    'is in one cluster, whose blocks meet; `"grid"`: all blocks of the launch run at the same time '
    'and meet; `"none"`: it reads nothing that was written since threads have met',
    f"a list of {', '.join(CARRIES)}",
    _are_carries,
)
_STAGES = Key(
    "for each stage, the schedule of the strategy that computes it, with `threads` threads of a "
    "block; within a stage values stay in registers, or go through shared memory",
    "a list of schedules in braces",
    _are_stages,
)


@dataclass(frozen=True)
class StitchedOnGpu(Schedule, strategy="stitched", target="gpu"):
    """The same blocks compute one stage after the other."""

    threads: int = size("threads per block, the same in all stages", most=BLOCK_THREADS)
    blocks: int = size("blocks of the launch; a stage of more goes in rounds")
    carry: tuple[str, ...] = key_field(_CARRY)
    stages: tuple[Inner, ...] = key_field(_STAGES)

    @property
    def remedies(self) -> Mapping[Resource, str]:
        lower = dict.fromkeys((Resource.THREADS, Resource.REGISTERS), "lower threads")
        return {**lower, Resource.MEMORY: "use other stages"}

    @property
    def needs(self) -> Mapping[str, str]:
        return {'carry = "cluster"': "cluster"} if self.is_cluster else {}

    @property
    def is_cluster(self) -> bool:
        """Whether the blocks of the launch are a cluster."""
        return CLUSTER in self.carry

    @property
    def is_cooperative(self) -> bool:
        """Whether all blocks must run at the same time."""
        return GRID in self.carry

    @cached_property
    def parts(self) -> Sequence[Schedule]:
        """The schedules of the stages; raises CompileError for a wrong one."""
        given = [each.as_dict() for each in self.stages]
        if ignored := {key for each in given for key in _OF_THE_KERNEL if key in each}:
            raise CompileError(f"{min(ignored)} is a key of a kernel, not of a stage; leave it out")
        return [read_record({**each, "target": "gpu"}) for each in given]

    def check(self) -> None:
        if len(self.carry) != len(self.stages) - 1:
            raise CompileError(
                f"carry has {len(self.carry)} items for {len(self.stages)} stages; it has one for "
                "each stage but the first"
            )
        if BLOCK in self.carry and self.blocks > 1:
            raise CompileError(f'carry = "block" is for one block, there are {self.blocks}')
        if self.is_cluster and (self.is_cooperative or self.blocks not in CLUSTER_BLOCKS):
            raise CompileError(
                f'carry = "cluster" is for one cluster of {", ".join(map(str, CLUSTER_BLOCKS))} '
                f"blocks, there are {self.blocks}; set blocks, and carry without grid"
            )
        for number, part in enumerate(self.parts):
            if part.stage_threads != self.threads:
                raise CompileError(
                    f"stage {number} has a schedule of {part.stage_threads or 'no such'} threads, "
                    f"the kernel has {self.threads}; take one whose blocks are alone and have as "
                    "many"
                )


def stage_text(schedule: Schedule) -> Inner:
    """Return the schedule of a stage as the key ``stages`` has it."""
    items = ((name, value) for name, value in schedule.attribute().data if name != "target")
    return Inner(tuple(items))
