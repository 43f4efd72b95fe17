"""What a fusion saves, and when measured times count."""

import pytest
from programs import dataflow

from dlc.analysis.dataflow import Cluster
from dlc.arch.nvidia import H200
from dlc.plan import NoPlan, Plan, Planner, saving

TENSOR = "tensor<1000x1000xf32>"


class _Measured:
    def __init__(self, times: dict[str, float]):
        self.times = times

    def measured_s(self, key: str, schedule: str) -> float | None:
        return self.times.get(key)

    def is_refused(self, key: str, schedule: str) -> bool:
        return False


def plans(times: dict[int, float] | None = None) -> list[Plan]:
    """Return the plans of two ops and of both together. times: measured ones, by place."""
    body = "%0 = exp %x : 1000x1000\n%1 = tanh %0 : 1000x1000"
    flow = dataflow(body, f"%1: {TENSOR}", f"%x: {TENSOR}")
    first, second = (Cluster(flow, (op,)) for op in flow.ops)
    clusters = (first, second, first.merged(second))
    planner = Planner(H200)
    found = [plan for plan in map(planner.plan, clusters) if isinstance(plan, Plan)]
    known = {found[place].key: s for place, s in (times or {}).items()}
    return [plan.informed(_Measured(known)) for plan in found]


def test_fusing_a_chain_saves_a_write_a_read_and_a_launch() -> None:
    *apart, together = plans()
    saved = saving(apart, [together])
    assert saved.bytes == 8_000_000
    assert saved.operations == 0
    assert saved.s > H200.launch_floor_us * 1e-6


def test_measured_times_are_compared_with_measured_times_only() -> None:
    estimated = saving(plans()[:2], plans()[2:])
    for some in ({0: 1.0}, {2: 1.0}, {0: 1.0, 1: 1.0}):
        *apart, together = plans(some)
        assert saving(apart, [together]) == estimated
    *apart, together = plans({0: 1.0, 1: 2.0, 2: 2.5})
    assert saving(apart, [together]).s == pytest.approx(0.5)


def test_what_has_no_kernel_alone_takes_forever() -> None:
    first, _, together = plans()
    assert saving([first, NoPlan("it has none")], [together]).s == float("inf")
