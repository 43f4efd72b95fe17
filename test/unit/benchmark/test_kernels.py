"""The table of kernels: sums over launches, and what a bound is of."""

import pytest

from dlc import arch
from dlc.arch import GpuArch
from dlc.benchmark.kernels import kernel_rows, limit_of
from dlc.runtime.profile import Profile
from dlc.runtime.timing import Times

VARIANT = {
    "target": "sm_90a",
    "kernels": [
        {
            "name": "g0",
            "nodes": ["a", "b"],
            "bound": {"time_us": 4.0, "global": 0.5, "shared": 1.0, "waves": 1.0},
            "work": {"flops": 100, "bytes": 7},
        },
        {"name": "g1", "nodes": [], "bound": {}, "work": {}},
    ],
}
STEPS = [
    {"kernel": "g0", "group": "g0"},
    {"kernel": "g1", "group": "g1"},
    {"kernel": "g0", "group": "g2"},
    {"output": "y"},
]


def test_a_row_is_of_all_launches_of_a_kernel_and_the_longest_is_first() -> None:
    found = Profile([5e-6, 20e-6, 11e-6, 1e-6], Times((40e-6,)), Times((40e-6,)), 0.0)
    rows = kernel_rows(VARIANT, STEPS, found)
    assert [row.kernel for row in rows] == ["g1", "g0", "copy"]
    first = rows[1]
    assert (first.launches, first.nodes) == (2, ["a", "b"])
    assert first.us == pytest.approx(16)
    assert (first.bound_us, first.flops, first.bytes) == (8.0, 200, 14)
    assert first.share == pytest.approx(0.5)
    assert first.limit == "memory"
    unknown = rows[0]
    assert (unknown.bound_us, unknown.share, unknown.limit, unknown.flops) == (None,) * 4
    assert rows[2].nodes == ["y"]
    assert sum(row.us for row in rows) == pytest.approx(37)


def test_kernels_of_one_group_are_a_row_whose_bound_is_that_of_the_group() -> None:
    bound = {"time_us": 4.0, "global": 0.5, "shared": 1.0, "waves": 1.0}
    whole = {"nodes": ["mean"], "bound": bound, "work": {"flops": 10, "bytes": 8}}
    variant = {
        "target": "sm_90a",
        "kernels": [{"name": "g0_1", **whole}, {"name": "g0_2", **whole}],
    }
    steps = [{"kernel": f"g0_{n}", "group": group} for group in ("g0", "g1") for n in (1, 2)]
    found = Profile([9e-6, 1e-6, 8e-6, 2e-6], Times((20e-6,)), Times((20e-6,)), 0.0)
    (row,) = kernel_rows(variant, steps, found)
    assert (row.kernel, row.launches, row.nodes) == ("g0_1 + g0_2", 4, ["mean"])
    assert row.us == pytest.approx(20)
    assert (row.bound_us, row.flops, row.bytes) == (8.0, 20, 16)


@pytest.mark.parametrize(
    ("target", "time_us", "ratios", "limit"),
    [
        ("sm_90a", 50.0, (1.0, 1.0, 1.0), "arithmetic"),
        ("sm_90a", 50.0, (0.4, 0.6, 1.0), "memory"),
        ("sm_90a", 50.0, (0.7, 0.6, 1.0), "shared memory"),
        ("sm_90a", 50.0, (0.4, 1.0, 0.3), "memory, few SMs"),
        ("cpu-avx2", 0.5, (1.0, 1.0, 0.25), "arithmetic, few cores"),
    ],
)
def test_limits(target: str, time_us: float, ratios: tuple[float, ...], limit: str) -> None:
    names = ("global", "shared", "waves")
    bound = {"time_us": time_us, **dict(zip(names, ratios, strict=True))}
    assert limit_of(bound, target) == limit


def test_a_kernel_that_does_next_to_nothing_is_limited_by_its_launch() -> None:
    chip = arch.by_name("sm_90a")
    assert isinstance(chip, GpuArch)
    bound = {"time_us": 1.5 * chip.launch_floor_us, "global": 0.1, "shared": 1.0, "waves": 0.1}
    assert limit_of(bound, "sm_90a") == "launch"
