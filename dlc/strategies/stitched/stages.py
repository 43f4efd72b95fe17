"""The stages of a cluster: parts of it that follow each other in one kernel."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from dlc.analysis.dataflow import Cluster
from dlc.analysis.last_ops import last_ops
from dlc.analysis.role import Role
from dlc.dialects.graph.computed import ComputedOp
from dlc.strategies import _limits
from dlc.strategies._registry import in_order
from dlc.strategies._strategy import Strategy

MOST_STAGES = 8
"""A kernel of more compiles slowly, as one of too many ops does."""


@lru_cache(8)  # obstacles, work and lowering ask one after the other
def stages_of(cluster: Cluster) -> tuple[Cluster, ...]:
    """Return the stages in which a kernel computes a cluster; none where some op fits into no
    stage.

    Ops come in the order of a walk from the last ones through their operands, in which names and
    places play no part. Each joins the stage of the one before it where some strategy computes them
    together, and else begins another one.
    """
    quick = _cut(cluster, lambda stage, op: stage.roles[op] is Role.ELEMENTWISE or _is_stage(stage))
    if all(map(_is_stage, quick)):
        return quick
    found = _cut(cluster, lambda stage, _: _is_stage(stage))
    return found if all(map(_is_stage, found)) else ()


def _cut(cluster: Cluster, joins: Callable[[Cluster, ComputedOp], bool]) -> tuple[Cluster, ...]:
    """Return the parts of a cluster; ``joins``: whether an op belongs to the stage that it would
    be the last one of.
    """
    found: list[Cluster] = []
    ops: list[ComputedOp] = []
    for op in _in_order(cluster):
        if ops and not joins(_part(cluster, [*ops, op]), op):
            found.append(_part(cluster, ops))
            ops = []
        ops.append(op)
    return (*found, _part(cluster, ops))


def stage_strategies(stage: Cluster) -> Iterator[Strategy]:
    """Yield the strategies that compute a stage."""
    if next(_limits.obstacles(stage), None) is None:
        for strategy in in_order():
            own = strategy.implementations.get("gpu")
            if own and own.schedule.may_be_stage() and strategy.accepts(stage) is None:
                yield strategy


def _in_order(cluster: Cluster) -> list[ComputedOp]:
    """Return the ops, each behind those that it reads."""
    members, found = frozenset(cluster.places), dict[int, None]()

    def visit(place: int) -> None:
        for operand in cluster.flow.operands(place):
            if operand.producer in members and operand.producer not in found:
                visit(operand.producer)
        found[place] = None

    for place in last_ops(cluster):
        visit(place)
    return [cluster.flow.ops[place] for place in found]


def _is_stage(stage: Cluster) -> bool:
    return next(stage_strategies(stage), None) is not None


def _part(cluster: Cluster, ops: Sequence[ComputedOp]) -> Cluster:
    return Cluster(cluster.flow, tuple(sorted(ops, key=cluster.flow.position.__getitem__)))
