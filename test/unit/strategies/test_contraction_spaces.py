"""The schedules of contractions, and what is chosen of them."""

from dataclasses import replace
from typing import Any

import pytest
from products import estimates, product

from dlc.arch import GPUS, CpuArch, GpuArch
from dlc.arch.cpus import AVX2, AVX512, CPUS
from dlc.arch.nvidia import A100, H200, RTX_2080
from dlc.errors import CompileError
from dlc.model.contraction import Contraction
from dlc.plan.ranking import ranked
from dlc.strategies.contract import cpu as contract_cpu
from dlc.strategies.contract import gpu as contract_gpu
from dlc.strategies.contract.schedule import ContractOnGpu
from dlc.strategies.contract.tiling import instructions_for


def _choose(work: Contraction, arch: GpuArch = H200) -> ContractOnGpu:
    schedule = ranked(contract_gpu.IMPLEMENTATION, work, arch)[0].schedule
    assert isinstance(schedule, ContractOnGpu)
    return schedule


@pytest.mark.parametrize("sizes", [(33, 1000, 2048), (128, 768, 768), (4099, 4093, 4091)])
def test_space_does_not_depend_on_sizes(sizes: tuple[int, int, int]) -> None:
    def tiles(sizes: tuple[int, int, int]) -> set[tuple[str, tuple[int, ...], tuple[int, ...]]]:
        found = contract_gpu.candidates(product(*sizes), H200)
        return {(s.instruction, s.tile, s.warps) for s in found}

    assert len(tiles(sizes)) == 20 + 11
    assert tiles(sizes) == tiles((64, 64, 4096))


