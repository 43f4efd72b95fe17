"""Compiles in which operations share no kernel."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from os import environ
from unittest.mock import patch

from xdsl.passes import ModulePass

from dlc import registry, search
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.core.locations import origin_text
from dlc.core.passes import DlcPass
from dlc.dialects.graph.computed import ComputedOp
from dlc.plan import Plan, Planner
from dlc.search import UNLIMITED, Effort, Partition, greedy


@contextmanager
def unfused(joins_nodes: bool = True) -> Generator[None]:
    """Give each node of a model kernels of its own: one where there is one, else one for each
    operation that it means.

    joins_nodes: whether passes before that may make one operation of several nodes. Finished
    artifacts are neither taken from the cache nor kept in it, which knows nothing of this.
    """
    whole = registry.build_passes

    def build(text: str) -> list[ModulePass]:
        return [x for x in whole(text) if not (isinstance(x, DlcPass) and x.joins_nodes)]

    with (
        patch.dict(environ, DLC_CACHE_GB="0"),
        patch.object(greedy, "search", _by_nodes),
        patch.object(search, "stitch", _as_it_is),
        patch.object(registry, "build_passes", whole if joins_nodes else build),
    ):
        yield


def _by_nodes(flow: Dataflow, planner: Planner, effort: Effort = UNLIMITED) -> Partition:
    del effort
    nodes: dict[str, list[ComputedOp]] = {}
    for number, op in enumerate(flow.ops):
        nodes.setdefault(origin_text(op.location) or str(number), []).append(op)
    parts: list[Cluster] = []
    for ops in nodes.values():
        whole = Cluster(flow, tuple(ops))
        alone = [Cluster(flow, (op,)) for op in ops]
        taken = [whole] if isinstance(planner.plan(whole), Plan) else alone
        fits = len(Partition(flow, [*_others(flow, ops), *taken]).order()) == (
            len(flow.ops) - len(ops) + len(taken)
        )
        parts += taken if fits else alone
    return Partition(flow, parts)


def _as_it_is(partition: Partition, planner: Planner) -> Partition:
    del planner
    return partition


def _others(flow: Dataflow, ops: Sequence[ComputedOp]) -> list[Cluster]:
    own = set(ops)
    return [Cluster(flow, (op,)) for op in flow.ops if op not in own]
