"""The model's estimates and bounds against measured times of an H200."""

import numpy as np
import pytest
from measured_groups import measured_groups
from rating import Verdict, choice, geometric_mean, judge, samples

from dlc.arch.nvidia import H200
from dlc.model.upper_bound import gpu_bound
from dlc.strategies.contract.tiling import Tiling

SAMPLES = samples(H200)
GROUPS = [*measured_groups()]
VERDICTS = {sample.name: judge(sample, H200) for sample in SAMPLES}

_STORES_ONLY = {"matmul_768_128_128_64_1_f16": 0.8, "conv_64_56_56_64_256_1_1_1_f16": 0.73}
"""One or two steps and then stores: times of most schedules lie within 30 %, and what tells them
apart (how stores of neighbouring blocks meet in the L2) is not modelled."""

_SMALL_SAMPLES = {"f16": 0.9, "f32": 0.84, "tf32": 0.84}
"""Of f32 and tf32 22 schedules of a case were measured, of f16 126 to 150."""

_FARTHEST = {"f16": 1.25, "f32": 1.25, "tf32": 1.3}


@pytest.mark.parametrize(("element", "cases"), [("f16", 18), ("f32", 13), ("tf32", 13)])
def test_the_first_choice_is_near_the_best_measured_one(element: str, cases: int) -> None:
    choices = [v.choice for name, v in VERDICTS.items() if name.endswith(f"_{element}")]
    assert len(choices) == cases
    assert geometric_mean(choices) <= 1.08
    assert max(choices) <= _FARTHEST[element]


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=lambda v: v.name)
def test_estimates_order_schedules_as_their_times(verdict: Verdict) -> None:
    least = _SMALL_SAMPLES[verdict.name.rsplit("_", 1)[1]]
    assert verdict.rank >= _STORES_ONLY.get(verdict.name, least)


def test_estimates_are_times() -> None:
    ratios = np.concatenate([verdict.ratios for verdict in VERDICTS.values()])
    middle, high = np.quantile(ratios, (0.5, 0.95))
    assert 0.9 <= middle <= 1.15
    assert high <= 1.8


def test_no_measurement_beats_its_bound() -> None:
    beaten = [
        (sample.name, schedule)
        for sample in SAMPLES
        for schedule, us in zip(sample.schedules, sample.us, strict=True)
        if gpu_bound(Tiling.of(sample.work, schedule, H200).kernel_work(), H200).time_s * 1e6 > us
    ]
    assert beaten == []


@pytest.mark.parametrize("in_model", [True, False], ids=["in models", "alone"])
@pytest.mark.parametrize("strategy", ["contract", "map", "row"])
def test_estimates_of_groups_are_times(strategy: str, in_model: bool) -> None:
    some = [g for g in GROUPS if (g.strategy, g.in_model) == (strategy, in_model)]
    if strategy == "contract" and not in_model:
        assert some == []  # those are the samples above
        return
    middle, high = np.quantile(
        np.concatenate([g.us / g.estimates_us(H200) for g in some]), (0.5, 0.95)
    )
    assert 0.9 <= middle <= 1.15
    assert high <= 1.8


def test_the_first_choice_of_a_streaming_group_is_near_the_best_measured_one() -> None:
    choices = [choice(g, H200) for g in GROUPS if not g.in_model]
    assert len(choices) >= 60
    assert geometric_mean(choices) <= 1.04
    assert max(choices) <= 1.25


def test_no_measured_group_beats_its_bound() -> None:
    beaten = [
        (group.name, schedule)
        for group in GROUPS
        for schedule, us, bound_us in zip(
            group.schedules, group.us, group.bounds_us(H200), strict=True
        )
        if us < bound_us
    ]
    assert beaten == []
