"""Tiles that several products of a batch share."""

from dataclasses import replace
from typing import Any

import pytest
from products import product

from dlc.arch.nvidia import H200
from dlc.model.contraction import Contraction
from dlc.strategies.contract import gpu as contract_gpu
from dlc.strategies.contract.schedule import ContractOnGpu
from dlc.strategies.contract.tiling import Tiling


def _grouped(channels: int, **others: Any) -> Contraction:
    """Return the work of a convolution of 512 channels in groups of so many, at large batch."""
    groups = 512 // channels
    work = replace(product(12544, channels, 9 * channels), batch=groups, batch_loop=groups)
    return replace(work, **{"lhs_piece": 2 * channels, "guarded": True} | others)


@pytest.mark.parametrize(
    ("channels", "found"),
    [
        (4, set()),  # an instruction is 8 deep at least
        (8, {("mma.m16n8k8", 4), ("mma.m16n8k8", 8)}),
        (16, {(name, n) for name in ("mma.m16n8k16", "wgmma.m64n16k16") for n in (2, 4)}),
        (32, {("mma.m16n8k16", 2), ("wgmma.m64n32k16", 2)}),
        (64, set()),  # a group fills a line
    ],
)
def test_groups_of_few_channels_share_a_tile(channels: int, found: set[tuple[str, int]]) -> None:
    schedules = contract_gpu.candidates(_grouped(channels), H200)
    assert {(s.instruction, s.groups) for s in schedules if s.groups > 1} == found


@pytest.mark.parametrize(
    "work",
    [
        _grouped(16, lhs_piece=0),  # the rows of a product follow each other
        _grouped(16, lhs_copy=0),
        _grouped(16, batch_loop=1),
        _grouped(16, batch=31, batch_loop=31),
        _grouped(16, n=12),  # columns of two groups would be those of one instruction
    ],
)
def test_products_that_share_no_tile(work: Contraction) -> None:
    assert not any(s.groups > 1 for s in contract_gpu.candidates(work, H200))


def test_what_a_tile_of_several_products_does() -> None:
    """As many products of the batch less, each with its own part of columns and slice."""
    work = _grouped(16)
    shared = ContractOnGpu((128, 64, 64), (4, 1), "mma.m16n8k16", stages=2, groups=4)
    alone = replace(shared, tile=(128, 16, 16), groups=1)
    four, one = (Tiling.of(work, schedule, H200) for schedule in (shared, alone))
    assert (four.blocks, four.steps) == (one.blocks // 4, one.steps)
    assert four.step_flops == 4 * one.step_flops
    assert four.kernel_work().flops == one.kernel_work().flops == work.flops
    assert float(four.tiles().slice_bytes[0]) == 4 * float(one.tiles().slice_bytes[0])
    assert four.tiles().work.lhs_piece == 128
