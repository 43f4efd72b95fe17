"""What is measured, in which order, when it ends, and what comes of it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fake_measurer import PLACE, FakeMeasurer
from xdsl.dialects.builtin import ModuleOp

from dlc import arch, registry
from dlc.analysis.entry import find_main, groups
from dlc.core.parser import parse_module
from dlc.dialects.fused_group import GroupOp
from dlc.plan import Plan, Planner
from dlc.tuning.budget import Budget
from dlc.tuning.database import Database
from dlc.tuning.kind import Kind, cluster_of, key_of
from dlc.tuning.measurement import Measurement
from dlc.tuning.trial import Discarded, Found, Timed
from dlc.tuning.tuned import Tuned
from dlc.tuning.tuner import Tuner

PLANNER = Planner(arch.by_name("sm_90a"))
DATE = datetime(2026, 1, 31, 12, tzinfo=UTC)


def layer(name: str, x: str, w: str, m: int, k: int, n: int) -> str:
    types = f"tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>"
    return f"""
    {name} = fused_group.group @{name[1:]}({x}, {w}) : ({types}) -> tensor<{m}x{n}xf16> {{
    ^bb0(%a: tensor<{m}x{k}xf16>, %b: tensor<{k}x{n}xf16>):
      %c = graph.matmul %a, %b : ({types}) -> tensor<{m}x{n}xf16>
      fused_group.yield %c : tensor<{m}x{n}xf16>
    }}"""


@pytest.fixture
def module() -> ModuleOp:
    """Return two small groups of one kind and a large one, which stands last."""
    text = f"""
    func.func @main(%x: tensor<64x256xf16>, %w: tensor<256x256xf16>, %v: tensor<256x131072xf16>)
        -> tensor<64x131072xf16> {{
      {layer("%one", "%x", "%w", 64, 256, 256)}
      {layer("%two", "%one", "%w", 64, 256, 256)}
      {layer("%big", "%two", "%v", 64, 256, 131072)}
      func.return %big : tensor<64x131072xf16>
    }}"""
    return parse_module(text, registry.new_context())


def kinds(module: ModuleOp) -> tuple[GroupOp, GroupOp]:
    small, _, big = groups(find_main(module))
    return small, big


def schedules(group: GroupOp) -> list[str]:
    plan = PLANNER.plan(cluster_of(group))
    assert isinstance(plan, Plan)
    return [candidate.text for candidate in plan.candidates]


def in_order(group: GroupOp, text: str) -> Found:
    """Return one microsecond for the first schedule, two for the second and so on."""
    return Timed(1e-6 * (1 + schedules(group).index(text)), 1e-8, 9)


def tune(
    module: ModuleOp,
    measurer: FakeMeasurer,
    database: Database | None = None,
    budget: Budget | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Tuned:
    tuner = Tuner(measurer, PLANNER, database, budget or Budget(), progress, lambda: DATE)
    return tuner.tune(module)


def chosen(group: GroupOp, tuned: Tuned) -> str:
    """Return the schedule that a plan takes that knows the times."""
    plan = Planner(PLANNER.chip, tuned).plan(cluster_of(group))
    assert isinstance(plan, Plan)
    return plan.best.text


def test_a_measured_time_beats_every_estimate(module: ModuleOp) -> None:
    small, big = kinds(module)
    wanted = {small: schedules(small)[3], big: schedules(big)[-1]}

    def time(group: GroupOp, text: str) -> Found:
        return Timed(1e-6 if text == wanted[group] else 4e-6, 0.0, 9)

    tuned = tune(module, FakeMeasurer(time))
    assert {group: chosen(group, tuned) for group in wanted} == wanted
    assert (tuned.kinds, tuned.measured) == (2, sum(len(schedules(g)) for g in wanted))
    assert tuned.model_s == pytest.approx(3 * 4e-6)  # the small kind counts twice
    assert tuned.best_s == pytest.approx(3 * 1e-6)
    assert "; one after the other 0.012 ms -> 0.003 ms, 75 % won" in tuned.text()


def test_what_takes_longest_is_measured_first_and_others_are_built_meanwhile(
    module: ModuleOp,
) -> None:
    small, big = kinds(module)
    seen: list[int] = []

    def time(group: GroupOp, text: str) -> Found:
        seen.append(len(measurer.started))
        return in_order(group, text)

    measurer = FakeMeasurer(time)
    tune(module, measurer)
    assert measurer.started == [big, small]
    assert [group for group, _ in measurer.timed[: len(schedules(big))]] == [big] * len(
        schedules(big)
    )
    assert seen[0] == 2


@pytest.mark.parametrize("ahead", [0, 1])
def test_what_another_process_measured_meanwhile_is_not_measured_again(
    ahead: int, module: ModuleOp, tmp_path: Path
) -> None:
    small, big = kinds(module)
    others: list[Tuned] = []

    def time(group: GroupOp, text: str) -> Found:
        if not others:  # another process tunes the same while the first kind is measured
            with Database(tmp_path / "t.db") as database:
                others.append(tune(module, FakeMeasurer(in_order), database))
        return in_order(group, text)

    measurer = FakeMeasurer(time, ahead=ahead)
    with Database(tmp_path / "t.db") as database:
        tuned = tune(module, measurer, database)
    assert {group for group, _ in measurer.timed} == {big}
    assert tuned.times == others[0].times
    assert tuned.remembered == len(schedules(small))


def test_only_the_first_schedules_are_measured_where_that_is_asked_for(module: ModuleOp) -> None:
    small, big = kinds(module)
    measurer = FakeMeasurer(in_order)
    tuner = Tuner(measurer, PLANNER, None, Budget(), generated=2)
    seconds = tuner.best_s([small, big], tuner.budget)
    assert [text for _, text in measurer.timed] == [*schedules(big)[:2], *schedules(small)[:2]]
    assert seconds == [1e-6, 1e-6]
    plan = PLANNER.plan(cluster_of(big))
    assert isinstance(plan, Plan)
    assert tuner.tuned.measured_s(plan.key, schedules(big)[1]) == 2e-6


def test_what_the_database_knows_is_not_measured_again(module: ModuleOp, tmp_path: Path) -> None:
    with Database(tmp_path / "t.db") as database:
        first = tune(module, FakeMeasurer(in_order), database)
    with Database(tmp_path / "t.db") as database:
        measurer = FakeMeasurer(in_order)
        again = tune(module, measurer, database)
        rows = database.rows()
    assert measurer.started == []
    assert (again.measured, again.remembered) == (0, first.measured)
    assert again.times == first.times
    assert "0 measured, 20 from the database" in again.text()
    assert {row.subject.place for row in rows} == {PLACE}
    assert {row.subject.group for row in rows} == {key_of(group) for group in kinds(module)}
    assert {row.measurement.date for row in rows} == {"2026-01-31T12:00:00Z"}


def test_a_layer_that_another_model_has_is_known(module: ModuleOp, tmp_path: Path) -> None:
    text = f"""
    func.func @main(%p: tensor<64x256xf16>, %q: tensor<256x256xf16>) -> tensor<64x256xf16> {{
      {layer("%other", "%p", "%q", 64, 256, 256)}
      func.return %other : tensor<64x256xf16>
    }}"""
    other = parse_module(text, registry.new_context())
    with Database(tmp_path / "t.db") as database:
        tune(module, FakeMeasurer(in_order), database)
        measurer = FakeMeasurer(in_order)
        tuned = tune(other, measurer, database)
    assert measurer.started == []
    assert (tuned.kinds, tuned.measured, tuned.remembered) == (1, 0, 10)


def test_ctrl_c_keeps_what_was_found(module: ModuleOp, tmp_path: Path) -> None:
    small, big = kinds(module)

    def time(group: GroupOp, text: str) -> Found:
        if len(measurer.timed) == 4:
            raise KeyboardInterrupt
        return Timed(1e-6 / len(measurer.timed), 0.0, 9)

    measurer = FakeMeasurer(time)
    with Database(tmp_path / "t.db") as database:
        tuned = tune(module, measurer, database)
        assert len(database.rows()) == 3
    assert (tuned.measured, tuned.stopped) == (3, "interrupted")
    assert chosen(big, tuned) == schedules(big)[2]
    assert chosen(small, tuned) == schedules(small)[0]


def test_nothing_begins_when_the_time_is_over(module: ModuleOp) -> None:
    _, big = kinds(module)
    seconds = 0.0

    def time(group: GroupOp, text: str) -> Found:
        nonlocal seconds
        seconds += 1
        return in_order(group, text)

    measurer = FakeMeasurer(time)
    tuned = tune(module, measurer, budget=Budget(3, lambda: seconds))
    assert [text for _, text in measurer.timed] == schedules(big)[:3]
    assert tuned.stopped == "out of time"
    assert "3 measured, out of time; 1 of the kinds, one after the other " in tuned.text()


def test_without_time_only_the_database_decides(module: ModuleOp, tmp_path: Path) -> None:
    with Database(tmp_path / "t.db") as database:
        tune(
            module,
            FakeMeasurer(lambda g, t: Timed(1 / (1 + schedules(g).index(t)), 0.0, 9)),
            database,
        )
        measurer = FakeMeasurer(in_order)
        tuned = tune(module, measurer, database, Budget(0))
    assert measurer.timed == []
    assert all(chosen(group, tuned) == schedules(group)[-1] for group in kinds(module))


def test_a_schedule_that_cannot_be_built_is_remembered_a_wrong_one_is_told(
    module: ModuleOp, tmp_path: Path
) -> None:
    _, big = kinds(module)
    spilling, wrong = schedules(big)[1:3]

    def time(group: GroupOp, text: str) -> Found:
        if text == spilling:
            return Discarded("its registers spill")
        return Discarded("off by 1", is_wrong=True) if text == wrong else in_order(group, text)

    with Database(tmp_path / "t.db") as database:
        tuned = tune(module, FakeMeasurer(time), database)
        assert any("its registers spill" in line for line in tuned.discarded)
        (fault,) = tuned.faults
        assert wrong in fault
        assert "off by 1; this is a fault of dlc" in fault
        assert chosen(big, tuned) == schedules(big)[0]
        measurer = FakeMeasurer(time)
        assert len(tune(module, measurer, database).faults) == 1
    assert [text for group, text in measurer.timed if group is big] == [wrong]


def test_what_many_schedules_have_in_common_is_said_once(module: ModuleOp) -> None:
    """For each group; another reason, and the last schedule, are said beside it."""
    _, big = kinds(module)
    *wrong, last = schedules(big)

    def time(group: GroupOp, text: str) -> Found:
        if group is not big:
            return Discarded("no room")
        return Discarded("off by 2" if text == last else "off by 1", is_wrong=True)

    tuned = tune(module, FakeMeasurer(time))
    first, second = tuned.faults
    assert f" with {wrong[0]} and {len(wrong) - 1} other schedules: off by 1; this" in first
    assert f" with {last}: off by 2; this" in second
    (unbuilt,) = tuned.discarded
    assert unbuilt.endswith("other schedules: no room")


def test_a_database_that_fails_meanwhile_is_told_once(module: ModuleOp, tmp_path: Path) -> None:
    def time(group: GroupOp, text: str) -> Found:
        database.__exit__()
        return in_order(group, text)

    with Database(tmp_path / "t.db") as database:
        tuned = tune(module, FakeMeasurer(time), database)
    (fault,) = tuned.faults
    assert fault.startswith(f"{tmp_path / 't.db'}: the tuning database cannot be used")
    assert tuned.measured == 20


def test_what_was_interrupted_before_it_began_has_tuned_nothing() -> None:
    assert Tuned(stopped="interrupted").text() == "tuned nothing, interrupted"


def test_times_that_vary_by_more_than_their_median_are_told(module: ModuleOp) -> None:
    small, _ = kinds(module)
    noisy = schedules(small)[1]
    spread_s = {True: 0.6e-6, False: 0.4e-6}  # half of the distance between the quartiles
    time: Callable[[GroupOp, str], Found] = lambda group, text: Timed(
        1e-6, spread_s[text == noisy and group is small], 9
    )
    (fault,) = tune(module, FakeMeasurer(time)).faults
    assert fault.startswith("1 of 20 measured times vary by more than their median")
    assert "dlc-db prune --noisy" in fault


def test_progress_says_what_was_won(module: ModuleOp) -> None:
    lines: list[str] = []
    best = [schedules(group)[-1] for group in kinds(module)]
    time = lambda _, text: Timed(1e-3 if text in best else 2e-3, 0.0, 9)
    tune(module, FakeMeasurer(time), progress=lines.append)
    assert lines == [
        "tuning: 1 of 2 kinds of groups, 2 ms -> 1 ms",
        "tuning: 2 of 2 kinds of groups, 6 ms -> 3 ms",
    ]


def test_the_best_times_of_groups_are_of_all_schedules(module: ModuleOp) -> None:
    small, big = kinds(module)
    measurer = FakeMeasurer(in_order)
    tuner = Tuner(measurer, PLANNER, None, Budget(), now=lambda: DATE)
    found = tuner.best_s([small, big, small], Budget())
    assert found == pytest.approx([1e-6, 1e-6, 1e-6])
    assert len(measurer.timed) == len(schedules(small)) + len(schedules(big))
    tuned = tuner.tune(module)  # which finds all of it known
    assert len(measurer.timed) == tuned.measured == 20
    assert tuned.remembered == 0


def test_the_time_of_the_only_schedule_is_measured_where_it_is_wanted(
    module: ModuleOp, monkeypatch: pytest.MonkeyPatch
) -> None:
    small, _ = kinds(module)
    plan = PLANNER.plan(cluster_of(small))
    assert isinstance(plan, Plan)
    only = replace(plan, candidates=plan.candidates[:1])
    planner = Planner(PLANNER.chip)
    monkeypatch.setattr(planner, "plan", lambda _: only)
    measurer = FakeMeasurer(lambda *_: Timed(3e-6, 0.0, 9))
    assert Tuner(measurer, planner, None, Budget()).best_s([small], Budget()) == [3e-6]
    measurer.timed.clear()
    Tuner(measurer, planner, None, Budget()).tune(module)
    assert measurer.timed == []


def test_a_group_of_which_not_all_was_measured_has_no_time(module: ModuleOp) -> None:
    small, big = kinds(module)
    seconds = 0.0

    def time(group: GroupOp, text: str) -> Found:
        nonlocal seconds
        seconds += 1
        return in_order(group, text)

    budget = Budget(3, lambda: seconds)
    tuner = Tuner(FakeMeasurer(time), PLANNER, None, Budget())
    assert tuner.best_s([big], budget) == [float("inf")]
    assert tuner.best_s([small], budget) == [float("inf")]
    assert tuner.tuned.stopped == ""


def test_a_wrong_schedule_is_no_reason_to_wait_for_its_time(module: ModuleOp) -> None:
    small, _ = kinds(module)
    wrong = schedules(small)[0]

    def time(group: GroupOp, text: str) -> Found:
        return Discarded("off by 1", is_wrong=True) if text == wrong else in_order(group, text)

    tuner = Tuner(FakeMeasurer(time), PLANNER, None, Budget())
    assert tuner.best_s([small], Budget()) == pytest.approx([2e-6])


def test_ctrl_c_while_divisions_are_compared_ends_all_measuring(module: ModuleOp) -> None:
    small, _ = kinds(module)

    def time(group: GroupOp, text: str) -> Found:
        if len(measurer.timed) == 4:
            raise KeyboardInterrupt
        return in_order(group, text)

    measurer, budget = FakeMeasurer(time), Budget()
    tuner = Tuner(measurer, PLANNER, None, Budget())
    assert tuner.best_s([small], budget) == [float("inf")]
    assert budget.is_spent
    tuned = tuner.tune(module)
    assert len(measurer.timed) == 4
    assert (tuned.measured, tuned.stopped) == (3, "interrupted")


def test_a_schedule_that_cannot_be_built_is_not_the_fastest(module: ModuleOp) -> None:
    small, _ = kinds(module)
    unfit = schedules(small)[0]

    def time(group: GroupOp, text: str) -> Found:
        return Discarded("it spills") if text == unfit else in_order(group, text)

    tuner = Tuner(FakeMeasurer(time), PLANNER, None, Budget())
    assert tuner.best_s([small], Budget()) == pytest.approx([2e-6])


def test_times_of_calls_count_as_plans_have_them(module: ModuleOp) -> None:
    small, _ = kinds(module)
    plan = PLANNER.plan(cluster_of(small))
    assert isinstance(plan, Plan)
    kernel = plan.best
    call = replace(kernel, schedule=replace(kernel.schedule, library="a"), late_s=2.4e-6)
    times = {kernel.text: 10e-6, call.text: 9e-6}
    known = {text: Measurement("", 9, s, 0.0, "", "") for text, s in times.items()}
    kind = Kind(replace(plan, candidates=(kernel, call)), [small], known, set())
    assert kind.best_s == 10e-6
    assert kind.seconds() == (10e-6, 10e-6)
