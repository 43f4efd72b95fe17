"""What kernels take by who computes them, by measured times."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from layer_models import analysis

from dlc import arch, registry
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.entry import find_main
from dlc.analyze.kernels import Kernels
from dlc.analyze.ways import Ways, ways_of
from dlc.core.parser import parse_module
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.plan import Plan, Planner
from dlc.plan.whole_loop import plan_whole
from dlc.tuning.measurement import Measurement
from dlc.tuning.recorded import Recorded
from dlc.tuning.tuned import Tuned

TYPE = "tensor<8x28x28x64xf16>"
TEXT = f"""func.func @main(%x: {TYPE}) -> {TYPE} {{
  %y = graph.relu %x : {TYPE} -> {TYPE}
  func.return %y : {TYPE}
}}"""


def ways(ours_us: float | None, calls_us: Sequence[float | None]) -> Ways:
    """Return the ways of a relu of which some schedules have times, calls by their algorithm."""
    chip, libraries = arch.by_name("sm_90a"), ("cudnn",)
    flow = Dataflow(find_main(parse_module(TEXT, registry.new_context())).body.block)
    cluster = Cluster(flow, tuple(flow.ops))
    plan = Planner(chip, Tuned(), libraries).whole(cluster)
    assert isinstance(plan, Plan)
    ours = next(each for each in plan.candidates if not each.schedule.library)
    calls = {x.schedule.algorithm: x for x in plan.candidates if x.schedule.library}
    known = {ours.text: ours_us} | {calls[n].text: us for n, us in enumerate(calls_us)}
    times = {text: Measurement("", 9, 1e-6 * us, 0.0, "", "") for text, us in known.items() if us}
    planner = Planner(chip, Recorded("test", {plan.key: times}), libraries)
    return ways_of(Kernels((cluster,)), planner)


def test_what_a_library_chooses_is_told_from_what_is_fastest() -> None:
    found = ways(2.0, [5.0, 3.0])
    assert (found.ours, found.best, found.advised) == pytest.approx((2e-6, 3e-6, 5e-6))
    assert found.algorithms == {"cudnn": pytest.approx([5e-6, 3e-6])}
    assert (found.callers, found.is_best_measured) == (("cudnn",), True)


def test_of_a_first_algorithm_without_a_time_nothing_is_said() -> None:
    found = ways(2.0, [None, 3.0])
    assert (found.best, found.advised) == pytest.approx((3e-6, 3e-6))
    assert not found.algorithms, "places are the numbers of algorithms"


def test_a_measured_kernel_has_an_estimate_still() -> None:
    assert ways(2.0, []).estimate == ways(None, []).estimate == ways(None, []).ours


def test_a_call_without_times_counts_as_no_slower_than_our_kernel() -> None:
    found = ways(0.1, [])
    assert (found.best, found.advised) == pytest.approx((1e-7, 1e-7))
    assert (found.callers, found.is_best_measured) == ((), True)
    assert not found.algorithms


LSTM = """m (float[200, 1, 64] x) => (float[200, 1, 1, 64] y)
{ y = LSTM<hidden_size = 64>(x, w, r) }"""


def lstm_us() -> tuple[float, float]:
    """Return the time of an LSTM, and the estimate."""
    (layer,) = analysis(LSTM, {"w": (1, 256, 64), "r": (1, 256, 64)})["layers"]
    return layer["time_us"], layer["estimate_us"]


def test_a_loop_takes_the_less_of_one_kernel_and_of_its_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def changed(**times: float) -> tuple[float, float]:
        def plan(loop: StepLoopOp, planner: Planner) -> Plan:
            found = plan_whole(loop, planner)
            assert isinstance(found, Plan)
            return replace(found, candidates=(replace(found.best, **times),))

        monkeypatch.setattr("dlc.analyze.ways.plan_whole", plan)
        return lstm_us()

    together_us, estimate_us = lstm_us()
    apart_us, _ = changed(estimate_s=1.0)
    assert together_us == estimate_us < apart_us < 1e6
    assert changed(measured_s=1.0) == (apart_us, apart_us)
    measured_us, still_us = changed(measured_s=1e-9)
    assert measured_us < together_us
    assert still_us == estimate_us


def test_what_libraries_advise_is_the_least_of_both_ways_to_call_them() -> None:
    own = Ways(9.0, 5.0, 6.0, {"cudnn": 5.0}, {"cudnn": [6.0, 5.0]}, ("cudnn",))
    faster = Ways(8.0, 4.0, 10.0, {"cudnn": 4.0, "other": 7.0}, {}, ("cudnn",))
    found = own.or_calls_of(faster, is_apart=True)
    assert (found.ours, found.best, found.advised) == (9.0, 4.0, 6.0)
    assert found.by_library == {"cudnn": 4.0, "other": 7.0}
    assert found.algorithms == {"cudnn": [6.0, 5.0]}, "none are known of several calls"
    assert found.is_apart


def test_slower_calls_may_still_be_advised_better() -> None:
    own = Ways(9.0, 5.0, 8.0, {"cudnn": 5.0}, {}, ("cudnn",))
    slower = Ways(9.0, 6.0, 6.0, {"cudnn": 6.0}, {}, ("cudnn",))
    found = own.or_calls_of(slower, is_apart=True)
    assert (found.best, found.advised, found.is_apart) == (5.0, 6.0, False)
    assert own.or_calls_of(Ways(best=1.0)) == own, "ours are no calls"
