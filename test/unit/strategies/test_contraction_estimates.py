"""What the model of contractions says of schedules."""

from dataclasses import replace

import numpy as np
import pytest
from products import product

from dlc.arch import instructions
from dlc.arch.nvidia import H200
from dlc.model.contraction import Contraction, TileNumbers, Tiles, estimate_s, residents
from dlc.model.registers import registers
from dlc.strategies.contract import gpu as contract_gpu
from dlc.strategies.contract.schedule import ContractOnGpu
from dlc.strategies.contract.tiling import Tiling, instruction_named

(MMA,) = (row for row in instructions.named("mma.m16n8k16") if row.element == "f16")


def test_a_wide_part_of_a_thread_saves_reads_of_shared_memory() -> None:
    # Of 16 x 16 elements of a warp, a thread has 2 x 4 and loads 6 numbers for 8 multiply-adds;
    # of 32 x 32 it has 4 x 8 and loads 12 for 32.
    fma = instruction_named("fma", product(128, 128, 128, "f32"), H200)
    rows = [
        TileNumbers(16, 16, 16, 1, 1, columns=8, stages=2),
        TileNumbers(32, 32, 16, 1, 1, columns=8, stages=2),
    ]
    tiles = Tiles.of(product(128, 128, 128, "f32"), fma, rows)
    per_flop = tiles.read_bytes / tiles.step_flops
    assert per_flop[0] / per_flop[1] == (6 / 8) / (12 / 32)


def test_more_work_is_never_faster() -> None:
    def seconds(m: int, k: int) -> float:
        tiles = Tiles.of(
            product(m, 512, k), MMA, [TileNumbers(64, 64, 64, 2, 2, columns=8, stages=3)]
        )
        return float(estimate_s(tiles, H200)[0])

    for times in (
        [seconds(m, 768) for m in range(64, 20_000, 1987)],
        [seconds(1024, k) for k in range(64, 10_000, 987)],
    ):
        assert times == sorted(times)


def test_producers_take_threads_and_registers_from_a_block() -> None:
    alone = ContractOnGpu((128, 256, 64), (8, 1), "wgmma.m64n256k16", stages=4)
    schedules = [alone, *(replace(alone, producers=n) for n in (1, 4))]
    found = registers(contract_gpu.tiles(product(4096, 4096, 4096), schedules, H200))
    assert list(found) == [166, 166, 166]
    wide = replace(alone, warps=(12, 1), tile=(384, 256, 64))
    found = registers(
        contract_gpu.tiles(product(4096, 4096, 4096), [replace(wide, producers=4)], H200)
    )
    assert list(found) == [128]


def test_what_an_epilogue_reads_takes_registers_from_a_second_block() -> None:
    shared = ContractOnGpu((128, 192, 64), (8, 1), "wgmma.m64n192k16", stages=2)
    bias = replace(product(8192, 768, 3072), read_bytes=768 * 2)
    residual = replace(bias, read_bytes=8192 * 768 * 2)
    of_both = [contract_gpu.tiles(work, [shared], H200) for work in (bias, residual)]
    assert [float(residents(tiles, H200)[0]) for tiles in of_both] == [2, 1]


def test_an_epilogue_that_spills_is_not_chosen() -> None:
    # Of kernels for sm_90a: 192 sums and a bias 0 bytes, a residual 168, GELU 80, three results 72;
    # 128 sums 0 to 28.
    bias = replace(product(8192, 768, 768), mapped_line=128, read_bytes=768 * 2, operations=1.0)
    residual = replace(bias, read_bytes=8192 * 768 * 2)
    gelu = replace(bias, operations=36.0)

    def fit(work: Contraction) -> list[bool]:
        tiles = [
            x
            for x in contract_gpu.candidates(work, H200)
            if (x.turns, x.tile[0], x.warps[0]) == (2, 128, 4)
        ]
        found = {x.tile[1]: residents(contract_gpu.tiles(work, [x], H200), H200) for x in tiles}
        return [bool(found[columns][0]) for columns in (128, 192)]

    assert fit(bias) == [True, True]
    assert fit(residual) == fit(gelu) == fit(replace(bias, results=3)) == [True, False]


def test_a_block_that_does_not_fit_is_never_chosen() -> None:
    tiles = Tiles.of(
        product(512, 512, 512), MMA, [TileNumbers(256, 256, 64, 4, 2, columns=8, stages=5)]
    )
    assert np.isinf(estimate_s(tiles, H200)).all()


def test_the_space_is_estimated_as_each_schedule_alone() -> None:
    work = product(8192, 768, 768)
    schedules = list(contract_gpu.candidates(work, H200))
    together = contract_gpu.estimate(work, schedules, H200)
    for number in range(0, len(schedules), 37):
        alone = contract_gpu.rate(work, schedules[number], H200).latency_s()
        assert alone == pytest.approx(together[number])


def test_schedules_of_different_instructions_are_estimated_together() -> None:
    work = product(2, 512, 512, "f32")
    schedules = list(contract_gpu.candidates(work, H200))
    together = contract_gpu.estimate(work, schedules[::-1], H200)[::-1]
    for number in range(0, len(schedules), 29):
        alone = contract_gpu.rate(work, schedules[number], H200).latency_s()
        assert alone == pytest.approx(together[number])


def test_lanes_over_columns_load_the_large_factor_once() -> None:
    work = product(1, 4096, 4096, "f32")
    few, square = (instruction_named(name, work, H200) for name in ("fma.1x32", "fma"))
    wide = Tiles.of(work, few, [TileNumbers(1, 64, 32, 1, 2, columns=8, stages=3)])
    assert wide.read_bytes == (1 * 2 * 32 + 64) * 32 * 4
    assert (
        Tiles.of(work, square, [TileNumbers(16, 64, 32, 1, 2, columns=8, stages=3)]).read_bytes
        == 5 * wide.read_bytes
    )


def test_a_bound_counts_no_product_that_no_store_needs() -> None:
    # Measured on an H200: 8.93 us for a convolution of 32 groups whose tiles have 128 columns, of
    # which 8 are there, and 6.80 us for one row by one column in a tile of 64 x 256.
    grouped = product(784, 8, 72, "f32", batch=32)
    wide = ContractOnGpu((64, 128, 16), (2, 2), "fma", stages=3)
    assert contract_gpu.rate(grouped, wide, H200).bound.time_s < 8.93e-6
    single = ContractOnGpu((64, 256, 64), (1, 4), "mma.m16n8k16", stages=4)
    assert contract_gpu.rate(product(1, 1, 1024), single, H200).bound.time_s < 6.8e-6
    schedule = ContractOnGpu((128, 128, 64), (2, 2), "mma.m16n8k16")
    full = Tiling.of(product(128, 128, 64), schedule, H200)
    assert full.step_flops == 2 * 128 * 128 * 64
    assert full.read_bytes == (128 * 2 + 128 * 2) * 64 * 2


def test_an_epilogue_takes_the_registers_of_a_third_block() -> None:
    # Measured: 168 without and 174 to 180 with one; 121 us in place of 103 with three stages.
    work = product(8192, 768, 3072)
    schedule = ContractOnGpu((128, 128, 64), (2, 2), "mma.m16n8k16", stages=2, interleave=4)

    def blocks(work: Contraction) -> float:
        return float(residents(contract_gpu.tiles(work, [schedule], H200), H200)[0])

    assert blocks(work) == 3
    assert blocks(replace(work, operations=1.0)) == 2
