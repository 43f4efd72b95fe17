"""What cuBLASLt takes for a product, as far as that can be told without it.

The numbers were fitted to times of cuBLAS on an H200: those of the table "Products of matrices" of
docs/results.md, each our own estimate times the ratio that was measured there. How far they are off
these times is part of the price. Other chips are assumed to have them.
"""

from dlc.analysis.dataflow import Cluster
from dlc.analysis.traffic import traffic_bytes
from dlc.arch import GpuArch
from dlc.ir.tensor import element_bytes, element_type, tensor_bytes
from dlc.libraries._gemm import Gemm
from dlc.libraries._library import Price
from dlc.libraries._tiles import Rounds, Sizes
from dlc.model.occupancy import BlockResources
from dlc.model.upper_bound import KernelWork, UpperBound, gpu_bound

_UNITS = {"f32": ("fma.f32",), "f64": ("fma.f64",)}
"""Of what is not multiplied by tensor cores. Those for f64 count below."""

_RATE = {"f64": 2.0}
"""Of tensor cores beside that of the unit: NVIDIA's whitepapers on A100 and H100."""

_EFFICIENCY = {"f16": 0.73, "bf16": 0.73, "tf32": 0.65, "i8": 0.35, "f32": 0.71, "f64": 0.7}
"""The part of the peak that a tile reaches in its loop; f64 is assumed."""

_PARTS = (1, 2, 4, 8)
"""How many blocks may share the reduction of a tile."""

_ROUND_S = 2.0e-6
"""What a round of tiles takes beside its products, and so does adding up parts."""

_READ_EFFICIENCY = 0.72
"""The part of the stated bandwidth: 1 x 4096 x 4096."""

_STORE_EFFICIENCY = 0.58
"""The same of what is stored: 200704 x 256 x 64."""

_ODD = {"f16": 6.3, "bf16": 6.0, "tf32": 2.4}
"""How many times as long it takes where lines of a matrix are no multiples of 16 bytes, which its
copies need: 2048 x 50257 x 768; f32 did not care.
"""


_ERROR = {"f16": 0.09, "bf16": 0.09}
_OTHER_ERROR = 0.18
"""Root of the mean square over that table, in 16 bits, and in i8, f32 and tf32; f64 is assumed."""


def unit_of(type: str, chip: GpuArch) -> str | None:
    """Return what multiplies a type on a chip, ``None`` where nothing does."""
    units = _UNITS.get(type, (f"wgmma.{type}", f"mma.{type}"))
    return next((unit for unit in units if unit in chip.flops_per_clock_per_sm), None)


def price_of(cluster: Cluster, gemm: Gemm, type: str, chip: GpuArch) -> Price:
    """Return the price of products of a type that the chip multiplies."""
    bytes = traffic_bytes(cluster)
    written = sum(map(tensor_bytes, cluster.results))
    in_lines = (bytes - written) / _READ_EFFICIENCY + written / _STORE_EFFICIENCY
    memory_s = in_lines / chip.dram_bytes_per_s
    rounds = Rounds(_EFFICIENCY[type], _ROUND_S, _PARTS)
    tiles_s = _sizes(gemm).seconds(rounds, rate_per_sm(type, chip), chip.sm_count)
    tiles_s *= _ODD.get(type, 1.0) if _is_odd(cluster, gemm) else 1.0
    seconds = 1e-6 * chip.costs.start_us + max(memory_s, tiles_s)
    error = _ERROR.get(type, _OTHER_ERROR)
    bound = bound_of(_sizes(gemm), type, bytes, chip)
    return Price(bound, seconds, error, 1e-6 * chip.costs.call_us)


def bound_of(sizes: Sizes, type: str, bytes: int, chip: GpuArch) -> UpperBound:
    """Return the bound of any code: the products are spread evenly, each byte crosses once."""
    unit = unit_of(type, chip)
    assert unit is not None
    issued = sizes.flops / _RATE.get(type, 1.0)
    work = KernelWork(unit, issued, issued, bytes, bytes, 0, chip.sm_count, BlockResources(128))
    return gpu_bound(work, chip)


def _sizes(gemm: Gemm) -> Sizes:
    return Sizes(gemm.products, gemm.result.rows, gemm.result.columns, gemm.lhs.columns)


def rate_per_sm(type: str, chip: GpuArch) -> float:
    """Return how many operations an SM does in a second with what multiplies a type there."""
    unit = unit_of(type, chip)
    assert unit is not None
    return chip.flops_per_s(unit) / chip.sm_count * _RATE.get(type, 1.0)


def _is_odd(cluster: Cluster, gemm: Gemm) -> bool:
    factor, result = cluster.ops[0].operands[0], cluster.results[0]
    bytes = (element_bytes(element_type(x)) for x in (factor, factor, result))
    return any(side.pitch * n % 16 for side, n in zip(gemm.sides, bytes, strict=True))
