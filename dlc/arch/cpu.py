"""What a CPU row holds."""

from collections.abc import Set
from dataclasses import dataclass, field

from dlc.arch.cpu_costs import CpuCosts

STACK_BYTES = 64 << 10
"""What the buffers of a kernel may take of the stack of the thread that runs it: half of the least
that a thread usually has, 128 KiB with musl since 1.1.21 ("Functional differences from glibc",
"Thread stack size"). Callers choose their threads; those that a run starts have what is usual.
"""


@dataclass(frozen=True)
class CpuArch:
    """One CPU, all its sockets together.

    Cache bandwidths are loads per core; ``l3_bytes`` is shared by all cores, ``l1_bytes`` and
    ``l2_bytes`` are one core's. ``parallel_region_us`` is the fork and join of a loop over all
    cores.
    ``capabilities`` are the instructions that its code needs of a processor, as ``/proc/cpuinfo``
    and ``__builtin_cpu_supports`` name them; ``compiler_flags`` allow a C compiler to use them.
    """

    name: str
    cores: int
    clock_hz: float
    vector_bytes: int
    vector_registers: int
    fma_units_per_core: int
    capabilities: frozenset[str]
    compiler_flags: tuple[str, ...]

    l1_bytes: int
    l2_bytes: int
    l2_bytes_per_clock: int
    l3_bytes: int
    l3_bytes_per_clock: int
    dram_bytes_per_s: float

    parallel_region_us: float
    costs: CpuCosts = field(default_factory=CpuCosts)
    target: str = "cpu"

    def missing(self, present: Set[str]) -> list[str]:
        """Return the capabilities that are not among a processor's."""
        return sorted(self.capabilities - present)

    def flops_per_s(self, element_bytes: int = 4) -> float:
        """Return the peak rate of all cores, a multiply-add counting 2."""
        lanes = self.vector_bytes // element_bytes
        return 2.0 * lanes * self.fma_units_per_core * self.clock_hz * self.cores

    @property
    def peaks(self) -> dict[str, float]:
        """The peak rates of both float types, of all cores."""
        return {"fma.f32": self.flops_per_s(4), "fma.f64": self.flops_per_s(8)}

    @property
    def l1_bytes_per_s(self) -> float:
        """The bandwidth of all first-level caches together: two vectors read and one written in a
        clock.
        """
        return 3 * self.vector_bytes * self.clock_hz * self.cores

    @property
    def l2_bytes_per_s(self) -> float:
        """The load bandwidth of all second-level caches together."""
        return self.l2_bytes_per_clock * self.clock_hz * self.cores

    @property
    def l3_bytes_per_s(self) -> float:
        """The load bandwidth of the third-level cache into all cores."""
        return self.l3_bytes_per_clock * self.clock_hz * self.cores
