"""What the model of attention says of a kernel, beside the kernel."""

from dataclasses import replace

import pytest
from attention_text import Case
from lowered import lowered

from dlc.arch.nvidia import A100, H200
from dlc.dialects.gpu import KernelOp
from dlc.errors import CompileError
from dlc.model.attention import estimate_s
from dlc.model.attention_parts import parts_s
from dlc.passes.gpu_check_limits import least_registers
from dlc.strategies.attention.gpu import candidates, check, kernel_of, rate
from dlc.strategies.attention.schedule import AttentionOnGpu
from dlc.strategies.attention.work import AttentionWork

WARPGROUP = "wgmma.m64k16"
WORK = AttentionWork(12, 128, 128, 64, 64, "f16", 2, "f32", 1.0, 1, 600000, 200000)


def lowered_kernel(schedule: AttentionOnGpu, work: AttentionWork) -> KernelOp:
    """Return the kernel of a work by a schedule."""
    keys = f"rows = {schedule.rows}, step = {schedule.step}, warps = {schedule.warps}"
    keys += f', instruction = "{schedule.instruction}"'
    keys += f", stages = {schedule.stages}, exchange = {str(schedule.exchange).lower()}"
    keys += f", producers = {schedule.producers}, blocks = {schedule.blocks}"
    keys += f", split = {schedule.split}, teams = {schedule.teams}"
    keys += f", ahead = {str(schedule.ahead).lower()}"
    case = Case(keys, work.batch, work.rows, work.keys, work.depth, work.columns)
    module = lowered(case.text(), "lower-to-loop,lower-to-gpu{arch=sm_90a}")
    (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
    return kernel


@pytest.mark.parametrize(
    ("schedule", "keys", "depth", "columns"),
    [
        (AttentionOnGpu(16, 16, 1, stages=1), 64, 16, 16),  # one step of each product
        (AttentionOnGpu(64, 64, 2), 256, 64, 64),  # two parts of rows; most with keys
        (AttentionOnGpu(16, 16, 1, stages=1), 64, 64, 128),  # most with values
        (AttentionOnGpu(64, 128, 4, stages=1), 128, 16, 16),  # most with scores and weights
        (AttentionOnGpu(64, 64, 4, WARPGROUP), 256, 64, 64),  # factors in shared memory
        (AttentionOnGpu(128, 64, 4, WARPGROUP, exchange=True), 64, 128, 128),  # the same, one step
        (AttentionOnGpu(64, 128, 4, stages=3), 128, 64, 64),  # one step: no slots
        (AttentionOnGpu(128, 64, 8, WARPGROUP, producers=4), 256, 64, 64),
        (AttentionOnGpu(128, 64, 8, WARPGROUP, producers=4, blocks=2), 64, 64, 128),
        (AttentionOnGpu(128, 64, 8, WARPGROUP, stages=3, producers=4), 256, 64, 128),
        (AttentionOnGpu(64, 64, 4, WARPGROUP, stages=3, ahead=True), 256, 64, 64),
        (AttentionOnGpu(128, 64, 8, WARPGROUP, stages=3, producers=4, ahead=True), 256, 64, 128),
        (AttentionOnGpu(16, 16, 1, stages=1), 16, 128, 16),  # the same, most with queries
        (AttentionOnGpu(64, 16, 4, stages=1, exchange=True), 77, 24, 40),  # padded; sums larger
        (AttentionOnGpu(32, 32, 2, stages=3, exchange=True), 96, 128, 64),  # slots larger
        (AttentionOnGpu(16, 32, 1, stages=3, split=2), 181, 128, 128),  # steps of a part
        (AttentionOnGpu(16, 128, 1, stages=2, split=2, teams=4), 600, 128, 128),  # keys of teams
        (AttentionOnGpu(16, 32, 1, stages=1, split=2, teams=2), 64, 32, 128),  # sums of teams
        (AttentionOnGpu(16, 16, 1, stages=1, split=3), 40, 64, 64),  # one step of each part
    ],
)
def test_registers_and_shared_memory_are_those_of_the_kernel(
    schedule: AttentionOnGpu, keys: int, depth: int, columns: int
) -> None:
    work = replace(WORK, batch=1, rows=schedule.rows, keys=keys, depth=depth, columns=columns)
    rated, kernel = kernel_of(work, schedule, H200), lowered_kernel(schedule, work)
    assert rated.least_registers == least_registers(kernel)
    assert kernel.shared_bytes is not None
    assert rated.shared_bytes == kernel.shared_bytes.value.data


def test_what_does_not_fit_takes_for_ever() -> None:
    fitting = kernel_of(WORK, AttentionOnGpu(64, 64, 4), H200)
    assert 0 < estimate_s(fitting, H200) < 1e-3
    values, many = replace(WORK, columns=256), replace(WORK, keys=1024)
    tall, wide = AttentionOnGpu(64, 32, 4), AttentionOnGpu(64, 128, 4, stages=8)
    of_registers, of_shared = kernel_of(values, tall, H200), kernel_of(many, wide, H200)
    assert of_registers.least_registers > H200.max_registers_per_thread
    assert of_shared.shared_bytes > H200.shared_bytes_per_block
    assert estimate_s(of_registers, H200) == estimate_s(of_shared, H200) == float("inf")


def test_parts_that_do_not_fit_take_for_ever() -> None:
    fitting, large = (AttentionOnGpu(16, 64, 1, stages=n, split=4, teams=4) for n in (2, 8))
    work = replace(WORK, rows=1, keys=8192, depth=128, columns=128)
    assert 0 < parts_s(kernel_of(work, fitting, H200), H200) < 1e-3
    assert parts_s(kernel_of(work, large, H200), H200) == float("inf")


def test_slices_that_are_asked_for_together_come_together() -> None:
    """Where there is a slot for every slice, nothing is worked on while others come."""
    work = replace(WORK, batch=32, rows=1, keys=1024, depth=128, columns=128)
    work = replace(work, read_bytes=2 * 2 * 32 * 1024 * 128)
    one = AttentionOnGpu(16, 32, 1, exchange=True, split=8, teams=2)
    three, four = (replace(one, stages=n) for n in (3, 4))
    times = [parts_s(kernel_of(work, each, H200), H200) for each in (three, four)]
    assert times[0] < times[1]


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_all_schedules_of_16_bits_are_rated(element: str) -> None:
    work = replace(WORK, element=element)
    found = [rate(work, schedule, H200).latency_s() for schedule in candidates(work, H200)]
    assert min(found) < 1e-4


def test_lines_that_products_of_warpgroups_do_not_read() -> None:
    work, schedule = replace(WORK, depth=40), AttentionOnGpu(64, 64, 4, WARPGROUP)
    with pytest.raises(CompileError, match="128 bytes, queries or values have 96; take mma"):
        check(work, schedule)


@pytest.mark.parametrize(("depth", "by_warpgroups"), [(64, True), (40, False)])
def test_schedules_by_warpgroups_are_there_where_they_read_the_lines(
    depth: int, by_warpgroups: bool
) -> None:
    found = {each.instruction for each in candidates(replace(WORK, depth=depth), H200)}
    assert found == {"mma.m16n8k16", *([WARPGROUP] if by_warpgroups else [])}


@pytest.mark.parametrize(
    ("batch", "last_seen", "blocks"),
    [(768, None, {0, H200.sm_count}), (768, 0, {0}), (H200.sm_count, None, {0})],
)
def test_blocks_with_producers_walk_where_all_tiles_have_as_many_steps_and_are_many(
    batch: int, last_seen: int | None, blocks: set[int]
) -> None:
    work = replace(WORK, batch=batch, boxes=True, last_seen=last_seen)
    found = list(candidates(work, H200))
    assert {each.blocks for each in found} == blocks
    assert {each.producers for each in found} == {0, 4}
    assert not any(each.producers for each in candidates(WORK, H200))


def test_blocks_that_walk_wait_once() -> None:
    work = replace(WORK, batch=768, rows=512, keys=512, depth=128, columns=128)
    alone = AttentionOnGpu(128, 128, 8, WARPGROUP, producers=4, producer_registers=24)
    times = [
        estimate_s(kernel_of(work, replace(alone, blocks=n), H200), H200) for n in (132, 0, 66)
    ]
    assert times[0] < times[1] < times[2]


def test_chips_without_warpgroups_have_schedules_of_warps() -> None:
    found = {each.instruction for each in candidates(WORK, A100)}
    assert found == {"mma.m16n8k16"}


def test_whole_warpgroups() -> None:
    with pytest.raises(CompileError, match="warps = 2 are no multiple of 4, which do wgmma"):
        AttentionOnGpu(64, 64, 2, WARPGROUP).check()


@pytest.mark.parametrize("element", ["f32", "f64"])
def test_other_factors_have_no_schedule(element: str) -> None:
    work = replace(WORK, element=element)
    assert not list(candidates(work, H200))
    with pytest.raises(CompileError, match=f"mma.m16n8k16 does not multiply {element} on sm_90a"):
        rate(work, AttentionOnGpu(64, 64, 4), H200)


def test_rows_that_see_what_was_before_take_half_as_long() -> None:
    schedule, work = AttentionOnGpu(64, 64, 4), replace(WORK, batch=64, rows=4096, keys=4096)
    half, later = replace(work, last_seen=0), replace(work, last_seen=2000)
    assert half.flops == work.flops * 4097 / 8192
    assert half.steps(64, 64) == list(range(1, 65))
    assert later.steps(64, 64)[:2] == [33, 34]
    times = [estimate_s(kernel_of(each, schedule, H200), H200) for each in (half, later, work)]
    assert 0.5 < times[0] / times[2] < 0.55
    assert times[0] < times[1] < times[2]


def test_more_of_anything_takes_longer() -> None:
    schedule = AttentionOnGpu(64, 64, 4)
    one = estimate_s(kernel_of(WORK, schedule, H200), H200)
    for more in ({"batch": 1200}, {"keys": 1280}, {"operations": 40.0}, {"reads": 20}):
        assert estimate_s(kernel_of(replace(WORK, **more), schedule, H200), H200) > one
