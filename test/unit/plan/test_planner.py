"""Plans: what is chosen, how often the models are asked, why there is none."""

import gc
from collections.abc import Callable
from itertools import pairwise
from weakref import ref

import pytest
from programs import cluster

from dlc import strategies
from dlc.analysis.dataflow import Cluster
from dlc.arch import Arch
from dlc.arch.cpus import AVX2
from dlc.arch.nvidia import H200
from dlc.plan import NoPlan, Plan, Planner, forget, structure
from dlc.plan.ranking import ranked
from dlc.strategies import AnyImplementation

PRODUCT = """
%0 = graph.matmul %x, %y : (tensor<128x768xf16>, tensor<768x64xf16>) -> tensor<128x64xf16>
"""
FACTORS = "%x: tensor<128x768xf16>, %y: tensor<768x64xf16>"


def chain() -> Cluster:
    tensor = "tensor<64x64xf32>"
    return cluster("%0 = exp %x : 64x64\n%1 = add %0 %x : 64x64", f"%1: {tensor}", f"%x: {tensor}")


def product() -> Cluster:
    return cluster(PRODUCT, "%0: tensor<128x64xf16>", FACTORS)


@pytest.fixture(autouse=True)
def _nothing_known() -> None:
    forget()


def made(cluster: Cluster, planner: Planner | None = None) -> Plan:
    found = (planner or Planner(H200)).plan(cluster)
    assert isinstance(found, Plan)
    return found


@pytest.mark.parametrize("chip", [H200, AVX2], ids=lambda chip: chip.name)
@pytest.mark.parametrize("what", [chain, product], ids=lambda what: what.__name__)
def test_runners_up_are_other_schedules_in_order(chip: Arch, what: Callable[[], Cluster]) -> None:
    plan = made(what(), Planner(chip))
    assert len({each.schedule for each in plan.candidates}) == len(plan.candidates) > 1
    assert plan.candidates == (plan.best, *plan.runners_up)
    seconds = [each.s for each in plan.candidates]
    assert all(later >= earlier / 1.005 for earlier, later in pairwise(seconds))
    assert plan.s == seconds[0] > 0
    assert all(each.bound.violation is None for each in plan.candidates)
    assert all(each.ask().latency_s() == pytest.approx(each.s) for each in plan.candidates)


def test_a_contraction_has_ten() -> None:
    assert len(made(product()).candidates) == 10


def test_the_best_of_all_strategies_that_can_is_taken() -> None:
    rows = cluster(
        "%0 = graph.reduce_sum %x axes [1] keep_dims : tensor<64x512xf32> -> tensor<64x1xf32>",
        "%0: tensor<64x1xf32>",
        "%x: tensor<64x512xf32>",
    )
    assert {strategy.name for strategy in strategies.accepting(rows, "gpu")} == {"map", "row"}
    plan = made(rows)
    assert {each.schedule.strategy for each in plan.candidates} >= {plan.best.schedule.strategy}
    each = [i.space(i.work_of(rows), H200).seconds.min() for i in strategies.able(rows, H200)]
    assert plan.s <= min(each) * 1.005


def test_strategies_are_asked_once_for_a_structure(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Cluster] = []
    able = strategies.able

    def counting(cluster: Cluster, chip: Arch) -> list[AnyImplementation]:
        asked.append(cluster)
        return able(cluster, chip)

    monkeypatch.setattr(strategies, "able", counting)
    plans = [made(chain()), made(chain()), made(chain(), Planner(H200))]
    assert len(asked) == 1
    assert plans[0] is plans[1] is plans[2]
    made(chain(), Planner(AVX2))
    assert len(asked) == 2


def test_schedules_are_rated_once_for_a_work() -> None:
    sin, cos = (
        cluster(f"%0 = {op} %x : 64x64", "%0: tensor<64x64xf32>", "%x: tensor<64x64xf32>")
        for op in ("sin", "cos")
    )
    first, second = made(sin), made(cos)
    assert first.key != second.key
    assert first.candidates == second.candidates
    assert ranked.cache_info().misses == 1


def test_another_chip_has_another_plan() -> None:
    assert made(chain()).best.schedule.target == "gpu"
    assert made(chain(), Planner(AVX2)).best.schedule.target == "cpu"


def test_the_reason_that_nothing_can_make_it() -> None:
    two = cluster(
        "%0 = graph.matmul %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
        "%1 = graph.matmul %0, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>",
        "%1: tensor<64x64xf32>",
        "%x: tensor<64x64xf32>",
    )
    assert Planner(AVX2).plan(two) == NoPlan("two contractions")


def two_products(rows: int, columns: int, inner: int) -> Cluster:
    x, w, v = (
        f"tensor<{a}x{b}xf16>" for a, b in ((rows, columns), (columns, inner), (inner, columns))
    )
    y = f"tensor<{rows}x{inner}xf16>"
    return cluster(
        f"%0 = graph.matmul %x, %w : ({x}, {w}) -> {y}\n"
        f"%1 = graph.matmul %0, %v : ({y}, {v}) -> {x}",
        f"%1: {x}",
        f"%x: {x}, %w: {w}, %v: {v}",
    )


def test_a_kernel_of_stages_is_made_where_there_is_no_other() -> None:
    two, planner = two_products(64, 64, 64), Planner(H200)
    assert made(two, planner).best.schedule.strategy == "stitched"
    assert planner.whole(two) == NoPlan("two contractions")
    alone = [made(Cluster(two.flow, (op,)), planner) for op in two.ops]
    assert {each.best.schedule.strategy for each in alone} == {"contract"}


