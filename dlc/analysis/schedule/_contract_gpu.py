"""Schedules of contractions on a GPU: block tile, warps, instruction, pipeline stages, split."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type

from dlc.analysis.contraction import gemm
from dlc.analysis.dataflow import Cluster
from dlc.analysis.delta import traffic_bytes
from dlc.analysis.fusibility import anchor
from dlc.analysis.latency import TiledContraction, contraction_s
from dlc.analysis.occupancy import BlockResources, blocks_per_sm
from dlc.analysis.schedule._candidate import Rated, Record, size_of, sizes_of
from dlc.analysis.schedule._strategy import Strategy
from dlc.analysis.upper_bound import KernelWork, gpu_bound
from dlc.arch import GpuArch
from dlc.arch.fragments import MATRIX_INSTRUCTIONS
from dlc.dialects._tensor import compute_type, element_bytes, element_type, tensor_bytes
from dlc.dialects.graph._structure import ContractionOp
from dlc.errors import CompileError


@dataclass(frozen=True)
class _Space:
    """Tiles of one kind of instruction: (tile m, tile n, warps m, warps n), slices of the reduction
    in bytes, and the shape of the instruction.
    """

    tiles: tuple[tuple[int, int, int, int], ...]
    slice_bytes: tuple[int, ...]
    stages: tuple[int, ...]


_MMA = _Space(
    tiles=(
        (128, 256, 2, 4),
        (256, 128, 4, 2),
        (128, 128, 2, 4),
        (128, 128, 2, 2),
        (64, 256, 1, 4),
        (64, 128, 2, 2),
        (128, 64, 2, 2),
        (64, 64, 2, 2),
        (128, 32, 4, 1),
        (32, 128, 1, 4),
        (64, 32, 2, 2),
        (32, 64, 2, 2),
        (32, 32, 2, 2),
        (16, 128, 1, 4),
        (16, 64, 1, 4),
        (16, 32, 1, 2),
    ),
    slice_bytes=(64, 128),
    stages=(2, 3, 4, 5),
)

_FMA = _Space(
    tiles=(
        (128, 128, 2, 4),
        (128, 64, 2, 2),
        (64, 128, 2, 2),
        (64, 64, 2, 2),
        (32, 64, 1, 4),
        (64, 32, 2, 2),
        (32, 32, 1, 2),
        (16, 64, 1, 4),
        (16, 32, 1, 2),
    ),
    slice_bytes=(32, 64),
    stages=(1, 2, 3, 4),
)

_SPLITS = (1, 2, 3, 4, 6, 8, 12, 16, 32)
_GROUPED_ROWS = 8
_FIXED_REGISTERS = 56
"""Addresses, loop counters and the epilogue, beside accumulators and fragments."""

_ADDRESS_INSTRUCTIONS = 24
"""Instructions of a warp per slice beside loads, copies and multiply-adds."""


@dataclass(frozen=True)
class ContractWork:
    """What a contraction group does, whatever its schedule.

    row_loop: the innermost loop of the rows (a convolution's last image axis).
    element: the factors' type as units name it (``f16``, ``tf32``). factor_bytes,
    compute_bytes: of one element of the factors and of an accumulator. lhs_bytes, rhs_bytes: what
    is read of the factors at least. other_bytes: what is read and written beside them.
    """

    batch: int
    m: int
    n: int
    k: int
    row_loop: int
    element: str
    factor_bytes: int
    compute_bytes: int
    lhs_bytes: int
    rhs_bytes: int
    other_bytes: int

    @property
    def flops(self) -> float:
        """The operations of the result."""
        return 2.0 * self.batch * self.m * self.n * self.k

    @property
    def global_bytes(self) -> int:
        """What crosses the global memory at least."""
        return self.lhs_bytes + self.rhs_bytes + self.other_bytes


def work_of(cluster: Cluster) -> ContractWork:
    """Return the work of a cluster whose strategy is ``contract``."""
    op = anchor(cluster)
    assert isinstance(op, ContractionOp)
    product = gemm(op)
    element = element_type(op.operands[0])
    bytes_each = element_bytes(element)
    points = product.batch_size * product.k_size * bytes_each
    lhs_bytes = min(tensor_bytes(op.operands[0]), points * product.m_size)
    rhs_bytes = min(tensor_bytes(op.operands[1]), points * product.n_size)
    return ContractWork(
        product.batch_size,
        product.m_size,
        product.n_size,
        product.k_size,
        product.m[-1].size if product.m else 1,
        _element_name(op),
        bytes_each,
        element_bytes(compute_type(element)),
        lhs_bytes,
        rhs_bytes,
        max(0, traffic_bytes(cluster) - lhs_bytes - rhs_bytes),
    )


def candidates(work: ContractWork, arch: GpuArch) -> Iterator[Record]:
    """Yield the schedules of the space for the fastest instruction that computes ``work``
    exactly.
    """
    instruction = instruction_for(work, arch)
    space = _FMA if instruction == "fma" else _MMA
    most_stages = 5 if "cp.async" in arch.capabilities else 2
    for m, n, warps_m, warps_n in space.tiles:
        for slice_bytes in space.slice_bytes:
            depth = slice_bytes // work.factor_bytes
            slices = ceil(work.k / depth)
            for split in (s for s in _SPLITS if s == 1 or slices >= 2 * s):
                for stages in (s for s in space.stages if s <= most_stages):
                    yield {
                        "strategy": "contract",
                        "tile": (m, n, depth),
                        "warps": (warps_m, warps_n),
                        "instruction": instruction,
                        "stages": stages,
                        "split": split,
                        "order": _order(work, m, n, arch),
                    }


def instruction_for(work: ContractWork, arch: GpuArch) -> str:
    """Return the instruction of a contraction: a matrix instruction where the chip has one for the
    factors' type, else fused multiply-adds.
    """
    if f"mma.sync.{work.element}" not in arch.capabilities:
        return "fma"
    bits = 8 * work.factor_bytes
    return next(f"mma.{i.name}" for i in MATRIX_INSTRUCTIONS.values() if i.operand_bits == bits)


def _order(work: ContractWork, tile_m: int, tile_n: int, arch: GpuArch) -> str:
    rows, columns = ceil(work.m / tile_m), ceil(work.n / tile_n)
    many = rows * columns > arch.sm_count and rows > _GROUPED_ROWS and columns > 1
    return f"grouped<{_GROUPED_ROWS}>" if many else "row"


def _element_name(op: ContractionOp) -> str:
    """Return the factors' type as units and capabilities name it."""
    if op.precision is not None:
        return op.precision.data.name
    match element_type(op.operands[0]):
        case Float16Type():
            return "f16"
        case BFloat16Type():
            return "bf16"
        case Float32Type():
            return "f32"
        case Float64Type():
            return "f64"
        case _:
            return "i32"


def rate_work(work: ContractWork, schedule: Record, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    m, n, depth = sizes_of(schedule, "tile", 3)
    warps_m, warps_n = sizes_of(schedule, "warps", 2)
    split, stages = size_of(schedule, "split", 1), size_of(schedule, "stages", 1)
    instruction = schedule.get("instruction")
    unit, flops_per_instruction = _unit(work, instruction, arch)
    if m % warps_m or n % warps_n:
        raise CompileError(f"tile {m} x {n} does not divide into {warps_m} x {warps_n} warps")
    warp_m, warp_n, warps = m // warps_m, n // warps_n, warps_m * warps_n
    rows, columns = ceil(work.m / m), ceil(work.n / n)
    steps = ceil(ceil(work.k / depth) / split)
    blocks = rows * columns * work.batch * split
    block = BlockResources(
        warps * arch.warp_threads,
        _registers(warp_m, warp_n, work, instruction != "fma"),
        stages * (m + n) * depth * work.factor_bytes,
    )
    slice_bytes = (m + n) * depth * work.factor_bytes
    read_bytes = (m * warps_n + n * warps_m) * depth * work.factor_bytes
    step_flops = 2.0 * m * n * depth
    copies = slice_bytes / (16 * arch.warp_threads)
    tiled = TiledContraction(
        blocks=blocks,
        resident=max(1, blocks_per_sm(block, arch)),
        steps=steps,
        split=split,
        stages=stages,
        flops=step_flops,
        factor_bytes=slice_bytes,
        shared_bytes=slice_bytes + read_bytes,
        instructions=step_flops / flops_per_instruction
        + read_bytes / (16 * arch.warp_threads)
        + copies
        + warps * _ADDRESS_INSTRUCTIONS,
        parallel=_parallel(warps, warp_m, warp_n, instruction != "fma"),
        tile_bytes=work.other_bytes * (m * n) / (work.batch * work.m * work.n),
        partial_bytes=m * n * work.compute_bytes,
    )
    issued = blocks * steps
    bound = gpu_bound(
        KernelWork(
            unit,
            work.flops,
            issued * step_flops,
            work.global_bytes,
            _least_l2_bytes(work, rows, columns),
            issued * read_bytes,
            0,
            blocks,
            block,
        ),
        arch,
    )
    return Rated(schedule, bound, lambda: contraction_s(tiled, unit, work.global_bytes, arch))


def _unit(work: ContractWork, instruction: object, arch: GpuArch) -> tuple[str, int]:
    """Return the unit that an instruction runs on and the operations of one warp's instruction."""
    if instruction == "fma":
        compute = {"f64": "f64", "i32": "i32"}.get(work.element, "f32")
        return f"fma.{compute}", 2 * arch.warp_threads
    if instruction != instruction_for(work, arch):
        raise CompileError(
            f"instruction {instruction!r} does not multiply {work.element} on {arch.target}; "
            f"use {instruction_for(work, arch)!r} or 'fma'"
        )
    matrix = MATRIX_INSTRUCTIONS[str(instruction).removeprefix("mma.")]
    return f"mma.{work.element}", matrix.flops


def _registers(warp_m: int, warp_n: int, work: ContractWork, matrix: bool) -> int:
    """Return the registers per thread: accumulators, two sets of fragments, and the rest."""
    words = work.compute_bytes // 4
    if matrix:
        fragments = 2 * (warp_m + warp_n) * 32 // (4 * 32)  # 32 bytes of each row of the factors
        return warp_m * warp_n // 32 + fragments + _FIXED_REGISTERS
    return words * (warp_m * warp_n // 32 + warp_m // 8 + warp_n // 4) + _FIXED_REGISTERS


def _parallel(warps: int, warp_m: int, warp_n: int, matrix: bool) -> float:
    """Return the fraction of an SM's peak that one block's independent accumulators keep busy.

    16 are needed: mma.sync has a latency of 25 clocks and issues every 6 on each of 4 schedulers; a
    fused multiply-add has 4 clocks.
    """
    accumulators = warp_m * warp_n // (16 * 8 if matrix else 32)
    return warps * min(accumulators, 4) / 16


def _least_l2_bytes(work: ContractWork, rows: int, columns: int) -> float:
    """Return the least bytes that the SMs take in: every column of tiles needs the whole lhs, every
    row of tiles the whole rhs (asynchronous copies pass the first-level cache by).
    """
    return work.lhs_bytes * columns + work.rhs_bytes * rows + work.other_bytes


def describe(work: ContractWork) -> str:
    """Return the words for a work in an error."""
    return f"a contraction of {work.m} x {work.n} x {work.k}"


STRATEGY = Strategy(work_of, candidates, rate_work, describe)
