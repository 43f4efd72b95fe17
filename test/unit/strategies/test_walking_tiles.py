"""Products whose blocks walk over tiles, by teams in turns and by tensor copies."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from products import estimates, fastest, product

from dlc.arch.nvidia import H200
from dlc.dialects.gpu.registers import MOST_COMPILED, STEP, registers_at_launch
from dlc.errors import CompileError
from dlc.model.contraction import Contraction
from dlc.strategies.contract import gpu as contract_gpu
from dlc.strategies.contract.gpu_tiles import WALKING, walks_for
from dlc.strategies.contract.schedule import ContractOnGpu
from dlc.strategies.contract.tiling import Tiling


def test_factors_that_are_rounded_on_the_way_go_through_registers() -> None:
    work = product(4096, 4096, 4096, "tf32")
    schedule = ContractOnGpu((128, 128, 32), (8, 1), "wgmma.m64n128k8", stages=3)
    tiles = Tiling.of(work, schedule, H200).tiles()
    assert tiles.work.lhs_run == tiles.work.rhs_run == 4
    assert [float(count[0]) for count in tiles.copies()] == [0, 0]
    assert [float(count[0]) for count in tiles.single_elements()] == [16, 16]
    by_threads = contract_gpu.rate(work, schedule, H200).latency_s()
    assert 0 < by_boxes(work, schedule) < by_threads
    assert not any(s.rounds_factors for s in contract_gpu.candidates(work, H200))


def by_boxes(work: Contraction, schedule: ContractOnGpu) -> float:
    """Return the seconds of a schedule whose slices come by tensor copies."""
    boxes = replace(schedule, copies="tensor")
    tiles = Tiling.of(work, boxes, H200).tiles()
    assert [float(count[0]) for count in (*tiles.copies(), *tiles.single_elements())] == [0] * 4
    return contract_gpu.rate(work, boxes, H200).latency_s()


@pytest.mark.parametrize("columns", [4096, 50257])
def test_factors_that_tensor_copies_round_are_for_warpgroups(columns: int) -> None:
    """Columns in the order of wide stores are a box only where they fill their groups."""
    work = replace(product(4096, columns, 4096, "tf32"), mapped_line=128, together=4)
    found = [s for s in contract_gpu.candidates(work, H200) if s.rounds_factors]
    assert found
    assert all(s.copies == "tensor" for s in found)
    assert {s.interleave for s in found if not s.exchange} == {2 if columns == 4096 else 1}
    assert {s.exchange for s in found if s.blocks} == {columns != 4096}
    for wrong in ({"mapped_line": 64}, {"rhs_along_k": False}):
        other = contract_gpu.candidates(replace(work, **wrong), H200)
        assert other
        assert not any(s.rounds_factors for s in other)


def test_blocks_that_walk_over_tiles_wait_for_the_first_slice_once() -> None:
    each = ContractOnGpu((128, 256, 64), (8, 1), "wgmma.m64n256k16", stages=4, producers=4)
    walking = replace(each, blocks=132)
    few, many = product(1024, 2048, 768), product(16 * 1024, 2048, 768)
    assert np.diff(estimates(few, each, walking)) == pytest.approx(0, abs=1e-8)
    assert np.diff(estimates(many, walking, each)) > 5e-6


def test_a_block_that_walks_over_all_tiles_takes_as_long_as_they_do_one_by_one() -> None:
    one = ContractOnGpu((128, 128, 64), (8, 1), "wgmma.m64n128k16", stages=4, producers=4, blocks=1)
    seconds = [estimates(product(128 * n, 128, 4096), one)[0] for n in (1, 2, 3)]
    assert seconds[2] - seconds[1] == pytest.approx(seconds[1] - seconds[0], rel=0.2)


@pytest.mark.parametrize(
    ("warps", "turns"), [(4, 1), (4, 2), (4, 3), (8, 1), (8, 2), (12, 1), (12, 2)]
)
def test_threads_that_multiply_share_what_a_block_has_at_its_launch(warps: int, turns: int) -> None:
    """Two teams of 8 warps and four that bring slices are 640 threads with 96 registers each."""
    schedule = ContractOnGpu(
        (16 * warps, 64, 64),
        (warps, 1),
        "wgmma.m64n64k16",
        stages=4,
        producers=4,
        producer_registers=40,
        turns=turns,
    )
    each, kept = schedule.roles.registers
    threads = 32 * warps * turns
    all = (threads + 128) * registers_at_launch(threads + 128)
    assert threads * each + 128 * kept <= all
    assert each == MOST_COMPILED or threads * (each + STEP) + 128 * kept > all
    if (warps, turns) == (8, 2):
        assert (each, kept) == (104, 40)


def test_teams_take_turns_where_tensor_copies_can_bring_both_factors() -> None:
    def turns(**more: Any) -> set[int]:
        work = replace(product(8192, 3072, 768), **{"mapped_line": 128, **more})
        return {schedule.turns for schedule in contract_gpu.candidates(work, H200)}

    assert turns() == {1, 2}
    assert turns(mapped_line=0) == {1}


@pytest.mark.parametrize(
    ("columns", "interleave", "exchange"), [(3072, 4, False), (3088, 2, False), (3080, 1, True)]
)
def test_columns_of_a_copy_take_turns_as_far_as_they_divide_the_result(
    columns: int, interleave: int, exchange: bool
) -> None:
    """Else they are no box: 112 channels in fours of eight columns end within the last four."""
    work = replace(product(8192, columns, 768), mapped_line=128)
    found = [s for s in contract_gpu.candidates(work, H200) if s.blocks and not s.tile[1] % 32]
    assert {(s.interleave, s.exchange) for s in found} == {(interleave, exchange)}


@pytest.mark.parametrize(
    ("k", "depths"),
    [(768, {64}), (96, {64, 32}), (80, {64, 32}), (112, {64}), (16, {64, 16}), (24, {64, 32})],
)
def test_lines_end_where_the_reduction_does_or_nearer_to_it(k: int, depths: set[int]) -> None:
    work = replace(product(1 << 16, 96, k), mapped_line=128)
    found = [s for s in contract_gpu.candidates(work, H200) if s.blocks]
    assert {s.tile[2] for s in found} == depths


def test_slices_that_end_outside_of_the_reduction_are_waited_for() -> None:
    """112 x 112 x 16 to 96 at batch 64: 88 us on an H200 where 32 of 128 bytes are inside, 74 where
    lines have 32 bytes.
    """
    work = replace(product(802816, 96, 16), mapped_line=128)
    within, beyond = (fastest_of(work, depth) for depth in (16, 64))
    assert beyond > 1.05 * within


def fastest_of(work: Contraction, depth: int) -> float:
    """Return the least estimate of walking tiles with slices of a depth."""
    some = [s for s in contract_gpu.candidates(work, H200) if s.blocks and s.tile[2] == depth]
    return float(contract_gpu.estimate(work, some, H200).min())


def test_teams_take_turns_only_where_a_block_has_several_tiles() -> None:
    """256 x 4096 x 4096 has 128 tiles of 64 x 128: 22.7 us on an H200, by turns or not."""
    turns = ContractOnGpu(
        (64, 128, 64),
        (4, 1),
        "wgmma.m64n128k16",
        stages=8,
        producers=4,
        turns=2,
        blocks=128,
        copies="tensor",
    )
    one, another = estimates(product(256, 4096, 4096), turns, replace(turns, turns=1))
    assert one == pytest.approx(another, rel=0.02)
    one, another = estimates(product(2048, 4096, 4096), turns, replace(turns, turns=1))
    assert one < 0.95 * another


@pytest.mark.parametrize(
    ("columns", "wanted"),
    [
        (32, {32}),
        (40, {48}),
        (64, {64}),
        (112, {112}),
        (160, {160, 80}),
        (192, {192, 96, 64}),
        (240, {80}),
        (320, {160, 80, 64}),
        (448, {224, 112, 64}),
        (768, {256, 192, 128, 96, 64}),
        (1000, {256, 128, 96, 64}),
    ],
)
def test_tiles_that_walk_end_where_the_result_does(columns: int, wanted: set[int]) -> None:
    assert {walk.tile.n for walk in walks_for(columns)} == wanted
    assert set(walks_for(columns)) <= set(WALKING)


def test_a_ring_has_as_many_bytes_where_lines_are_short() -> None:
    def walks(line: int) -> dict[tuple[int, ...], ContractOnGpu]:
        work = replace(product(8192, 192, 1472), mapped_line=line)
        found = contract_gpu.candidates(work, H200)
        return {(*each.tile[:2], each.turns): each for each in found if each.blocks}

    whole, half = walks(128), walks(64)
    assert whole
    assert set(whole) == set(half)
    for tile, each in half.items():
        assert each.tile[2] * 2 == whole[tile].tile[2] == 64
        assert each.stages == min(2 * whole[tile].stages, 16)
    assert walks(32) == walks(0) == {}


def test_a_tensor_copy_takes_as_long_for_short_lines_and_longer_for_those_outside() -> None:
    """Tiles of 64 columns wait for their lines; so do those of which a third is outside."""
    keys: dict[str, Any] = {"producers": 4, "turns": 2, "blocks": 132, "copies": "tensor"}
    work = product(1 << 20, 64, 4096)
    whole = ContractOnGpu((128, 64, 64), (4, 1), "wgmma.m64n64k16", stages=8, **keys)
    half = replace(whole, tile=(128, 64, 32), stages=16)
    (of_whole,), (of_half,) = (estimates(work, each) for each in (whole, half))
    assert 1.4 < of_half / of_whole < 2.1
    wide = ContractOnGpu((128, 160, 64), (4, 1), "wgmma.m64n160k16", stages=5, **keys)
    inside, outside = (estimates(product(1 << 16, n, 4096), wide)[0] for n in (480, 384))
    assert outside > 1.1 * inside


def test_producers_keep_a_slice_more_under_way() -> None:
    threads = ContractOnGpu((128, 256, 64), (8, 1), "wgmma.m64n256k16", stages=3, copies="tensor")
    work = product(4096, 4096, 4096)
    seconds = estimates(work, replace(threads, producers=4), threads)
    assert np.diff(seconds) > 40e-6  # 100 measured on an H200


def test_copies_of_tensors_cost_threads_no_instructions() -> None:
    threads = ContractOnGpu((64, 64, 64), (4, 1), "wgmma.m64n64k16", stages=4)
    work = product(8192, 8192, 64 * 64)
    tensor = replace(threads, copies="tensor")
    tiles = contract_gpu.tiles(work, [threads, tensor], H200)
    assert [float(each[1]) for each in tiles.copies()] == [0, 0]
    assert all(each[0] > 0 for each in tiles.copies())
    assert np.diff(estimates(work, tensor, threads)) > 0


@pytest.mark.parametrize("k", [768, 3072])
def test_large_products_go_to_teams(k: int) -> None:
    # cuBLAS over dlc on an H200 with two blocks of 128 x 192 instead: 0.90 and 0.91.
    best = fastest(replace(product(8192, 768, k), mapped_line=128))
    assert best.tile[0] == 128
    assert best.tile[1] in (128, 192)
    assert (best.turns, best.copies) == (2, "tensor")


def test_parts_of_few_tiles_come_by_producers() -> None:
    # 7.42 us on an H200, by copies of all threads 8.43.
    best = fastest(replace(product(128, 768, 3072), mapped_line=128))
    assert (best.split, best.producers, best.copies, best.blocks) == (4, 4, "tensor", 0)
    many = contract_gpu.candidates(replace(product(8192, 8192, 3072), mapped_line=128), H200)
    assert all(schedule.split == 1 for schedule in many if schedule.producers)


def test_rows_of_odd_length_are_exchanged_by_teams() -> None:
    # 292 us on an H200; blocks of 128 x 192 that all bring and all store take 354.
    odd = replace(product(2048, 50257, 768), mapped_line=128, together=1)
    best = fastest(odd)
    assert (best.exchange, best.interleave, best.turns, best.blocks) == (True, 1, 2, 132)
    apart = contract_gpu.candidates(replace(odd, adjacent=False), H200)
    assert not any(schedule.exchange for schedule in apart)


def test_tensor_copies_need_slots() -> None:
    schedule = ContractOnGpu((64, 64, 64), (2, 2), "mma.m16n8k16", copies="tensor")
    with pytest.raises(CompileError, match='copies = "tensor" needs stages of 2 or more'):
        schedule.check()
