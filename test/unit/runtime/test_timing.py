"""How times are taken: who runs when, and what is said of the times."""

import pytest

from dlc.runtime.timing import (
    LEAST_RUNS,
    MOST_RUNS,
    BatchClock,
    HostClock,
    Run,
    Times,
    alternate,
    geometric_mean,
    measure,
)


class FakeClock:
    """Every run takes as long as this says; the first of all longer."""

    def __init__(self, seconds: float, first: float = 0.0):
        self.seconds = seconds
        self.first = first

    def times(self, run: Run, count: int) -> list[float]:
        """Run and return made-up times."""
        for _ in range(count):
            run()
        taken = [self.seconds + self.first, *[self.seconds] * (count - 1)]
        self.first = 0.0
        return taken


def test_contestants_take_turns() -> None:
    order: list[str] = []
    sides = {name: (lambda n=name: order.append(n), FakeClock(0.1)) for name in "ab"}
    found = alternate(sides, seconds=1.0, warm_up=1, turns=2)
    assert "".join(order) == "ab" + 2 * ("a" * 6 + "b" * 6)  # warm-up; one uncounted and five
    assert {name: len(times.seconds) for name, times in found.items()} == {"a": 10, "b": 10}


def test_the_slow_first_run_decides_nothing() -> None:
    found = measure(lambda: None, FakeClock(1e-3, first=30.0), seconds=0.05)
    assert found.seconds == (1e-3,) * 50


@pytest.mark.parametrize(("each", "count"), [(10.0, LEAST_RUNS), (1e-9, MOST_RUNS)])
def test_there_are_never_too_few_runs_and_never_too_many(each: float, count: int) -> None:
    assert len(measure(lambda: None, FakeClock(each), seconds=1.0).seconds) == count


def test_the_host_clock_takes_each_call() -> None:
    calls: list[None] = []
    taken = HostClock().times(lambda: calls.append(None), 4)
    assert (len(calls), len(taken), min(taken) > 0) == (4, 4, True)


def test_calls_that_return_early_are_taken_together() -> None:
    done: list[str] = []
    clock = BatchClock(lambda: done.append("wait"), most=3)
    taken = clock.times(lambda: done.append("run"), 5)
    assert done == ["run", "run", "run", "wait", "run", "run", "wait"]
    assert taken[0] == taken[2]
    assert taken[3] == taken[4]
    assert min(taken) > 0


def test_percentiles() -> None:
    found = Times(tuple(n / 1e3 for n in range(101))).summary()
    wanted = {"mean": 50, "min": 0, "p50": 50, "p90": 90, "p95": 95, "p99": 99, "max": 100}
    assert found == pytest.approx(wanted, rel=2**-50 * 101)


def test_half_of_the_runs_lie_within_the_spread() -> None:
    times = Times((4.0, 1.0, 2.0, 3.0, 100.0))
    assert (times.median, times.spread) == (3.0, pytest.approx(2 / 3))
    assert Times((0.0,)).spread == 0.0


def test_geometric_mean() -> None:
    assert geometric_mean([0.5, 2.0, 8.0]) == pytest.approx(2.0)
