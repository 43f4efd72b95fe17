"""The hardware rows: consistent with themselves and with the peaks that the makers state."""

import platform
from dataclasses import replace
from pathlib import Path

import pytest

from dlc.arch import (
    CPUS,
    GPUS,
    X86,
    CpuArch,
    GpuArch,
    by_name,
    cpu_by_name,
    gpu_by_name,
    host,
    names,
)
from dlc.arch.host import host_from
from dlc.errors import CompileError


@pytest.mark.parametrize("row", GPUS, ids=lambda row: row.name)
def test_gpu_limits_are_consistent(row: GpuArch) -> None:
    assert row.shared_bytes_per_block + row.shared_reserved_bytes_per_block <= (
        row.shared_bytes_per_sm
    )
    assert row.max_threads_per_sm % row.warp_threads == 0
    assert row.max_threads_per_block <= row.max_threads_per_sm
    assert row.launch_floor_us <= row.launch_us
    assert row.dram_bytes_per_s < row.l2_bytes_per_s < row.shared_bytes_per_s * 2
    assert row.l2_latency_s < row.dram_latency_s


@pytest.mark.parametrize("row", GPUS, ids=lambda row: row.name)
def test_every_mma_capability_has_a_rate(row: GpuArch) -> None:
    elements = {c.rsplit(".", 1)[1] for c in row.capabilities if c.startswith("mma.sync.")}
    assert elements == {u.split(".")[1] for u in row.flops_per_clock_per_sm if u[:4] == "mma."}
    assert ("wgmma" in row.capabilities) == any(
        u.startswith("wgmma.") for u in row.flops_per_clock_per_sm
    )


@pytest.mark.parametrize(
    ("name", "unit", "stated_tflops"),
    [
        ("v100", "mma.f16", 125),
        ("rtx2080", "fma.f32", 10.6),
        ("a100", "mma.f16", 312),
        ("a100", "mma.tf32", 156),
        ("rtx3090", "fma.f32", 35.6),
        ("rtx4090", "mma.f16", 165.2),
        ("h200", "fma.f32", 66.9),
    ],
)
def test_peak_is_the_stated_one(name: str, unit: str, stated_tflops: float) -> None:
    row = by_name(name)
    assert isinstance(row, GpuArch)
    assert row.flops_per_s(unit) == pytest.approx(stated_tflops * 1e12, rel=0.005)


@pytest.mark.parametrize("row", CPUS, ids=lambda row: row.name)
def test_cpu_memory_levels_grow(row: CpuArch) -> None:
    assert row.l1_bytes < row.l2_bytes < row.l3_bytes
    assert row.l2_bytes_per_s >= row.l3_bytes_per_s > row.dram_bytes_per_s


def test_cpu_peak_counts_lanes_units_and_cores() -> None:
    row = by_name("cpu-avx2")
    assert isinstance(row, CpuArch)
    assert row.flops_per_s() == 2 * 8 * 2 * 4.9e9 * 16
    assert row.flops_per_s(element_bytes=8) == row.flops_per_s() / 2


def test_a_target_means_its_usual_chip() -> None:
    assert by_name("sm_90a") is by_name("H200")
    assert by_name("sm_80").name == "a100"


def test_a_capability_is_read_of_the_target() -> None:
    assert gpu_by_name("sm_90a").compute_capability == (9, 0, True)
    assert gpu_by_name("rtx3090").compute_capability == (8, 6, False)
    future = replace(gpu_by_name("sm_80"), target="sm_120")
    assert future.compute_capability == (12, 0, False)


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(CompileError, match=r"'sm_12'; known: .*a100.*sm_90a"):
        by_name("sm_12")


def test_every_listed_name_resolves() -> None:
    assert all(by_name(name) for name in names())


def test_missing_unit_is_named() -> None:
    row = by_name("v100")
    assert isinstance(row, GpuArch)
    with pytest.raises(CompileError, match=r"v100 has no unit mma\.bf16"):
        row.flops_per_s("mma.bf16")


def test_host_is_cached_and_named_cpu() -> None:
    assert host() is by_name("cpu")
    assert host().name == "cpu"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_host_counts_cores_not_threads_and_reads_caches(tmp_path: Path) -> None:
    _write(tmp_path / "cpuinfo", "processor : 0\nflags\t\t: fpu sse2 avx avx2 fma bmi2\n")
    for cpu, siblings in enumerate(["0,2", "1,3", "0,2", "1,3"]):
        _write(tmp_path / f"cpu{cpu}/topology/thread_siblings_list", siblings)
    for index, (level, kind, size) in enumerate(
        [(1, "Data", "32K"), (1, "Instruction", "64K"), (2, "Unified", "1M")]
    ):
        folder = tmp_path / f"cpu0/cache/index{index}"
        for name, text in (("level", str(level)), ("type", kind), ("size", size)):
            _write(folder / name, text)
    row = host_from(tmp_path / "cpuinfo", tmp_path, [0, 1, 2, 3])
    assert (row.cores, row.vector_bytes, row.l1_bytes, row.l2_bytes) == (2, 32, 32 << 10, 1 << 20)


def test_host_is_scheduled_as_it_is_compiled_for(tmp_path: Path) -> None:
    """A processor with some of AVX-512 gets the schedules and the instructions of AVX2."""
    _write(tmp_path / "cpuinfo", "flags : avx2 fma bmi2 avx512f\n")
    row, avx2 = host_from(tmp_path / "cpuinfo", tmp_path, [0]), cpu_by_name("cpu-avx2")
    assert row.vector_bytes == avx2.vector_bytes
    if platform.machine() == X86:
        assert (row.capabilities, row.compiler_flags) == (avx2.capabilities, avx2.compiler_flags)


def test_a_region_of_few_threads_starts_sooner(tmp_path: Path) -> None:
    _write(tmp_path / "cpuinfo", "flags : avx2 fma bmi2\n")
    rows = [host_from(tmp_path / "cpuinfo", tmp_path, list(range(n))) for n in (1, 2, 9, 16)]
    pair_us = rows[0].costs.pair_us
    assert [row.parallel_region_us for row in rows] == pytest.approx(
        [pair_us, pair_us, (pair_us + cpu_by_name("cpu-avx2").parallel_region_us) / 2, 3.0]
    )


def test_a_gpu_is_no_cpu() -> None:
    with pytest.raises(CompileError, match="a100 is no CPU; known: cpu, cpu-avx512"):
        cpu_by_name("sm_80")


def test_host_without_files_is_the_baseline(tmp_path: Path) -> None:
    row = host_from(tmp_path / "none", tmp_path, [0])
    assert (row.vector_bytes, row.cores) == (16, 1)


@pytest.mark.parametrize("row", GPUS, ids=lambda row: row.name)
def test_a_part_of_a_chip_takes_in_what_its_sms_do(row: GpuArch) -> None:
    assert row.part(row.sm_count, row.max_blocks_per_sm).flops_per_s("fma.f32") == (
        row.flops_per_s("fma.f32")
    )
    one = row.part(1)
    assert (one.sm_count, one.max_blocks_per_sm) == (1, 1)
    assert one.l2_bytes_per_clock == row.l2_bytes_per_clock_into_sm < row.l2_bytes_per_clock
    assert one.dram_bytes_per_s <= row.l2_bytes_per_clock_into_sm * row.clock_hz
    assert one.flops_per_s("fma.f32") == pytest.approx(row.flops_per_s("fma.f32") / row.sm_count)
