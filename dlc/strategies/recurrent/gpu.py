"""``recurrent`` on a GPU: the space of schedules, how they are rated."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from dlc.arch import GpuArch, instructions
from dlc.errors import CompileError
from dlc.model.recurrent import RecurrentKernel, RecurrentPhase, estimate_s, least_s, violation
from dlc.model.upper_bound import UpperBound, wave_efficiency
from dlc.strategies._implementation import Implementation
from dlc.strategies._rated import Rated
from dlc.strategies.recurrent.layout import Layout, registers_of
from dlc.strategies.recurrent.lowering import lower
from dlc.strategies.recurrent.published import published_values
from dlc.strategies.recurrent.schedule import FMA, INSTRUCTIONS, RecurrentOnGpu
from dlc.strategies.recurrent.work import RecurrentWork, describe, work_of

_UNITS = (8, 16, 24, 32, 48, 64)
_WARPS = ((1, 4), (1, 8), (1, 16), (2, 2), (2, 4), (2, 8), (3, 4), (4, 2), (4, 4))
_MOST_SEQUENCES = 128
_PIECES = (8, 4, 16)
_SHARES = (0, 0.125, 0.25, 0.5)
"""Parts of the weights that are in shared memory."""

_CHUNK_CLOCKS = 60.0
"""From the load of a piece of a state to the sums: latencies of shared memory and of a product."""
_FMA_CLOCKS = 4.0
"""Latency of a multiply-add, of which each waits for the one before."""


def candidates(work: RecurrentWork, arch: GpuArch) -> Iterator[RecurrentOnGpu]:
    """Yield the schedules of the space."""
    most = min(work.sequences, _MOST_SEQUENCES)
    sequences = [n for n in range(1, most + 1) if work.sequences % n == 0]
    for name, units, own, warps, pieces in product(
        _instructions(work, arch), _UNITS, sequences, _WARPS, _PIECES
    ):
        schedule = RecurrentOnGpu(units, own, warps, name, pieces=pieces)
        layouts = _layouts(work, schedule)
        most_pieces = max(layout.pieces_of_thread for layout in layouts)
        if pieces == _PIECES[0] or most_pieces > pieces:
            for chunks in dict.fromkeys(int(layouts[0].chunks * share) for share in _SHARES):
                yield replace(schedule, shared_chunks=chunks)


def _layouts(work: RecurrentWork, schedule: RecurrentOnGpu) -> list[Layout]:
    return [
        Layout(schedule, parts, work.units, work.sequences, work.element_bytes)
        for parts in work.phases
    ]


def _instructions(work: RecurrentWork, arch: GpuArch | None = None) -> list[str]:
    """Return the instructions of schedules that a chip, or any one, has for these factors."""
    capabilities = None if arch is None else arch.capabilities
    fitting = instructions.multiplying(work.element, work.compute, capabilities)
    matrix = [
        row.name for row in fitting if row.name in INSTRUCTIONS and row.k * work.element_bytes == 32
    ]
    return matrix or ([FMA] if work.element_bytes == 4 else [])


def check(work: RecurrentWork, schedule: RecurrentOnGpu) -> None:
    """Raise CompileError for a schedule that the work cannot have."""
    if work.sequences % schedule.sequences:
        raise CompileError(
            f"sequences = {schedule.sequences} do not divide the {work.sequences} there are"
        )
    if schedule.instruction not in (known := _instructions(work)):
        others = " or ".join(map(repr, known))
        raise CompileError(
            f"instruction {schedule.instruction!r} does not multiply {work.element}; use {others}"
        )


def rate(work: RecurrentWork, schedule: RecurrentOnGpu, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    if schedule.instruction not in _instructions(work, arch):
        raise CompileError(
            f"{schedule.instruction} does not multiply {work.element} on {arch.target}"
        )
    kernel = kernel_of(work, schedule, arch)
    broken = violation(kernel, arch)
    bound_s = float("inf") if broken else least_s(kernel, arch)
    bound = UpperBound(bound_s, 1.0, 1.0, wave_efficiency(kernel.blocks, arch.sm_count), broken)
    return Rated(schedule, bound, lambda: estimate_s(kernel, arch))


def _clocks(schedule: RecurrentOnGpu, arch: GpuArch) -> float:
    """Return the clocks of an instruction of a warp, where all warps of an SM have some."""
    row = instructions.named(schedule.instruction)[0]
    return row.flops / arch.flops_per_clock_per_sm[row.unit]


def kernel_of(work: RecurrentWork, schedule: RecurrentOnGpu, arch: GpuArch) -> RecurrentKernel:
    """Return the kernel of a schedule, as the model takes it."""
    layouts = _layouts(work, schedule)
    first = layouts[0]
    return RecurrentKernel(
        steps=work.steps,
        phases=[_phase(layout, work) for layout in layouts],
        blocks=first.blocks,
        threads=schedule.threads,
        registers=registers_of(layouts),
        shared_bytes=sum(layout.shared_bytes for layout in layouts),
        clocks=_clocks(schedule, arch),
        chunk_clocks=_FMA_CLOCKS * first.run if schedule.is_fma else _CHUNK_CLOCKS,
        cells=first.cells,
        weight_bytes=work.parts * schedule.units * first.depth * work.element_bytes,
    )


def _phase(layout: Layout, work: RecurrentWork) -> RecurrentPhase:
    schedule = layout.schedule
    steps = layout.run if schedule.is_fma else 2
    return RecurrentPhase(
        state_bytes=layout.lines * layout.depth * work.element_bytes,
        pieces=layout.pieces_of_thread,
        pieces_at_once=layout.pieces_at_once,
        products=layout.down * layout.across * layout.chunks * steps,
        chunks=layout.chunks,
        parts=sum(layout.parts) * schedule.warps[1],
        shared_weight_bytes=layout.shared_weight_bytes,
        moved_bytes=layout.moved_bytes,
    )


IMPLEMENTATION = Implementation(
    RecurrentOnGpu, work_of, candidates, rate, describe, lower, check=check, filled=published_values
)
