"""NVIDIA chips.

Sources, cited by the letter in the comments:
  G  CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" and "Throughput
     of Native Arithmetic Instructions"
  V, T, A, R, D  NVIDIA's whitepapers on V100, Turing, A100, GA102 and Ada (with their appendices)
  H  NVIDIA H100 architecture whitepaper, H200 datasheet
  J  Jia et al., arXiv 1804.06826 (Volta) and 1903.07486 (Turing)
  L  Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture", arXiv 2402.13499
  B  RRZE gpu-benches (gpu-l2-cache, gpu-latency, gpu-small-kernels), A100, H200 and GH200 files
Peak rates per clock and SM are the whitepaper's TFLOP/s over (SMs x boost clock).
"""

from functools import partial

from dlc.arch.gpu import GpuArch

_MMA = frozenset(
    {
        "mma.sync.f16",
        "mma.sync.bf16",
        "mma.sync.tf32",
        "mma.sync.i8",
        "ldmatrix",
        "cp.async",
        "redux",
    }
)  # PTX ISA, "PTX ISA notes" of each instruction

# What the compute capability alone decides: G.
_SM_70 = partial(
    GpuArch,
    target="sm_70",  # for the model only: NVRTC 13 starts at sm_75
    capabilities=frozenset({"mma.sync.m8n8k4.f16"}),
    shared_bytes_per_sm=96 << 10,
    shared_bytes_per_block=96 << 10,
    shared_reserved_bytes_per_block=0,
    max_threads_per_sm=2048,
    max_blocks_per_sm=32,
)
_SM_75 = partial(
    GpuArch,
    target="sm_75",
    capabilities=frozenset({"mma.sync.m16n8k8.f16", "ldmatrix"}),
    shared_bytes_per_sm=64 << 10,
    shared_bytes_per_block=64 << 10,
    shared_reserved_bytes_per_block=0,
    max_threads_per_sm=1024,
    max_blocks_per_sm=16,
)
_SM_80 = partial(
    GpuArch,
    target="sm_80",
    capabilities=_MMA,
    shared_bytes_per_sm=164 << 10,
    shared_bytes_per_block=163 << 10,
    max_threads_per_sm=2048,
    max_blocks_per_sm=32,
)
_SM_86 = partial(
    GpuArch,
    target="sm_86",
    capabilities=_MMA,
    shared_bytes_per_sm=100 << 10,
    shared_bytes_per_block=99 << 10,
    max_threads_per_sm=1536,
    max_blocks_per_sm=16,
)
_SM_89 = partial(_SM_86, target="sm_89", max_blocks_per_sm=24)
_SM_90A = partial(
    _SM_80,
    target="sm_90a",
    capabilities=_MMA
    | {"wgmma", "tma", "mbarrier", "setmaxnreg", "cluster", "stmatrix", "griddepcontrol"},
    shared_bytes_per_sm=228 << 10,
    shared_bytes_per_block=227 << 10,
)

_EVERY_SM = {"fma.i32": 128, "special": 16}  # G: 64 multiply-adds, 16 special functions
_GEFORCE = {
    **_EVERY_SM,
    "fma.f32": 256,  # R: 35.6 TFLOP/s; D: 82.6
    "fma.f64": 4,  # G: 2 units
    "mma.f16": 512,  # R: 71 TFLOP/s accumulating in f32; D: 165
    "mma.bf16": 512,  # R, D
    "mma.tf32": 256,  # R: 35.6 TFLOP/s; D: 82.6
    "mma.i8": 2048,  # R: 284 TOP/s; D: 660
}
"""An SM of the Ampere and Ada chips for games."""

V100 = _SM_70(
    name="v100",
    sm_count=80,  # V
    clock_hz=1.53e9,  # V
    flops_per_clock_per_sm={
        **_EVERY_SM,
        "fma.f32": 128,  # V: 15.7 TFLOP/s
        "fma.f64": 64,  # V: 7.8 TFLOP/s
        "mma.f16": 1024,  # V: 125 TFLOP/s
    },
    dram_bytes_per_s=900e9,  # V
    dram_latency_s=281e-9,  # J: 430 clocks
    l2_bytes=6 << 20,  # V
    l2_bytes_per_clock=2048,  # A compares with V100's 2048
    l2_latency_s=126e-9,  # J: 193 clocks
)

RTX_2080 = _SM_75(
    name="rtx2080",
    sm_count=46,  # T
    clock_hz=1.8e9,  # T: boost of the Founders Edition
    flops_per_clock_per_sm={
        **_EVERY_SM,
        "fma.f32": 128,  # T: 10.6 TFLOP/s
        "fma.f64": 4,  # G: 2 units
        "mma.f16": 512,  # T: 42.4 TFLOP/s accumulating in f32
    },
    dram_bytes_per_s=448e9,  # T
    dram_latency_s=240e-9,  # J: 434 clocks on a T4
    l2_bytes=4 << 20,  # T
    l2_bytes_per_clock=2048,  # T: 64 bytes x 32 slices
    l2_latency_s=104e-9,  # J: 188 clocks
)

