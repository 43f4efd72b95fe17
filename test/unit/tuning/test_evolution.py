"""Divisions that evolve by measured times: what is measured, and what comes of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf

import pytest
from random_flows import random_flow

from dlc import arch
from dlc.dialects.fused_group import GroupOp
from dlc.plan import Planner
from dlc.search import UNLIMITED, Effort, Partition, dp, evolve
from dlc.tuning import evolution
from dlc.tuning.division import division_text
from dlc.tuning.evolution import MeasuredEvolution
from dlc.tuning.kind import cluster_of, key_of

FLOWS = range(5, 11)
"""Random graphs of 6 or 7 ops, in which the model merges some."""


def planner() -> Planner:
    return Planner(arch.by_name("sm_90a"))


def size(group: GroupOp) -> float:
    """A machine to which a kernel of several ops is very slow."""
    return 10.0 ** len(cluster_of(group).ops)


def pieces(_: GroupOp) -> float:
    """A machine to which all kernels take as long."""
    return 1.0


@dataclass
class Machine:
    """Times groups; asked: their keys, in order."""

    time: Callable[[GroupOp], float]
    asked: list[str] = field(default_factory=list[str])

    def __call__(self, groups: Sequence[GroupOp]) -> list[float]:
        self.asked += map(key_of, groups)
        return list(map(self.time, groups))


def found(seed: int, machine: Callable[[Sequence[GroupOp]], Sequence[float]]) -> Partition:
    return MeasuredEvolution(machine)(random_flow(seed), planner())


def of_dp(seed: int) -> Partition:
    return dp.search(random_flow(seed), planner())


@pytest.fixture
def open_minded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what the model takes for slow is measured."""
    monkeypatch.setattr(evolution, "PLAUSIBLE", 1e9)


@pytest.mark.usefixtures("open_minded")
@pytest.mark.parametrize("seed", FLOWS)
def test_what_was_measured_decides(seed: int) -> None:
    apart = found(seed, Machine(size))
    assert len(of_dp(seed).clusters) < len(apart.clusters) == len(apart.flow.ops)
    together = found(seed, Machine(pieces))
    assert len(together.clusters) <= len(of_dp(seed).clusters)


@pytest.mark.usefixtures("open_minded")
def test_a_line_says_what_was_won() -> None:
    search = MeasuredEvolution(Machine(size))
    assert search.text() == ""
    search(random_flow(5), planner())
    assert search.after_s < search.before_s
    assert search.text().startswith(f"{search.compared} divisions compared by measured times: ")


@pytest.mark.parametrize("seed", FLOWS)
def test_the_same_times_give_the_same_again(seed: int) -> None:
    machines = Machine(size), Machine(size)
    one, other = (division_text(found(seed, each)) for each in machines)
    assert one == other
    assert machines[0].asked == machines[1].asked


@pytest.mark.parametrize("seed", FLOWS)
def test_without_times_it_is_the_division_of_dp(seed: int) -> None:
    unknown = found(seed, lambda groups: [inf] * len(groups))
    assert division_text(unknown) == division_text(of_dp(seed))


@pytest.mark.usefixtures("open_minded")
@pytest.mark.parametrize("seed", FLOWS)
def test_a_kernel_without_a_time_is_in_nothing_that_is_taken(seed: int) -> None:
    """As when the time is over: what was not measured then is never better."""
    known: set[str] = set()

    def only_first(groups: Sequence[GroupOp]) -> list[float]:
        if not known:
            known.update(map(key_of, groups))
        return [size(group) if key_of(group) in known else inf for group in groups]

    partition = found(seed, only_first)
    assert division_text(partition) == division_text(of_dp(seed))


@pytest.mark.parametrize("seed", FLOWS)
def test_what_the_model_takes_for_slow_is_not_measured(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evolution, "PLAUSIBLE", 0.0)
    machine = Machine(size)
    partition = found(seed, machine)
    assert division_text(partition) == division_text(of_dp(seed))
    assert len(machine.asked) <= len(of_dp(seed).clusters)


@pytest.mark.usefixtures("open_minded")
def test_only_some_divisions_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evolution, "MOST_COMPARED", 3)
    search = MeasuredEvolution(Machine(size))
    search(random_flow(5), planner())
    assert search.compared == 3


@pytest.mark.usefixtures("open_minded")
def test_measured_groups_leave_the_graph_as_it_is() -> None:
    flow = random_flow(5)
    block = flow.ops[0].parent_block()
    assert block is not None
    before = [len(list(value.uses)) for op in block.ops for value in op.results]
    MeasuredEvolution(Machine(size))(flow, planner())
    assert [len(list(value.uses)) for op in block.ops for value in op.results] == before


def test_the_model_divides_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evolution, "_is_in_main", lambda _: False)
    machine = Machine(size)
    partition = MeasuredEvolution(machine)(random_flow(5), planner(), Effort(seed=3))
    assert machine.asked == []
    wanted = evolve.search(random_flow(5), planner(), Effort(UNLIMITED.deadline, 3))
    assert division_text(partition) == division_text(wanted)
