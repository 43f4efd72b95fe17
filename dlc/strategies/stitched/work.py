"""What the stages of a kernel do, as the model of the chip asks."""

from dataclasses import dataclass

from dlc.analysis.dataflow import Cluster
from dlc.analysis.traffic import traffic_bytes
from dlc.strategies._implementation import AnyImplementation
from dlc.strategies.stitched.stages import stage_strategies, stages_of


@dataclass(frozen=True)
class Stage:
    """A stage. ways: the strategies that compute it, each with what it asks of the work. bytes:
    that it moves. waits: whether it reads what a stage before it gives and no stage in between has
    waited for.
    """

    ways: tuple[tuple[AnyImplementation, object], ...]
    bytes: int
    waits: bool


@dataclass(frozen=True)
class StitchedWork:
    """What a kernel does: stages, at least two, in order."""

    stages: tuple[Stage, ...]


def work_of(cluster: Cluster) -> StitchedWork:
    """Return the work of a cluster whose strategy is ``stitched``."""
    pairs = zip(stages_of(cluster), waits_of(stages_of(cluster)), strict=True)
    return StitchedWork(tuple(_stage(stage, waits) for stage, waits in pairs))


def waits_of(stages: tuple[Cluster, ...]) -> list[bool]:
    """Return for each stage whether it reads what was written since threads met last."""
    found: list[bool] = []
    written: set[object] = set()
    for stage in stages:
        origins = {stage.flow.origin(value) for value in stage.inputs}
        found.append(not written.isdisjoint(origins))
        if found[-1]:
            written.clear()
        written.update(stage.results)
    return found


def _stage(stage: Cluster, waits: bool) -> Stage:
    able = [each.implementations["gpu"] for each in stage_strategies(stage)]
    ways = tuple((own, own.work_of(stage)) for own in able if own.obstacle(stage) is None)
    return Stage(ways, traffic_bytes(stage), waits)