A100 = _SM_80(
    name="a100",
    sm_count=108,  # A
    clock_hz=1.41e9,  # A
    flops_per_clock_per_sm={
        **_EVERY_SM,
        "fma.f32": 128,  # A: 19.5 TFLOP/s
        "fma.f64": 64,  # A: 9.7 TFLOP/s
        "mma.f16": 2048,  # A: 312 TFLOP/s
        "mma.bf16": 2048,  # A
        "mma.tf32": 1024,  # A: 156 TFLOP/s
        "mma.i8": 4096,  # A: 624 TOP/s
    },
    dram_bytes_per_s=2039e9,  # A100 80 GB SXM datasheet
    dram_latency_s=331e-9,  # L: 466 clocks
    l2_bytes=40 << 20,  # A
    l2_bytes_per_clock=5120,  # A
    l2_latency_s=185e-9,  # L: 261 clocks
    launch_us=1.36,  # B
)

RTX_3090 = _SM_86(
    name="rtx3090",
    sm_count=82,  # R
    clock_hz=1.695e9,  # R
    flops_per_clock_per_sm=_GEFORCE,
    dram_bytes_per_s=936e9,  # R
    dram_latency_s=320e-9,  # L: 541 clocks of an RTX 4090, at this clock
    l2_bytes=6 << 20,  # R
    l2_bytes_per_clock=5248,  # G: 64 bytes per clock into each SM, the limit where none is stated
    l2_latency_s=161e-9,  # L: 273 clocks of an RTX 4090, at this clock
)

RTX_4090 = _SM_89(
    name="rtx4090",
    sm_count=128,  # D
    clock_hz=2.52e9,  # D
    flops_per_clock_per_sm=_GEFORCE,
    dram_bytes_per_s=1008e9,  # D
    dram_latency_s=215e-9,  # L: 541 clocks
    l2_bytes=72 << 20,  # D
    l2_bytes_per_clock=8192,  # G: 64 bytes per clock into each SM, the limit where none is stated
    l2_latency_s=108e-9,  # L: 273 clocks
)

_HOPPER = partial(  # SXM5; H100 and H200 differ in their memory only: H
    _SM_90A,
    sm_count=132,  # H
    cluster_sms={2: 132, 4: 120, 8: 120},  # cuOccupancyMaxActiveClusters of an H200
    clock_hz=1.98e9,  # H: highest boost; 989 TFLOP/s are stated at 1.83 GHz
    flops_per_clock_per_sm={
        **_EVERY_SM,
        "fma.f32": 256,  # H: 66.9 TFLOP/s
        "fma.f64": 128,  # H: 33.5 TFLOP/s
        "mma.f16": 2731,  # mma.sync runs at 2/3 of wgmma: 2680 measured on H100
        "mma.bf16": 2731,
        "mma.tf32": 1366,
        "mma.i8": 5462,
        "wgmma.f16": 4096,  # H: 989 TFLOP/s
        "wgmma.bf16": 4096,  # H
        "wgmma.tf32": 2048,  # H: 495 TFLOP/s
        "wgmma.f8": 8192,  # H: 1979 TFLOP/s
        "wgmma.i8": 8192,  # H: 1979 TOP/s
    },
    dram_latency_s=310e-9,  # B: 310-330 ns
    l2_bytes=50 << 20,  # H
    l2_bytes_per_clock=8448,  # G: 64 into each SM; 6330 reached by main loops, 5150 measured (B)
    l2_bytes_per_clock_into_sm=128,  # 121 measured where one block reads alone
    l2_latency_s=142e-9,  # B: near partition; 255 ns far
    launch_us=1.27,  # B: graph node on H200
    launch_floor_us=0.6,  # 0.62 seen of a cast whose launch overlaps with the kernel before it
)
H100 = _HOPPER(name="h100", dram_bytes_per_s=3352e9)  # H
H200 = _HOPPER(name="h200", dram_bytes_per_s=4800e9)  # H

GPUS = (V100, RTX_2080, A100, RTX_3090, RTX_4090, H100, H200)

DEFAULT_CHIPS = {
    "sm_70": "v100",
    "sm_75": "rtx2080",
    "sm_80": "a100",
    "sm_86": "rtx3090",
    "sm_89": "rtx4090",
    "sm_90a": "h200",
}
"""The chip that stands for a compute capability when only that is named."""
