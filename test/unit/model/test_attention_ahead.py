"""Attention whose scores come ahead: what the model of a chip says, and where it is chosen."""

from dataclasses import replace

import pytest

from dlc.arch.nvidia import H200
from dlc.errors import CompileError
from dlc.model.attention import estimate_s
from dlc.plan.ranking import ranked
from dlc.strategies.attention.gpu import IMPLEMENTATION, candidates, check, kernel_of
from dlc.strategies.attention.schedule import AttentionOnGpu
from dlc.strategies.attention.work import AttentionWork

WARPGROUP = "wgmma.m64k16"
WORK = AttentionWork(12, 128, 128, 64, 64, "f16", 2, "f32", 1.0, 1, 600000, 200000)


@pytest.mark.parametrize(
    ("heads", "length", "size", "causal", "ahead"),
    [
        (12, 1024, 64, True, True),
        (64, 1024, 64, False, True),
        (64, 1024, 64, True, True),
        (64, 4096, 64, False, False),
        (768, 197, 64, False, False),
        (192, 512, 128, False, False),
        (192, 512, 128, True, False),
        (16, 1024, 128, False, True),
        (64, 1024, 128, False, False),  # a tie
        (32, 2048, 128, False, False),  # a tie
        (768, 197, 128, False, False),
    ],
)
def test_the_choices_of_shapes_that_were_measured(
    heads: int, length: int, size: int, causal: bool, ahead: bool
) -> None:
    """As ``docs/performance.md`` has them, of an H200."""
    bytes = heads * length * size * 2
    sizes = {"rows": length, "keys": length, "depth": size, "columns": size}
    work = replace(WORK, batch=heads, boxes=True, last_seen=0 if causal else None, **sizes)
    work = replace(work, operations=0.0, reads=0, read_bytes=3 * bytes, written_bytes=bytes)
    best = ranked(IMPLEMENTATION, work, H200)[0].schedule
    assert isinstance(best, AttentionOnGpu)
    assert best.ahead is ahead


@pytest.mark.parametrize(
    ("keys", "depth", "last_seen", "producers"),
    [(64, 64, None, set()), (128, 64, None, {0}), (197, 128, None, {0, 4}), (197, 128, 0, {0})],
)
def test_scores_come_ahead_where_there_are_several_steps(
    keys: int, depth: int, last_seen: int | None, producers: set[int]
) -> None:
    work = replace(WORK, keys=keys, depth=depth, columns=depth, boxes=True, last_seen=last_seen)
    ahead = [each for each in candidates(work, H200) if each.ahead]
    assert {each.producers for each in ahead} == producers
    assert all(each.step < keys and each.stages == 3 for each in ahead)


def test_scores_that_come_ahead_hide_a_product_and_need_a_slice_more() -> None:
    work = replace(WORK, batch=128, keys=1024, boxes=True)
    plain = AttentionOnGpu(64, 64, 4, WARPGROUP, stages=3)
    few = AttentionOnGpu(128, 64, 8, WARPGROUP, stages=2, producers=4)
    for schedule, is_faster in ((plain, True), (few, False)):
        times = [
            estimate_s(kernel_of(work, replace(schedule, ahead=ahead), H200), H200)
            for ahead in (False, True)
        ]
        assert (times[1] < times[0]) is is_faster


@pytest.mark.parametrize(
    "schedule",
    [
        AttentionOnGpu(64, 64, 4, stages=3, ahead=True),  # products of single warps
        AttentionOnGpu(64, 64, 4, WARPGROUP, stages=2, ahead=True),
        AttentionOnGpu(128, 64, 8, WARPGROUP, stages=1, producers=4, ahead=True),
    ],
)
def test_where_scores_do_not_come_ahead(schedule: AttentionOnGpu) -> None:
    with pytest.raises(
        CompileError, match=r"ahead = true is for wgmma\.m64k16, with at least 3 stages"
    ):
        schedule.check()


def test_scores_of_a_single_step_do_not_come_ahead() -> None:
    schedule = AttentionOnGpu(64, 128, 4, WARPGROUP, stages=3, ahead=True)
    with pytest.raises(CompileError, match="ahead = true is for several steps; there are 128 keys"):
        check(WORK, schedule)
