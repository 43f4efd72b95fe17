"""The upper bound: values by hand, and that more work or less chip never makes it faster."""

from dataclasses import replace

import pytest

from dlc.arch.cpus import AVX2, AVX512
from dlc.arch.nvidia import H200
from dlc.model.occupancy import BlockResources
from dlc.model.upper_bound import (
    KernelWork,
    bandwidth_ratio,
    cpu_bound,
    gpu_bound,
    wave_efficiency,
)

FLOOR_S = H200.launch_floor_us * 1e-6

WORK = KernelWork(
    unit="mma.f16",
    flops=1e9,
    issued_flops=1e9,
    global_bytes=1e6,
    l2_bytes=4e6,
    shared_bytes=8e6,
    blocks=132,
    block=BlockResources(128, 128, 64 << 10),
)


def test_global_ratio_is_intensity_over_ridge() -> None:
    # 100 operations per byte on a chip whose ridge is at 1000 / 5 = 200
    assert bandwidth_ratio(1e6, 1e4, 1000e12, 5e12) == pytest.approx(0.5)
    assert bandwidth_ratio(1e6, 1e2, 1000e12, 5e12) == 1.0
    assert bandwidth_ratio(0.0, 1e2, 1000e12, 5e12) == 0.0


@pytest.mark.parametrize(
    ("blocks", "slots", "expected"),
    [(132, 132, 1.0), (133, 132, 133 / 264), (66, 132, 0.5), (264, 132, 1.0)],
)
def test_wave_efficiency(blocks: int, slots: int, expected: float) -> None:
    assert wave_efficiency(blocks, slots) == pytest.approx(expected)


def test_bound_of_arithmetic() -> None:
    peak = 2731 * 132 * 1.98e9
    bound = gpu_bound(replace(WORK, global_bytes=0, l2_bytes=0, shared_bytes=0), H200)
    assert bound.time_s == pytest.approx(FLOOR_S + 1e9 / peak)


def test_bound_of_memory_leaves_out_what_the_cache_may_hold() -> None:
    big = replace(WORK, flops=0, issued_flops=0, l2_bytes=0, shared_bytes=0)
    big = replace(big, global_bytes=480e6 + (50 << 20))
    assert gpu_bound(big, H200).time_s == pytest.approx(FLOOR_S + 100e-6)
    small = replace(big, global_bytes=8448 * 1.98e3)
    assert gpu_bound(small, H200).time_s == pytest.approx(FLOOR_S + 1e-6)


def test_one_block_uses_one_sm() -> None:
    arithmetic = replace(WORK, global_bytes=0, l2_bytes=0, shared_bytes=0)
    all_sms, one = (gpu_bound(replace(arithmetic, blocks=b), H200) for b in (132, 1))
    assert one.time_s - FLOOR_S == pytest.approx(132 * (all_sms.time_s - FLOOR_S))


def test_block_that_does_not_fit_has_no_time() -> None:
    bound = gpu_bound(replace(WORK, block=BlockResources(128, 128, 1 << 20)), H200)
    assert bound.limits == 0
    assert bound.time_s == float("inf")


@pytest.mark.parametrize("field", ["issued_flops", "global_bytes", "l2_bytes", "shared_bytes"])
def test_more_work_is_never_faster(field: str) -> None:
    times = [gpu_bound(replace(WORK, **{field: 10.0**e}), H200).time_s for e in range(3, 13)]
    assert times == sorted(times)
    assert times[-1] > times[0]


@pytest.mark.parametrize("field", ["clock_hz", "sm_count", "l2_bytes_per_clock"])
def test_more_chip_is_never_slower(field: str) -> None:
    faster = replace(H200, **{field: 2 * getattr(H200, field)})
    # one full wave on either chip, so that the tail does not hide the effect
    work = replace(WORK, blocks=132 * 264)
    assert gpu_bound(work, faster).time_s <= gpu_bound(work, H200).time_s


def test_cpu_bound() -> None:
    peak = 16 * 2 * 8 * 2 * 4.9e9
    assert cpu_bound(1e9, 1e3, 4, 16, AVX2).time_s == pytest.approx(1e9 / peak)
    assert cpu_bound(1e9, 1e3, 4, 1, AVX2).time_s == pytest.approx(16e9 / peak)
    beyond = 512e6 - AVX2.l3_bytes
    assert cpu_bound(1.0, 512e6, 4, 16, AVX2).time_s == pytest.approx(beyond / 51.2e9)


def test_bound_of_what_lies_in_a_cpu_cache() -> None:
    # The mean over 7 x 7 x 1280 takes 2.5 us on one core: its 0.26 MB come from the second level.
    bytes = 4 * (7 * 7 * 1280 + 1280)
    found = cpu_bound(2.0 * 7 * 7 * 1280, bytes, 4, 1, AVX512)
    assert found.time_s < 1.5e-6
    assert cpu_bound(0.0, AVX512.l1_bytes, 4, 1, AVX512).time_s == pytest.approx(
        AVX512.l1_bytes / (3 * 64 * 3.8e9)
    )
    times = [cpu_bound(0.0, 10.0**e, 4, 1, AVX512).time_s for e in range(2, 10)]
    assert times == sorted(times)