def test_parts_of_a_sum_leave_registers_for_another_part() -> None:
    schedules = contract_gpu.candidates(product(64, 256, 8192), H200)
    split = [s for s in schedules if s.reads_shared and s.split > 1]
    assert {s.tile[0] * s.tile[1] // s.threads for s in split} == {32, 64, 96}


def test_warpgroups_are_for_products_that_fill_half_a_tile() -> None:
    def has_warpgroups(work: Contraction, arch: GpuArch = H200) -> bool:
        return any(s.reads_shared for s in contract_gpu.candidates(work, arch))

    assert has_warpgroups(product(33, 33, 64))
    assert not has_warpgroups(product(32, 4096, 64))
    assert not has_warpgroups(product(4096, 32, 64))
    assert not has_warpgroups(product(64, 64, 64), A100)


@pytest.mark.parametrize(("element", "bytes", "compute"), [("f16", 2, "f32"), ("i8", 1, "i32")])
def test_only_16_bits_are_taken_either_way_round(element: str, bytes: int, compute: str) -> None:
    work = replace(product(64, 64, 64), element=element, factor_bytes=bytes, compute=compute)
    assert any(s.reads_shared for s in contract_gpu.candidates(work, H200))
    for turned in (replace(work, rhs_along_k=False), replace(work, lhs_along_k=False)):
        found = any(s.reads_shared for s in contract_gpu.candidates(turned, H200))
        assert found == (bytes == 2)


@pytest.mark.parametrize("arch", GPUS, ids=lambda a: a.name)
@pytest.mark.parametrize("sizes", [(1, 1000, 2048), (3136, 64, 576), (8192, 8192, 8192)])
def test_what_is_chosen_fits_the_chip(arch: GpuArch, sizes: tuple[int, int, int]) -> None:
    for element in ("f16", "f32"):
        for chosen in ranked(contract_gpu.IMPLEMENTATION, product(*sizes, element=element), arch):
            assert chosen.bound.violation is None
            assert chosen.estimate_s >= chosen.bound.time_s - arch.launch_floor_us * 1e-6
            assert chosen.ask().latency_s() == pytest.approx(chosen.estimate_s)


def test_small_products_take_small_tiles_and_large_ones_large_tiles() -> None:
    small, large = _choose(product(49, 512, 4608)), _choose(product(8192, 8192, 8192))
    assert small.split != 1
    assert large.split == 1
    assert large.tile == (128, 256, 64)
    assert large.reads_shared


def test_no_asynchronous_copies_no_third_stage() -> None:
    stages = {s.stages for s in contract_gpu.candidates(product(128, 128, 128), RTX_2080)}
    assert stages == {1, 2}


@pytest.mark.parametrize(
    ("element", "arch", "instruction"),
    [
        ("f16", H200, "wgmma.m64n256k16"),
        ("f16", A100, "mma.m16n8k16"),
        ("tf32", H200, "wgmma.m64n256k8"),
        ("tf32", A100, "mma.m16n8k8"),
        ("f32", A100, "fma"),
        ("f16", RTX_2080, "fma"),
    ],
)
def test_instruction(element: str, arch: GpuArch, instruction: str) -> None:
    assert instructions_for(product(64, 64, 64, element), arch)[0].name == instruction


def test_wrong_instruction_is_an_error() -> None:
    schedule = ContractOnGpu((64, 64, 16), (2, 2), "mma.m16n8k16")
    with pytest.raises(CompileError, match="does not multiply f32 on sm_90a; use 'fma'"):
        contract_gpu.rate(product(64, 64, 64, "f32"), schedule, H200)


def test_instructions_that_differ_in_their_columns_are_named_once() -> None:
    schedule = ContractOnGpu((64, 64, 64), (4, 1), "wgmma.m64n64k16")
    with pytest.raises(CompileError, match=r"use 'mma\.m16n8k16' or .* or 'fma\.1x32'$"):
        contract_gpu.rate(product(64, 64, 64), schedule, A100)
    with pytest.raises(CompileError, match=r"use 'wgmma\.m64nNk16' or 'mma\.m16n8k16' or"):
        contract_gpu.rate(product(64, 64, 64), replace(schedule, instruction="mma.m16n8k32"), H200)


def test_tile_that_warps_do_not_divide_is_an_error() -> None:
    schedule = ContractOnGpu((64, 64, 16), (3, 2), "fma")
    with pytest.raises(CompileError, match="tile 64 x 64 does not divide into 3 x 2 warps"):
        schedule.check()


@pytest.mark.parametrize(
    ("instruction", "interleave", "beside"),
    [("mma.m16n8k16", 3, 4), ("mma.m16n8k16", 8, 4), ("fma", 3, 8), ("fma.1x32", 2, 1)],
)
def test_instructions_that_are_not_beside_each_other_do_not_interleave(
    instruction: str, interleave: int, beside: int
) -> None:
    schedule = ContractOnGpu((64, 64, 16), (2, 2), instruction, interleave=interleave)
    with pytest.raises(CompileError, match=f"does not divide the {beside} panels"):
        schedule.check()


@pytest.mark.parametrize("split", [3, 16])
def test_parts_of_a_sum_meet_in_clusters_that_there_are(split: int) -> None:
    schedule = ContractOnGpu((64, 64, 16), (2, 2), "mma.m16n8k16", split=split, exchange=True)
    with pytest.raises(CompileError, match=f"split = {split}: parts of a sum meet in a cluster"):
        schedule.check()


def test_parts_of_a_sum_meet_in_a_cluster_where_blocks_are_few() -> None:
    def met(m: int, arch: GpuArch) -> set[int]:
        schedules = contract_gpu.candidates(product(m, 768, 3072), arch)
        return {schedule.cluster for schedule in schedules}

    assert met(128, H200) == {1, 2, 4, 8}
    assert met(8192, H200) == {1}
    assert met(128, A100) == {1}


def test_clusters_may_not_reach_all_multiprocessors() -> None:
    """128 blocks are one round of the 132 of an H200, but two as clusters of four."""
    apart = ContractOnGpu((64, 64, 64), (4, 1), "wgmma.m64n64k16", stages=8, split=4, producers=4)
    clusters = [replace(apart, exchange=True, split=split) for split in (2, 4)]
    halves, quarters = estimates(product(128, 1024, 4096), *clusters)
    assert quarters > halves
    halves, quarters, through_scratch = estimates(product(128, 768, 3072), *clusters, apart)
    assert quarters < min(halves, through_scratch)


def test_sums_are_exchanged_where_lanes_hold_few_neighbours_of_a_result() -> None:
    def exchanged(**more: Any) -> set[bool]:
        schedules = contract_gpu.candidates(replace(product(512, 512, 512), **more), H200)
        return {schedule.exchange for schedule in schedules if schedule.split == 1}

    assert exchanged(together=8) == {False}
    assert exchanged(together=8, rhs_along_k=False) == {False, True}
    assert exchanged(together=1) == {False, True}
    assert exchanged(together=1, adjacent=False) == {False}


def test_stores_are_as_wide_as_the_result_and_the_staged_rhs_allow() -> None:
    def interleaved(**more: Any) -> set[int]:
        schedules = contract_gpu.candidates(replace(product(512, 512, 512), **more), H200)
        wide = (s for s in schedules if s.tile[1] // s.warps[1] >= 32)
        return {s.interleave for s in wide if s.cluster == 1}

    assert interleaved() == {4}
    assert interleaved(together=4) == {2}
    assert interleaved(together=1) == {1}
    assert interleaved(rhs_along_k=False) == {1}


@pytest.mark.parametrize("arch", CPUS, ids=lambda a: a.name)
def test_cpu_tiles_leave_registers_for_loads(arch: CpuArch) -> None:
    lanes = arch.vector_bytes // 4
    for schedule in contract_cpu.candidates(product(512, 512, 512, "f32"), arch):
        m, n = schedule.tile
        assert n % lanes == 0
        assert (m + 1) * n // lanes + 1 <= arch.vector_registers


def test_cpu_tile_has_no_more_rows_than_the_product() -> None:
    rows = {s.tile[0] for s in contract_cpu.candidates(product(3, 64, 64), AVX2)}
    assert rows == {1, 2, 3}


def test_cpu_asks_ahead_for_columns_that_no_cache_holds() -> None:
    def asks(m: int, n: int, k: int, **more: Any) -> set[bool]:
        work = replace(product(m, n, k, "f32"), **more)
        schedules = contract_cpu.candidates(work, AVX512)
        return {s.ahead for s in schedules if s.tile == (min(m, 8), 48)}

    assert asks(64, 4096, 1024) == {True}
    assert asks(64, 512, 1024) == {False}  # 2 MB, which a core's cache holds
    assert asks(8, 4096, 1024) == {False}  # one tile for each block of columns
    assert asks(64, 4096, 1024, row_loop=8) == {False}  # the next piece has the same columns


def test_cpu_keeps_rows_that_its_cache_holds() -> None:
    def rows(m: int, n: int, k: int, **more: Any) -> set[int]:
        work = replace(product(m, n, k, "f32"), **more)
        return {s.rows for s in contract_cpu.candidates(work, AVX512) if s.tile == (8, 48)}

    assert rows(6400, 4096, 1024) == {256}
    assert rows(256, 4096, 1024) == {0}  # all of them
    assert rows(6400, 48, 1024) == {0}  # one block of columns
    assert rows(6400, 4096, 16384) == {0}  # two tiles
    assert rows(6400, 4096, 1024, row_loop=80) == {0}


def test_no_more_stages_than_slices() -> None:
    stages = {s.stages for s in contract_gpu.candidates(product(128, 128, 64), H200)}
    assert stages == {2, 3}


def test_few_rows_get_lanes_over_columns() -> None:
    def instructions_of(m: int, element: str = "f32") -> set[str]:
        return {s.instruction for s in contract_gpu.candidates(product(m, 512, 512, element), H200)}

    assert instructions_of(1) == instructions_of(8) == {"fma", "fma.1x32"}
    assert instructions_of(9) == {"fma"}
    assert instructions_of(1, "f16") == {"mma.m16n8k16"}


def test_tiles_over_columns_have_no_empty_rows_that_a_smaller_one_saves() -> None:
    for m, rows in ((1, {1}), (2, {1, 2}), (3, {1, 2, 4}), (8, {1, 2, 4, 8})):
        schedules = contract_gpu.candidates(product(m, 512, 512, "f32"), H200)
        assert {s.tile[0] for s in schedules if s.instruction == "fma.1x32"} == rows


@pytest.mark.parametrize(
    ("sizes", "orders"),
    [
        ((256, 4096, 4096), {"row", "grouped<4>"}),
        ((8192, 768, 768), {"grouped<4>"}),
        ((8192, 32, 768), {"row"}),
        ((16, 4096, 768), {"row"}),
    ],
)
def test_rows_of_tiles_run_together_where_there_are_several_and_columns_too(
    sizes: tuple[int, int, int], orders: set[str]
) -> None:
    """256 x 4096 x 4096 takes 23.1 us row by row on an H200, and 16.7 so."""
    found = contract_gpu.candidates(product(*sizes), H200)
    assert {schedule.order for schedule in found} == orders
    for schedule in found:
        several = sizes[0] > schedule.tile[0] and sizes[1] > schedule.tile[1]
        assert (schedule.order == "grouped<4>") == several


def test_all_rows_run_together_where_the_l2_holds_only_the_lhs() -> None:
    def orders(m: int, n: int, k: int) -> set[str]:
        schedules = contract_gpu.candidates(product(m, n, k), H200)
        return {schedule.order for schedule in schedules if schedule.tile[:2] == (64, 128)}

    assert orders(1024, 50257, 768) == {"grouped<16>"}
    assert orders(1024, 768, 50257) == {"grouped<4>"}  # nor does it hold the lhs
    assert orders(1024, 3072, 768) == {"grouped<4>"}
