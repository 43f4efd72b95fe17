"""CPUs: one row per instruction set that code is generated for.

Sources, cited by the letter in the comments:
  I  Intel Xeon Platinum 8480+ product page         O  Intel 64 Optimization Reference Manual
  Y  AMD Ryzen 9 5950X product page                 Z  AMD Software Optimization Guide, family 19h
  P  x86-64 psABI, "Micro-Architecture Levels"
What the makers do not state is marked as assumed.
"""

from dlc.arch.cpu import CpuArch
from dlc.arch.cpu_costs import CpuCosts

_X86_64_V3 = frozenset({"avx2", "fma", "bmi2"})  # P; AVX2 came with what else level 3 has
_X86_64_V4 = _X86_64_V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}  # P

AVX512 = CpuArch(
    name="cpu-avx512",  # Xeon Platinum 8480+, "Sapphire Rapids"
    cores=56,  # I
    clock_hz=3.8e9,  # I: highest turbo
    vector_bytes=64,
    vector_registers=32,
    fma_units_per_core=2,  # O: ports 0 and 5
    capabilities=_X86_64_V4,
    compiler_flags=("-march=x86-64-v4", "-mprefer-vector-width=512"),
    l1_bytes=48 << 10,  # O
    l2_bytes=2 << 20,  # O
    l2_bytes_per_clock=64,  # O
    l3_bytes=105 << 20,  # I
    l3_bytes_per_clock=16,  # assumed: half a 32-byte mesh port
    dram_bytes_per_s=307e9,  # I: 8 channels of DDR5-4800
    parallel_region_us=5.0,  # assumed
    # Time of a multiply-add over that of tiles of 8 x 48, the rhs asked for ahead, 64 x 4096 x 1024
    # and 128 x 3072 x 768 on one core: 9 x 48 1.0, 6 x 64 1.0 to 1.2, 12 x 32 1.14, 13 x 32 1.2.
    costs=CpuCosts(streamed_load_clocks=1.0, streamed_vector_clocks=0.5),
)

AVX2 = CpuArch(
    name="cpu-avx2",  # Ryzen 9 5950X
    cores=16,  # Y
    clock_hz=4.9e9,  # Y: highest boost
    vector_bytes=32,
    vector_registers=16,
    fma_units_per_core=2,  # Z
    capabilities=_X86_64_V3,
    compiler_flags=("-march=x86-64-v3",),
    l1_bytes=32 << 10,  # Z
    l2_bytes=512 << 10,  # Z
    l2_bytes_per_clock=32,  # Z
    l3_bytes=64 << 20,  # Y
    l3_bytes_per_clock=32,  # Z
    dram_bytes_per_s=51.2e9,  # Y: 2 channels of DDR4-3200
    parallel_region_us=3.0,  # assumed
)

GENERIC = CpuArch(
    name="cpu-generic",  # the x86-64 baseline: nothing that a 64-bit CPU may lack
    cores=4,  # this row is assumed throughout
    clock_hz=3.0e9,
    vector_bytes=16,  # SSE2
    vector_registers=16,
    fma_units_per_core=1,  # one multiplier and one adder together
    capabilities=frozenset(),
    compiler_flags=("-march=x86-64",),
    l1_bytes=32 << 10,
    l2_bytes=256 << 10,
    l2_bytes_per_clock=32,
    l3_bytes=8 << 20,
    l3_bytes_per_clock=16,
    dram_bytes_per_s=25.6e9,  # 2 channels of DDR3-1600
    parallel_region_us=2.0,
)

CPUS = (AVX512, AVX2, GENERIC)
"""From the widest vectors to the narrowest."""
