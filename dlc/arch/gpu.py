"""What a GPU row holds."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from dlc.arch.gpu_costs import GpuCosts
from dlc.arch.memory import BANK_BYTES, BANKS
from dlc.arch.scope import BLOCK_THREADS
from dlc.errors import CompileError

_TENSOR_CORES = ("mma", "wgmma")
"""Units that are ones of tensor cores."""


@dataclass(frozen=True)
class GpuArch:
    """One NVIDIA chip. SM: streaming multiprocessor.

    Rates are what the hardware can do at its highest clock, so that times derived from them are
    lower bounds. ``flops_per_clock_per_sm`` is keyed by unit and type: ``fma.f32``, ``fma.f64``,
    ``fma.i32`` (one multiply-add counts 2), ``special`` (exp, log, sqrt; one result counts 1),
    ``mma.f16`` (``mma.sync`` accumulating in f32), ``wgmma.f16``, the same for ``bf16``, ``tf32``.
    ``launch_us`` is a kernel node of a CUDA graph, ``launch_floor_us`` the least ever seen for one.
    A kernel whose buffers but weights and constants have up to ``early_launch_bytes`` gains by
    beginning before the launch before it has ended.
    """

    name: str
    target: str
    sm_count: int
    clock_hz: float
    flops_per_clock_per_sm: Mapping[str, float] = field(hash=False)
    capabilities: frozenset[str]

    dram_bytes_per_s: float
    dram_latency_s: float
    l2_bytes: int
    l2_bytes_per_clock: float
    l2_latency_s: float

    shared_bytes_per_sm: int
    shared_bytes_per_block: int
    max_threads_per_sm: int
    max_blocks_per_sm: int

    cluster_sms: Mapping[int, int] = field(default_factory=dict, hash=False)
    """By the blocks of a cluster (``CLUSTER_BLOCKS``), the SMs that clusters reach, a block on
    each: a cluster is within a group of SMs, whose number it may not divide. Empty where there are
    no clusters."""

    launch_us: float = 1.4  # assumed as on A100
    launch_floor_us: float = 0.6  # assumed as on H200
    early_launch_bytes: int = 4 << 20
    """Between the kernels of models at batch 1, which gain on an H200, and those at batch 8 and 64,
    which lose (docs/performance.md, "GPU: launches that overlap"). The limit itself was never
    timed, on no chip: all have the same.
    """

    costs: GpuCosts = field(default_factory=GpuCosts)

    shared_reserved_bytes_per_block: int = 1024  # from compute capability 8.0 on, as the next

    # Equal on every chip since Volta: CUDA C++ Programming Guide, "Technical Specifications per
    # Compute Capability".
    warp_threads: int = 32
    shared_bytes_per_clock_per_sm: int = BANKS * BANK_BYTES
    max_threads_per_block: int = BLOCK_THREADS
    registers_per_sm: ClassVar[int] = 65536  # no row has another: ops count with it, without a chip
    max_registers_per_thread: int = 255
    register_allocation_unit: int = 256
    issue_per_clock_per_sm: int = 4
    l2_bytes_per_clock_into_sm: int = 64  # NVIDIA A100 whitepaper: 5120 bytes per clock for 80 SMs

    @property
    def compute_capability(self) -> tuple[int, int, bool]:
        """Major and minor number, and whether code for it runs on no other one (``sm_90a``)."""
        match = re.fullmatch(r"sm_(\d+)(\d)(a?)", self.target)
        assert match is not None
        return int(match[1]), int(match[2]), bool(match[3])

    def flops_per_s(self, unit: str) -> float:
        """Return the peak rate of a unit, as ``mma.f16``, over the whole chip.

        Raises CompileError when the chip has no such unit.
        """
        if unit not in self.flops_per_clock_per_sm:
            raise CompileError(
                f"{self.name} has no unit {unit}; it has {', '.join(self.flops_per_clock_per_sm)}"
            )
        return self.flops_per_clock_per_sm[unit] * self.sm_count * self.clock_hz

    def part(self, sms: int, blocks_per_sm: int = 1) -> "GpuArch":
        """Return a part of the chip: what so many SMs take in, with so many blocks each at a
        time; itself with all SMs and as many blocks as fit.
        """
        into_sms = float(self.l2_bytes_per_clock_into_sm * sms)
        return replace(
            self,
            sm_count=sms,
            max_blocks_per_sm=min(blocks_per_sm, self.max_blocks_per_sm),
            l2_bytes_per_clock=min(self.l2_bytes_per_clock, into_sms),
            dram_bytes_per_s=min(self.dram_bytes_per_s, into_sms * self.clock_hz),
        )

    @property
    def peaks(self) -> dict[str, float]:
        """The peak rate of each unit, over the whole chip."""
        return {unit: self.flops_per_s(unit) for unit in self.flops_per_clock_per_sm}

    @property
    def tensor_core_types(self) -> frozenset[str]:
        """The types of factors that tensor cores multiply, as units name them: ``f16``."""
        units = (unit.partition(".") for unit in self.flops_per_clock_per_sm)
        return frozenset(type for kind, _, type in units if kind in _TENSOR_CORES)

    @property
    def l2_bytes_per_s(self) -> float:
        """The read bandwidth of the L2 cache."""
        return self.l2_bytes_per_clock * self.clock_hz

    @property
    def shared_bytes_per_s(self) -> float:
        """The bandwidth of all shared memories together."""
        return self.shared_bytes_per_clock_per_sm * self.sm_count * self.clock_hz
