"""Ops at the border of two clusters go to the side where both take less time together.

A search that merges pairs cannot see this: what an op was merged with first stays, also where the
cluster that grew around it would be faster without it.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf

from dlc.analysis.dataflow import Cluster
from dlc.analysis.role import Role
from dlc.dialects.graph.computed import ComputedOp
from dlc.plan import INDISTINCT, NoPlan, Plan, saving
from dlc.search._partition import Partition

MOST_MOVED = 4
"""So many ops go over a border at a time."""

_MAY_MOVE = Role.ELEMENTWISE, Role.MOVE

PlanOf = Callable[[Cluster], Plan | NoPlan | None]
"""Gives the plan of the kernel that a cluster needs; ``None`` where it needs none."""


def settle_borders(partition: Partition, plan_of: PlanOf) -> Partition:
    """Move ops of neighbouring clusters, last ones of the producer or first ones of the consumer,
    as long as that saves more time than the model can tell apart; return the partition.

    Of all ways to move ops over one border the best one is taken, and each move makes the whole
    faster, so this ends. It asks for at most ``4 * MOST_MOVED`` plans a border.
    """
    return _Borders(partition, plan_of).run()


@dataclass(frozen=True)
class _Move:
    """Ops that leave their cluster. first: they go to their producer's; else to their consumer's.

    s: what it saves.
    """

    ops: tuple[ComputedOp, ...]
    first: bool
    s: float


class _Borders:
    def __init__(self, partition: Partition, plan_of: PlanOf):
        self.partition = partition
        self.flow = partition.flow
        self.plan_of = plan_of

    def run(self) -> Partition:
        pairs = deque(self.partition.edges())
        while pairs:
            producer, consumer = pairs.popleft()
            if consumer in self.partition.consumers.get(producer, ()):
                moves = self._moves(producer, consumer)
                best = max(moves, key=lambda move: move.s, default=None)
                if best is not None:
                    pairs += self._edges_of(self._apply(best, producer, consumer))
        return self.partition

    def _moves(self, producer: int, consumer: int) -> Iterator[_Move]:
        """Yield the moves over a border that save time."""
        sides = [self.partition.clusters[n] for n in (producer, consumer)]
        before = [plan for plan in map(self.plan_of, sides) if plan is not None]
        for first, found in (
            (False, self._last_ops(producer, consumer)),
            (True, self._first_ops(producer, consumer)),
        ):
            for ops in found:
                saved_s = self._saved_s(before, *self._sides(sides, ops, first))
                if saved_s > INDISTINCT * _seconds(before):
                    yield _Move(ops, first, saved_s)

    def _saved_s(self, before: Sequence[Plan | NoPlan], rest: Cluster, grown: Cluster) -> float:
        """Return what it saves that one side has grown by ops of the other.

        Most often no kernel computes the side that grows. Then the other's plan is not asked for.
        """
        plan = self.plan_of(grown)
        if isinstance(plan, NoPlan):
            return -inf
        after = (self.plan_of(rest), plan)
        return saving(before, [each for each in after if each is not None]).s

    def _sides(
        self, sides: Sequence[Cluster], ops: Sequence[ComputedOp], first: bool
    ) -> tuple[Cluster, Cluster]:
        """Return the two clusters after a move: the one that ops leave, and the one that grows."""
        giving, taking = sides[first], sides[not first]
        rest = tuple(op for op in giving.ops if op not in ops)
        return Cluster(self.flow, rest), taking.merged(Cluster(self.flow, tuple(ops)))

    def _last_ops(self, producer: int, consumer: int) -> Iterator[tuple[ComputedOp, ...]]:
        """Yield more and more of the producer's ops that only the consumer reads."""
        taken: list[ComputedOp] = []
        for op in reversed(self.partition.clusters[producer].ops):
            if self._is_read_by(op, consumer, taken):
                taken.append(op)
                yield from self._if_some_stay(taken, producer)

    def _first_ops(self, producer: int, consumer: int) -> Iterator[tuple[ComputedOp, ...]]:
        """Yield more and more of the consumer's ops that need nothing else of it and read what the
        producer gives, and on ways that do not lead back to it.
        """
        taken: list[ComputedOp] = []
        for op in self.partition.clusters[consumer].ops:
            if self._reads(op, producer, consumer, taken):
                taken.append(op)
                yield from self._if_some_stay(taken, consumer)

    def _if_some_stay(
        self, taken: Sequence[ComputedOp], side: int
    ) -> Iterator[tuple[ComputedOp, ...]]:
        if len(taken) <= MOST_MOVED and len(taken) < len(self.partition.clusters[side].ops):
            yield tuple(taken)

    def _is_read_by(self, op: ComputedOp, consumer: int, taken: Sequence[ComputedOp]) -> bool:
        readers = self.flow.consumers(op)
        if self.flow.facts(op).role not in _MAY_MOVE or any(map(self.flow.escapes, op.results)):
            return False
        return all(r in taken or self.partition.home[r] == consumer for r in readers)

    def _reads(
        self, op: ComputedOp, producer: int, consumer: int, taken: Sequence[ComputedOp]
    ) -> bool:
        home, made = self.partition.home, self.flow.producers(op)
        if self.flow.facts(op).role not in _MAY_MOVE:
            return False
        if any(home[p] == consumer and p not in taken for p in made):
            return False
        others = {home[p] for p in made} - {producer, consumer}
        if any(self.partition.leads_to(producer, other) for other in others):
            return False
        return any(p in taken or home[p] == producer for p in made)

    def _apply(self, move: _Move, producer: int, consumer: int) -> tuple[int, int]:
        """Return the numbers of both clusters after a move."""
        if move.first:
            moved, rest = self.partition.split(consumer, move.ops)
            return self.partition.merge(producer, moved), rest
        stay = [op for op in self.partition.clusters[producer].ops if op not in move.ops]
        rest, moved = self.partition.split(producer, stay)
        return rest, self.partition.merge(moved, consumer)

    def _edges_of(self, numbers: Sequence[int]) -> list[tuple[int, int]]:
        return [edge for edge in self.partition.edges() if set(edge) & set(numbers)]


def _seconds(plans: Sequence[Plan | NoPlan]) -> float:
    return sum(plan.s for plan in plans if isinstance(plan, Plan))