@pytest.mark.parametrize(
    ("sizes", "gains"), [((1, 16, 4), True), ((64, 64, 64), False), ((512, 512, 512), False)]
)
def test_stages_are_worthwhile_where_they_take_less_than_kernels_of_their_own(
    sizes: tuple[int, int, int], gains: bool
) -> None:
    two, planner = two_products(*sizes), Planner(H200)
    alone_s = sum(made(Cluster(two.flow, (op,)), planner).estimate_s for op in two.ops)
    lost_s, least_lost_s = made(two, planner).estimate_s - alone_s, planner.lost_in_stages_s(two)
    assert isinstance(planner.worthwhile(two), Plan) == gains
    assert least_lost_s is not None
    assert (lost_s < 0, least_lost_s < 0) == (gains, gains)
    assert least_lost_s <= lost_s + 1e-12


def test_ops_of_one_strategy_lose_nothing_in_stages() -> None:
    two = two_products(64, 64, 64)
    assert Planner(H200).lost_in_stages_s(Cluster(two.flow, two.ops[:1])) is None


class _Measured:
    """Times of the schedules of one cluster, by their text."""

    def __init__(self, key: str, times: dict[str, float]):
        self.key, self.times = key, times
        self.asked = 0

    def measured_s(self, key: str, schedule: str) -> float | None:
        self.asked += 1
        return self.times.get(schedule) if key == self.key else None

    def is_refused(self, key: str, schedule: str) -> bool:
        return False


def _measured(*places: int, s: float = 1e-3) -> tuple[Plan, _Measured]:
    """Return a plan, and times that make its candidates at ``places`` the fastest, in order."""
    plan = made(product())
    times = {plan.candidates[place].text: s + n * 1e-6 for n, place in enumerate(places)}
    return plan, _Measured(plan.key, times)


def test_what_was_measured_goes_first() -> None:
    plan, measurements = _measured(3, 7)
    found = made(product(), Planner(H200, measurements))
    assert [c.schedule for c in found.candidates[:2]] == [
        plan.candidates[3].schedule,
        plan.candidates[7].schedule,
    ]
    rest = [c for n, c in enumerate(plan.candidates) if n not in (3, 7)]
    assert found.candidates[2:] == tuple(rest)


def test_a_measured_time_is_the_price() -> None:
    _, measurements = _measured(4, s=2.5e-3)
    found = made(product(), Planner(H200, measurements))
    assert found.s == found.best.measured_s == 2.5e-3
    assert found.best.estimate_s < 1e-4


def test_measurements_of_another_cluster_do_not_count() -> None:
    plan, measurements = _measured(4)
    measurements.key = structure(chain()).key
    assert made(product(), Planner(H200, measurements)).candidates == plan.candidates


def test_measurements_stay_with_their_planner() -> None:
    plan, measurements = _measured(4)
    assert made(product(), Planner(H200, measurements)).best != plan.best
    assert made(product()) is plan


def test_measured_times_are_looked_up_once_for_a_structure() -> None:
    _, measurements = _measured(4)
    planner = Planner(H200, measurements)
    assert made(product(), planner) is made(product(), planner)
    assert measurements.asked == 10


def test_a_plan_holds_no_ir() -> None:
    # Plans stay in a table of the process.
    whole = product()
    plan, block = made(whole), ref(whole.flow.ops[0])
    del whole
    gc.collect()
    assert block() is None
    assert plan.best.bound.time_s > 0


@pytest.mark.parametrize("count", [1, 511, 513, 1000, 1023, 1535])
def test_tensors_of_odd_sizes_have_plans(count: int) -> None:
    tensor = f"tensor<{count}xf32>"
    assert made(cluster(f"%0 = exp %x : {count}", f"%0: {tensor}", f"%x: {tensor}")).s > 0


def test_to_compute_more_takes_no_less() -> None:
    # The sum is a result too, and every point of the window reads it anew.
    image, filters = "tensor<1x56x56x96xf16>", "tensor<96x7x7x1xf16>"
    window = (
        "%1 = graph.conv %0, %w strides [1, 1] padding [3, 3, 3, 3] dilations [1, 1] groups 96 "
        f"layout channels_last weight_layout ohwi : ({image}, {filters}) -> {image}"
    )
    alone = cluster(window.replace("%0", "%x"), f"%1: {image}", f"%x: {image}, %w: {filters}")
    both = cluster(
        f"%0 = graph.add %x, %y : ({image}, {image}) -> {image}\n{window}",
        f"%0: {image}, %1: {image}",
        f"%x: {image}, %y: {image}, %w: {filters}",
    )
    assert made(both).s > made(alone).s


class _Refused(_Measured):
    def is_refused(self, key: str, schedule: str) -> bool:
        return key == self.key and schedule in self.times

    def measured_s(self, key: str, schedule: str) -> float | None:
        return None


def test_what_was_refused_is_no_candidate() -> None:
    plan, measured = _measured(0, 2)
    found = made(product(), Planner(H200, _Refused(plan.key, measured.times)))
    kept = [each.schedule for n, each in enumerate(plan.candidates) if n not in (0, 2)]
    assert [each.schedule for each in found.candidates] == kept


def test_where_all_was_refused_there_is_no_other_choice() -> None:
    plan, _ = _measured()
    _, measured = _measured(*range(len(plan.candidates)))
    found = made(product(), Planner(H200, _Refused(plan.key, measured.times)))
    assert len(found.candidates) == len(plan.candidates)
