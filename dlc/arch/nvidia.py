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

from dlc.arch.gpu import GpuArch

_SM80 = frozenset(
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
_SM90A = _SM80 | {"wgmma", "tma", "mbarrier", "cluster", "stmatrix", "griddepcontrol"}

V100 = GpuArch(
    name="v100",
    target="sm_70",  # for the model only: NVRTC 13 starts at sm_75
    sm_count=80,  # V
    clock_hz=1.53e9,  # V
    flops_per_clock_per_sm={
        "fma.f32": 128,  # V: 15.7 TFLOP/s
        "fma.f64": 64,  # V: 7.8 TFLOP/s
        "fma.i32": 128,  # G: 64 multiply-adds
        "special": 16,  # G
        "mma.f16": 1024,  # V: 125 TFLOP/s
    },
    capabilities=frozenset({"mma.sync.m8n8k4.f16"}),
    dram_bytes_per_s=900e9,  # V
    dram_latency_s=281e-9,  # J: 430 clocks
    l2_bytes=6 << 20,  # V
    l2_bytes_per_clock=2048,  # A compares with V100's 2048
    l2_latency_s=126e-9,  # J: 193 clocks
    shared_bytes_per_clock_per_sm=128,  # G: 32 banks of 4 bytes
    shared_latency_clocks=19,  # J
    shared_bytes_per_sm=96 << 10,  # G
    shared_bytes_per_block=96 << 10,  # G
    shared_reserved_bytes_per_block=0,  # G
    max_threads_per_sm=2048,  # G
    max_blocks_per_sm=32,  # G
    launch_us=1.4,  # assumed as on A100
    launch_floor_us=0.9,  # assumed as on H200
)

RTX_2080 = GpuArch(
    name="rtx2080",
    target="sm_75",
    sm_count=46,  # T
    clock_hz=1.8e9,  # T: boost of the Founders Edition
    flops_per_clock_per_sm={
        "fma.f32": 128,  # T: 10.6 TFLOP/s
        "fma.f64": 4,  # G: 2 units
        "fma.i32": 128,  # G
        "special": 16,  # G
        "mma.f16": 512,  # T: 42.4 TFLOP/s accumulating in f32
    },
    capabilities=frozenset({"mma.sync.m16n8k8.f16", "ldmatrix"}),
    dram_bytes_per_s=448e9,  # T
    dram_latency_s=240e-9,  # J: 434 clocks on a T4
    l2_bytes=4 << 20,  # T
    l2_bytes_per_clock=2048,  # T: 64 bytes x 32 slices
    l2_latency_s=104e-9,  # J: 188 clocks
    shared_bytes_per_clock_per_sm=128,  # G
    shared_latency_clocks=19,  # J
    shared_bytes_per_sm=64 << 10,  # G
    shared_bytes_per_block=64 << 10,  # G
    shared_reserved_bytes_per_block=0,  # G
    max_threads_per_sm=1024,  # G
    max_blocks_per_sm=16,  # G
    launch_us=1.4,  # assumed as on A100
    launch_floor_us=0.9,  # assumed as on H200
)

A100 = GpuArch(
    name="a100",
    target="sm_80",
    sm_count=108,  # A
    clock_hz=1.41e9,  # A
    flops_per_clock_per_sm={
        "fma.f32": 128,  # A: 19.5 TFLOP/s
        "fma.f64": 64,  # A: 9.7 TFLOP/s
        "fma.i32": 128,  # G
        "special": 16,  # G
        "mma.f16": 2048,  # A: 312 TFLOP/s
        "mma.bf16": 2048,  # A
        "mma.tf32": 1024,  # A: 156 TFLOP/s
        "mma.i8": 4096,  # A: 624 TOP/s
    },
    capabilities=_SM80,
    dram_bytes_per_s=2039e9,  # A100 80 GB SXM datasheet
    dram_latency_s=331e-9,  # L: 466 clocks
    l2_bytes=40 << 20,  # A
    l2_bytes_per_clock=5120,  # A
    l2_latency_s=185e-9,  # L: 261 clocks
    shared_bytes_per_clock_per_sm=128,  # G
    shared_latency_clocks=29,  # L
    shared_bytes_per_sm=164 << 10,  # G
    shared_bytes_per_block=163 << 10,  # G
    shared_reserved_bytes_per_block=1024,  # G
    max_threads_per_sm=2048,  # G
    max_blocks_per_sm=32,  # G
    launch_us=1.36,  # B
    launch_floor_us=0.9,  # assumed as on H200
)

RTX_3090 = GpuArch(
    name="rtx3090",
    target="sm_86",
    sm_count=82,  # R
    clock_hz=1.695e9,  # R
    flops_per_clock_per_sm={
        "fma.f32": 256,  # R: 35.6 TFLOP/s
        "fma.f64": 4,  # G: 2 units
        "fma.i32": 128,  # G
        "special": 16,  # G
        "mma.f16": 512,  # R: 71 TFLOP/s accumulating in f32
        "mma.bf16": 512,  # R
        "mma.tf32": 256,  # R: 35.6 TFLOP/s
        "mma.i8": 2048,  # R: 284 TOP/s
    },
    capabilities=_SM80,
    dram_bytes_per_s=936e9,  # R
    dram_latency_s=320e-9,  # L: 541 clocks of an RTX 4090, at this clock
    l2_bytes=6 << 20,  # R
    l2_bytes_per_clock=5248,  # G: 64 bytes per clock into each SM, the limit where none is stated
    l2_latency_s=161e-9,  # L: 273 clocks of an RTX 4090, at this clock
    shared_bytes_per_clock_per_sm=128,  # G
    shared_latency_clocks=30,  # L
    shared_bytes_per_sm=100 << 10,  # G
    shared_bytes_per_block=99 << 10,  # G
    shared_reserved_bytes_per_block=1024,  # G
    max_threads_per_sm=1536,  # G
    max_blocks_per_sm=16,  # G
    launch_us=1.4,  # assumed as on A100
    launch_floor_us=0.9,  # assumed as on H200
)

RTX_4090 = GpuArch(
    name="rtx4090",
    target="sm_89",
    sm_count=128,  # D
    clock_hz=2.52e9,  # D
    flops_per_clock_per_sm={
        "fma.f32": 256,  # D: 82.6 TFLOP/s
        "fma.f64": 4,  # G: 2 units
        "fma.i32": 128,  # G
        "special": 16,  # G
        "mma.f16": 512,  # D: 165 TFLOP/s accumulating in f32
        "mma.bf16": 512,  # D
        "mma.tf32": 256,  # D: 82.6 TFLOP/s
        "mma.i8": 2048,  # D: 660 TOP/s
    },
    capabilities=_SM80,
    dram_bytes_per_s=1008e9,  # D
    dram_latency_s=215e-9,  # L: 541 clocks
    l2_bytes=72 << 20,  # D
    l2_bytes_per_clock=8192,  # G: 64 bytes per clock into each SM, the limit where none is stated
    l2_latency_s=108e-9,  # L: 273 clocks
    shared_bytes_per_clock_per_sm=128,  # G
    shared_latency_clocks=30,  # L
    shared_bytes_per_sm=100 << 10,  # G
    shared_bytes_per_block=99 << 10,  # G
    shared_reserved_bytes_per_block=1024,  # G
    max_threads_per_sm=1536,  # G
    max_blocks_per_sm=24,  # G
    launch_us=1.4,  # assumed as on A100
    launch_floor_us=0.9,  # assumed as on H200
)


def _hopper(name: str, dram_bytes_per_s: float) -> GpuArch:
    """Return a Hopper SXM5 row; H100 and H200 differ in their memory only (H)."""
    return GpuArch(
        name=name,
        target="sm_90a",
        sm_count=132,  # H
        clock_hz=1.98e9,  # H: highest boost; 989 TFLOP/s are stated at 1.83 GHz
        flops_per_clock_per_sm={
            "fma.f32": 256,  # H: 66.9 TFLOP/s
            "fma.f64": 128,  # H: 33.5 TFLOP/s
            "fma.i32": 128,  # G
            "special": 16,  # G
            "mma.f16": 2731,  # mma.sync runs at 2/3 of wgmma: 2680 measured on H100
            "mma.bf16": 2731,
            "mma.tf32": 1366,
            "mma.i8": 5462,
            "wgmma.f16": 4096,  # H: 989 TFLOP/s
            "wgmma.bf16": 4096,  # H
            "wgmma.tf32": 2048,  # H: 495 TFLOP/s
            "wgmma.f8": 8192,  # H: 1979 TFLOP/s
        },
        capabilities=_SM90A,
        dram_bytes_per_s=dram_bytes_per_s,
        dram_latency_s=310e-9,  # B: 310-330 ns
        l2_bytes=50 << 20,  # H
        l2_bytes_per_clock=6154,  # model of DeepGEMM; 10.2 TB/s = 5150 measured (B)
        l2_latency_s=142e-9,  # B: near partition; 255 ns far
        shared_bytes_per_clock_per_sm=128,  # G
        shared_latency_clocks=29,  # L
        shared_bytes_per_sm=228 << 10,  # G
        shared_bytes_per_block=227 << 10,  # G
        shared_reserved_bytes_per_block=1024,  # G
        max_threads_per_sm=2048,  # G
        max_blocks_per_sm=32,  # G
        launch_us=1.27,  # B: graph node on H200
        launch_floor_us=0.9,  # 0.95 seen at 32 blocks
    )


H100 = _hopper("h100", 3352e9)  # H
H200 = _hopper("h200", 4800e9)  # H

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
