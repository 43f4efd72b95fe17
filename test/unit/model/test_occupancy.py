"""Blocks per SM, against the CUDA occupancy calculator's rules by hand."""

import numpy as np
import pytest

from dlc import arch
from dlc.arch import GpuArch
from dlc.arch.nvidia import A100, H200, RTX_3090
from dlc.model.occupancy import (
    BlockResources,
    blocks_per_sm,
    limit_violation,
    most_registers,
    resident_blocks,
)


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (BlockResources(256, 32), 8),  # 2048 threads / 256
        (BlockResources(128, 168, 98304), 2),  # 228 KiB / (96 + 1) KiB; registers would allow 3
        (BlockResources(128, 168), 3),  # 65536 / (4 warps x 168 x 32) = 3.05
        (BlockResources(32, 16), 32),  # block slots
        (BlockResources(256, 33), 6),  # 33 x 32 = 1056 is allocated as 1280: 65536 / 10240 = 6.4
        (BlockResources(1024, 64), 1),
    ],
)
def test_blocks_per_sm_of_an_h200(block: BlockResources, expected: int) -> None:
    assert blocks_per_sm(block, H200) == expected


def test_shared_memory_that_fits_one_chip_and_not_another() -> None:
    block = BlockResources(128, 64, 120 * 1024)
    assert blocks_per_sm(block, A100) == 1
    assert blocks_per_sm(block, RTX_3090) == 0
    assert str(limit_violation(block, RTX_3090)) == (
        "needs 122880 bytes of shared memory, sm_86 has 101376"
    )


def test_registers_of_a_block_are_limited() -> None:
    assert str(limit_violation(BlockResources(1024, 128), H200)) == (
        "needs 131072 registers, sm_90a has 65536"
    )


def test_more_of_a_resource_never_gives_more_blocks() -> None:
    for threads in (32, 128, 512):
        counts = [blocks_per_sm(BlockResources(threads, r), H200) for r in range(16, 256, 8)]
        assert counts == sorted(counts, reverse=True)


def test_most_registers_is_where_a_block_less_fits() -> None:
    for threads in (32, 96, 128, 512):
        for blocks in range(1, blocks_per_sm(BlockResources(threads, 16), H200) + 1):
            most = most_registers(threads, blocks, H200)
            assert blocks_per_sm(BlockResources(threads, most), H200) >= blocks
            more = blocks_per_sm(BlockResources(threads, most + 1), H200)
            assert more < blocks or most == H200.max_registers_per_thread


@pytest.mark.parametrize("chip", arch.GPUS)
def test_many_blocks_at_once_are_counted_like_one(chip: GpuArch) -> None:
    blocks = [
        BlockResources(threads, registers, shared)
        for threads in (32, 128, 1024)
        for registers in (32, 64)
        for shared in (0, 1 << 10, 40 << 10, 96 << 10)
    ]
    threads = np.array([float(x.threads) for x in blocks])
    registers = np.array([float(x.registers_per_thread) for x in blocks])
    shared = np.array([float(x.shared_bytes) for x in blocks])
    found = resident_blocks(threads, registers, shared, chip)
    assert found.tolist() == [blocks_per_sm(x, chip) for x in blocks]
