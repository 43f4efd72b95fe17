"""The model's estimates and bounds against measured times of an H200."""

from itertools import product

import numpy as np
import pytest
from measured_groups import MeasuredGroup, measured_groups
from rating import Sample, Verdict, choice, geometric_mean, judge, rank, samples

from dlc.arch.nvidia import H200
from dlc.model.upper_bound import gpu_bound
from dlc.strategies.contract.tiling import Tiling

_LEAST_RANKS = {
    "f16": 0.88,  # 126 to 150 schedules of a case, a random draw of the space
    "f16 again": 0.85,  # 24 to 41, many of them among the best, whose times lie close together
    "tf32 again": 0.88,
    "f32 again": 0.81,  # of kernels with three times as many instructions for a load as today
    "f16 by warpgroups": 0.79,  # 13 to 41, of mma.sync too
    "bf16 by warpgroups": 0.87,
    "f16 by teams": 0.62,  # 47, with producers, blocks that walk and turns: most within 20 %
    "f16 by warpgroups again": 0.66,
    "tf32 by boxes": 0.8,
    "f32 by lanes": 0.45,  # of large products most lie within 15 %
}
_LESS = {
    "matmul_768_128_128_64_1_f16": 0.8,
    "conv_64_56_56_64_256_1_1_1_f16": 0.73,
    "matmul_1_128_3072_768_1_f32 again": 0.6,
    "conv_16_28_28_512_128_1_1_1_f32 again": 0.7,
    "conv_64_14_14_256_256_3_1_1_f16 by warpgroups": 0.55,
    "conv_64_28_28_512_128_1_1_1_f16 by warpgroups again": 0.55,
    "conv_64_224_224_4_64_7_2_1_f16 by warpgroups again": 0.59,
    "matmul_1_2048_2048_2048_1_tf32 by boxes": 0.5,
}
"""Two have one or two steps and then stores: times of most schedules lie within 30 %, and what
tells them apart (how stores of neighbouring blocks meet in the L2) is not modelled. Kernels of the
one of 128 rows in f32 stored partial sums 4 bytes a lane; they store 16 today. Of the others
the best ten lie within 10 %, and partial sums of large tiles take longer than estimated. Of the
one of first layers three quarters lie within 30 % of each other. The last one was measured on
buffers that change: few slots wait for the memory there; by its size the L2 would hold it."""


@pytest.fixture(scope="module")
def cases() -> list[Sample]:
    """Return the schedules of contractions that were measured."""
    return samples()


@pytest.fixture(scope="module")
def verdicts(cases: list[Sample]) -> list[Verdict]:
    """Return how the model does on each of them."""
    return [judge(case, H200) for case in cases]


@pytest.fixture(scope="module")
def groups() -> list[MeasuredGroup]:
    """Return the groups that were measured whole."""
    return [*measured_groups()]


def _kind(name: str) -> str:
    return name.rsplit("_", 1)[1]


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        ("f16", 18),
        ("f16 again", 18),
        ("f32 again", 13),
        ("tf32 again", 13),
        ("f16 by warpgroups", 8),
        ("bf16 by warpgroups", 1),
        ("f16 by teams", 6),
        ("f16 by warpgroups again", 19),
        ("tf32 by boxes", 10),
        ("f32 by lanes", 11),
    ],
)
def test_the_first_choice_is_near_the_best_measured_one(
    verdicts: list[Verdict], kind: str, count: int
) -> None:
    choices = [v.choice for v in verdicts if _kind(v.name) == kind]
    assert len(choices) == count
    assert geometric_mean(choices) <= 1.08
    assert max(choices) <= 1.25


def test_estimates_order_schedules_as_their_times(verdicts: list[Verdict]) -> None:
    assert len({v.name for v in verdicts}) == len(verdicts)
    assert [v for v in verdicts if v.rank < _LESS.get(v.name, _LEAST_RANKS[_kind(v.name)])] == []


def test_estimates_are_times(verdicts: list[Verdict]) -> None:
    ratios = np.concatenate([verdict.ratios for verdict in verdicts])
    middle, high = np.quantile(ratios, (0.5, 0.95))
    assert 0.9 <= middle <= 1.15
    assert high <= 1.8


def test_no_measurement_beats_its_bound(cases: list[Sample]) -> None:
    beaten = [
        (sample.name, schedule)
        for sample in cases
        for schedule, us in zip(sample.schedules, sample.us, strict=True)
        if gpu_bound(Tiling.of(sample.work, schedule, H200).kernel_work(), H200).time_s * 1e6 > us
    ]
    assert beaten == []


