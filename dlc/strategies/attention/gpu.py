"""``attention`` on a GPU: how schedules are rated, and what makes the strategy up."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from statistics import fmean

from dlc.analysis.dataflow import Cluster
from dlc.arch import GpuArch, instructions
from dlc.arch.instruction import Instruction
from dlc.arch.scope import Scope
from dlc.dialects.gpu.registers import FEWEST
from dlc.errors import CompileError
from dlc.ir.tensor import element_bytes, element_type
from dlc.model.attention import AttentionKernel, estimate_s, violation
from dlc.model.attention_parts import parts_s
from dlc.model.upper_bound import KernelWork, gpu_bound
from dlc.strategies._implementation import Implementation
from dlc.strategies._rated import Rated
from dlc.strategies.attention.lowering import lower
from dlc.strategies.attention.schedule import INSTRUCTIONS, PIECE, WARPGROUP, AttentionOnGpu
from dlc.strategies.attention.splits import split_candidates
from dlc.strategies.attention.tile_order import order_of
from dlc.strategies.attention.work import AttentionWork, attention_in, describe, work_of

_BLOCKS = {
    Scope.WARP: dict.fromkeys(
        ((16, 1), (32, 2), (64, 4), (128, 8), (64, 2), (128, 4), (256, 8)),
        (32, 48, 64, 80, 96, 112, 128),
    ),
    Scope.WARPGROUP: {(64, 4): (64, 112, 128, 192, 224, 256), (128, 8): (64, 128)},
}
"""Rows and warps of blocks, and keys of their steps, by who multiplies together. Of warpgroups
those that were among the best of 99 measured ones.
"""

_STAGES = (1, 2, 3)

_LONG = 256
"""Elements of a query and a value from which on blocks of warpgroups with a single step in shared
memory are among the best.
"""

_TURNS_OF_L2, _MOST_OF_L2 = 6, 2 / 3
"""The part of the L2 that holds keys and values of the products whose tiles take turns, and that
which holds those of all: measured on 22 shapes, whose times lie up to a third apart by the order.
"""

_FEW_TURNS = 2
"""Turns, of so many products each, that are as good as one of all."""

_FACTOR_BYTES = 2

_PRODUCED_STEPS = (64, 128)
"""Keys of a step with producers."""

_AHEAD_STAGES, _AHEAD_STEPS, _AHEAD_PRODUCED = 3, (64, 128), 96
"""Where scores come ahead: steps in shared memory, two of which are worked on while the third one
comes; keys of a step, and with producers, of long queries: those that were the fastest somewhere on
11 shapes.
"""


def candidates(work: AttentionWork, arch: GpuArch) -> Iterator[AttentionOnGpu]:
    """Yield the schedules; none for factors that the chip has no instruction for."""
    for schedule in _forms(work, arch):
        yield replace(schedule, order=_order(work, schedule, arch))


def _order(work: AttentionWork, schedule: AttentionOnGpu, arch: GpuArch) -> str:
    """Return the order of tiles. Where the last ones have the most keys, as many products take
    turns as have their keys and values in a part of the L2, or fewer that divide all; or all, where
    these were few of them. Where each tile has an SM of its own, products come one after the other:
    neighbours, which share what leads to the L2, are not all long.
    """
    if work.last_seen is None:
        return order_of(0)
    columns = schedule.padded_depth(work.depth) + schedule.padded_columns(work.columns)
    bytes = work.element_bytes * work.keys * columns
    tiles = -(-work.rows // schedule.rows)
    if work.batch * tiles <= arch.sm_count:
        return order_of(1)
    most = max(1, arch.l2_bytes // _TURNS_OF_L2 // bytes)
    turn = max(n for n in range(1, work.batch + 1) if work.batch % n == 0 and n <= most)
    are_few = turn * _FEW_TURNS < work.batch or turn * tiles < _FEW_TURNS * arch.sm_count
    is_near = work.batch * bytes <= _MOST_OF_L2 * arch.l2_bytes
    takes_all = are_few and is_near and not schedule.producers
    return order_of(work.batch if takes_all else turn)


def _forms(work: AttentionWork, arch: GpuArch) -> Iterator[AttentionOnGpu]:
    """Yield the schedules, without an order of tiles."""
    for name, row in _instructions(work, arch).items():
        for (rows, warps), steps in _BLOCKS[row.scope].items():
            own = steps if row.scope is Scope.WARP else _of_warpgroups(work, rows, steps)
            for step, exchange in product(own, (False, True)):
                for stages in _stages(work, row, step):
                    schedule = AttentionOnGpu(rows, step, warps, name, stages, exchange)
                    if _reads_lines(work, schedule):
                        yield schedule
    if WARPGROUP in _instructions(work, arch) and work.boxes:
        yield from _with_producers(work, arch)
    if WARPGROUP in _instructions(work, arch):
        yield from _ahead(work)
    if PIECE in _instructions(work, arch):
        yield from split_candidates(work, arch)


def _of_warpgroups(work: AttentionWork, rows: int, steps: Sequence[int]) -> list[int]:
    """Return the steps for rows of warpgroups: where rows do not see all keys, few steps are cut by
    the diagonal.
    """
    return [n for n in steps if work.last_seen is None or n >= work.keys or n % rows == 0]


def _stages(work: AttentionWork, row: Instruction, step: int) -> Sequence[int]:
    """Return the steps that are there at a time: a single one has nothing to come ahead. Blocks of
    warpgroups leave room for others.
    """
    if step >= work.keys:
        return _STAGES[:1]
    if row.scope is Scope.WARP:
        return _STAGES
    return _STAGES[:2] if work.depth + work.columns >= _LONG else _STAGES[1:2]


def _with_producers(work: AttentionWork, arch: GpuArch) -> Iterator[AttentionOnGpu]:
    """Yield the schedules with producers: blocks walk where all tiles have as many steps, and not
    each has an SM.
    """
    rows = 128
    is_many = work.batch * -(-work.rows // rows) > arch.sm_count
    blocks = arch.sm_count if work.last_seen is None and is_many else 0
    plain = AttentionOnGpu(
        rows=rows,
        step=_AHEAD_PRODUCED,
        warps=8,
        instruction=WARPGROUP,
        producers=4,
        producer_registers=FEWEST,
        blocks=blocks,
    )
    if not _reads_lines(work, plain):
        return
    for step in _PRODUCED_STEPS:
        yield replace(plain, step=step)
    is_long = work.depth + work.columns >= _LONG and work.keys > plain.step
    if is_long and work.last_seen is None:
        yield replace(plain, stages=_AHEAD_STAGES, ahead=True)


def _ahead(work: AttentionWork) -> Iterator[AttentionOnGpu]:
    """Yield the schedules without producers whose scores come ahead, of several steps."""
    for step in _AHEAD_STEPS:
        schedule = AttentionOnGpu(
            rows=64,
            step=step,
            warps=4,
            instruction=WARPGROUP,
            stages=_AHEAD_STAGES,
            exchange=True,
            ahead=True,
        )
        if work.keys > step and _reads_lines(work, schedule):
            yield schedule


def _reads_lines(work: AttentionWork, schedule: AttentionOnGpu) -> bool:
    """Return whether the instruction finds lines that it reads."""
    lengths = schedule.padded_depth(work.depth), schedule.padded_columns(work.columns)
    try:
        schedule.check_lines(work.element_bytes, *lengths)
    except CompileError:
        return False
    return True


def _instructions(work: AttentionWork, arch: GpuArch) -> dict[str, Instruction]:
    """Return the instructions that the chip has for these factors, as schedules name them."""
    fitting = instructions.multiplying(work.element, work.compute, arch.capabilities)
    rows = {row.name: row for row in fitting}
    return {name: rows[narrowest] for name, narrowest in INSTRUCTIONS.items() if narrowest in rows}


def check(work: AttentionWork, schedule: AttentionOnGpu) -> None:
    """Raise CompileError for lines that the instruction does not read, tiles that blocks do not
    walk over, an order that the batch does not have, and scores of a step that is not there.
    """
    depth, columns = schedule.padded_depth(work.depth), schedule.padded_columns(work.columns)
    schedule.check_lines(work.element_bytes, depth, columns)
    schedule.check_walk(work.last_seen is not None)
    schedule.check_order(work.batch)
    schedule.check_ahead(work.keys)


def rate(work: AttentionWork, schedule: AttentionOnGpu, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    kernel = kernel_of(work, schedule, arch)
    queries = kernel.element_bytes * kernel.rows * kernel.depth
    bound = gpu_bound(
        KernelWork(
            unit=kernel.instruction.unit,
            flops=work.flops,
            issued_flops=work.flops,
            global_bytes=work.read_bytes + work.written_bytes,
            l2_bytes=work.read_bytes + work.written_bytes,
            shared_bytes=kernel.blocks * (queries + kernel.mean_steps * kernel.step_bytes),
            blocks=kernel.blocks,
            block=kernel.block,
        ),
        arch,
    )
    if beyond := violation(kernel, arch):
        bound = replace(bound, time_s=float("inf"), violation=beyond)
    estimate = parts_s if schedule.split > 1 else estimate_s
    return Rated(schedule, bound, lambda: estimate(kernel, arch))


def kernel_of(work: AttentionWork, schedule: AttentionOnGpu, arch: GpuArch) -> AttentionKernel:
    """Return the kernel of a schedule, as the model takes it; raises CompileError where the chip
    has no such instruction for these factors.
    """
    instruction = _instructions(work, arch).get(schedule.instruction)
    if instruction is None:
        raise CompileError(
            f"{schedule.instruction} does not multiply {work.element} on {arch.target}; use the "
            "schedules of the ops apart"
        )
    depth, columns = schedule.padded_depth(work.depth), schedule.padded_columns(work.columns)
    return AttentionKernel(
        instruction=instruction,
        element_bytes=work.element_bytes,
        blocks=work.batch * -(-work.rows // schedule.rows) * schedule.split,
        rows=schedule.rows,
        keys=schedule.step,
        warps=schedule.warps,
        stages=schedule.stages,
        steps=-(-work.keys // (schedule.step * schedule.split)),
        mean_steps=fmean(_steps(work, schedule)),
        depth=depth,
        columns=columns,
        operations=work.operations,
        reads=work.reads,
        exchange=schedule.exchange,
        read_bytes=work.read_bytes,
        written_bytes=work.written_bytes,
        split=schedule.split,
        in_cluster=schedule.cluster > 1,
        left_rows=min(work.rows, schedule.rows),
        teams=schedule.teams,
        producers=schedule.producers,
        launch_registers=schedule.roles.launch_registers,
        own_registers=schedule.roles.registers[0],
        walking=min(schedule.blocks, work.batch * -(-work.rows // schedule.rows)),
        ahead=schedule.ahead,
    )


def _steps(work: AttentionWork, schedule: AttentionOnGpu) -> list[int]:
    """Return the steps of the blocks; those that have parts of the keys go through all of these."""
    if schedule.split > 1:
        return [-(-work.keys // (schedule.step * schedule.split))]
    return work.steps(schedule.rows, schedule.step)


def _obstacle(cluster: Cluster) -> str | None:
    found = attention_in(cluster)
    if found and element_bytes(element_type(found.scores.operands[0])) != _FACTOR_BYTES:
        return "attention takes factors of 16 bits only"
    return None


IMPLEMENTATION = Implementation(
    AttentionOnGpu, work_of, candidates, rate, describe, lower, check=check, obstacle=_obstacle
)