@pytest.mark.parametrize(
    ("strategy", "in_model"),
    [*product(("contract", "map", "row"), (True, False)), ("attention", False)],
)
def test_estimates_of_groups_are_times(
    groups: list[MeasuredGroup], strategy: str, in_model: bool
) -> None:
    some = [g for g in groups if (g.strategy, g.in_model) == (strategy, in_model)]
    middle, high = np.quantile(
        np.concatenate([g.us / g.estimates_us(H200) for g in some]), (0.5, 0.95)
    )
    assert 0.9 <= middle <= 1.15
    assert high <= 1.8


def test_the_first_choice_of_a_streaming_group_is_near_the_best_measured_one(
    groups: list[MeasuredGroup],
) -> None:
    some = [g for g in groups if not g.in_model and g.strategy in ("map", "row")]
    choices = [choice(g, H200) for g in some]
    assert len(choices) >= 60
    assert geometric_mean(choices) <= 1.04
    assert max(choices) <= 1.25


def test_the_first_choice_of_a_convolution_is_near_the_best_measured_one(
    groups: list[MeasuredGroup],
) -> None:
    choices = [choice(g, H200) for g in groups if not g.in_model and g.strategy == "contract"]
    assert len(choices) >= 50
    assert geometric_mean(choices) <= 1.04
    assert max(choices) <= 1.5


def test_the_first_choice_of_a_product_of_few_rows_is_near_the_best_measured_one(
    groups: list[MeasuredGroup],
) -> None:
    some = [g for g in groups if g.name.endswith((", few rows", " in fp32"))]
    choices = {g.name: choice(g, H200) for g in some}
    assert len(choices) == 8
    assert max(choices.values()) <= 1.08, choices


def test_the_first_choice_of_attention_is_near_the_best_measured_one(
    groups: list[MeasuredGroup],
) -> None:
    choices = [choice(g, H200) for g in groups if g.strategy == "attention"]
    assert len(choices) == 61
    assert geometric_mean(choices) <= 1.02
    assert max(choices) <= 1.1


def test_estimates_order_schedules_of_attention_as_their_times(groups: list[MeasuredGroup]) -> None:
    """Least where a kernel takes 2 to 7 us, and most schedules lie within a tenth of that."""
    ranks = [rank(g, H200) for g in groups if "attention of " in g.name]
    assert len(ranks) == 49
    low, middle = np.quantile(ranks, (0.1, 0.5))
    assert middle >= 0.78
    assert low >= 0.45


def test_estimates_of_attention_whose_blocks_have_parts_of_the_keys_are_times(
    groups: list[MeasuredGroup],
) -> None:
    some = [g for g in groups if g.name.startswith("decoding ")]
    off = np.concatenate([np.log(g.us / g.estimates_us(H200)) for g in some])
    assert len(off) == 126
    assert np.sqrt(np.mean(np.square(off))) <= 0.08
    assert abs(np.median(off)) <= 0.03


def test_clusters_that_find_no_room_are_rated_as_a_round_of_their_own(
    groups: list[MeasuredGroup],
) -> None:
    """In clusters of 8 a chip has 120 SMs: 256 blocks, two of which fit, leave 16."""
    (group,) = (g for g in groups if g.name == "decoding of 1 x 32, 4096 keys of 128")
    us, rated = {}, {}
    for n, each in enumerate(group.schedules):
        keys = {key: getattr(each, key) for key in ("exchange", "split", "step", "teams", "stages")}
        if keys["exchange"] and (keys["split"], keys["step"], keys["teams"]) == (8, 64, 4):
            us[keys["stages"]], rated[keys["stages"]] = group.us[n], group.estimates_us(H200)[n]
    assert us[3] / us[2] == pytest.approx(1.2, abs=0.01)
    assert rated[3] / rated[2] == pytest.approx(us[3] / us[2], rel=0.05)


def test_arithmetic_beside_a_product_is_rated_as_it_was_measured(
    groups: list[MeasuredGroup],
) -> None:
    """By teams that take turns, behind it and before it, it takes 2 to 4 times what its
    instructions alone would.
    """
    products = [g for g in groups if g.name.startswith("product ")]
    off = {g.name: geometric_mean(list(g.us / g.estimates_us(H200))) for g in products}
    behind = {name: off[name] / off.get(name.split(",")[0], 1) for name in off if "GELU" in name}
    assert len(behind) == 6
    assert all(0.9 <= each <= 1.2 for each in behind.values()), behind


def test_no_measured_group_beats_its_bound(groups: list[MeasuredGroup]) -> None:
    beaten = [
        (group.name, schedule)
        for group in groups
        for schedule, us, bound_us in zip(
            group.schedules, group.us, group.bounds_us(H200), strict=True
        )
        if us < bound_us
    ]
    assert beaten == []
