"""Kernels that bring a box of a tensor to shared memory, and give it back element by element or as
a box.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from dlc.core.tensor_map import TensorMap
from dlc.dialects.gpu import TensorMapAttr, hardware_swizzle

SHARED = "#loop.space<shared>"
THREADS = 64
BYTES = {"f16": 2, "f32": 4, "i8": 1}
DTYPES = {"f16": np.float16, "f32": np.float32, "i8": np.int8}


@dataclass(frozen=True)
class Case:
    """A box of a tensor of ``shape``, at coordinates ``at``, and ``offsets`` of its pixels.

    spare: elements behind each row, which the map leaves out. rounded_bits: of the elements.
    """

    shape: tuple[int, ...]
    box: tuple[int, ...]
    at: tuple[int, ...]
    element: str = "f16"
    swizzle: int = 0
    steps: tuple[int, ...] = ()
    corners: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    offsets: tuple[int, ...] = ()
    spare: int = 0
    l2_promotion: int = 0
    rounded_bits: int = 0

    @property
    def buffer(self) -> tuple[int, ...]:
        """The shape in memory."""
        return (*self.shape[:-1], self.shape[-1] + self.spare)

    @property
    def map(self) -> TensorMap:
        """The tensor map."""
        width = BYTES[self.element]
        strides = [prod(self.buffer[axis + 1 :]) * width for axis in range(len(self.shape) - 1)]
        more = (self.swizzle, self.l2_promotion, *self.corners, self.rounded_bits)
        return TensorMap(self.shape, tuple(strides), self.box, self.steps, *more)

    @property
    def rows(self) -> tuple[int, int]:
        """The tile as rows."""
        return prod(self.box[:-1]), self.box[-1]

    @property
    def x(self) -> np.ndarray:
        """An input without zeros; where it is rounded, half of it is between two numbers that it
        may become.
        """
        generator = np.random.default_rng(0)
        if self.rounded_bits:
            bits = generator.standard_normal(self.buffer, np.float32).view(np.uint32)
            last = self.rounded_bits - 1
            return (bits >> last << last).view(np.float32)
        return generator.integers(1, 100, self.buffer).astype(DTYPES[self.element])

    @property
    def tile(self) -> np.ndarray:
        """What the copy brings."""
        x, map = self.x, self.map
        first = [np.array([n]) for n in self.at]
        offsets = [np.array([n]) for n in self.offsets]
        place, inside = map.positions(first, offsets, x.itemsize)
        tile = np.zeros(place.shape[1], x.dtype)
        tile[inside[0]] = x.reshape(-1)[place[0][inside[0]] // x.itemsize]
        return rounded(tile.reshape(self.rows), self.rounded_bits)


def rounded(x: np.ndarray, bits: int) -> np.ndarray:
    """Return floats of 32 bits with so many bits of mantissa less, ties to even."""
    if not bits:
        return x
    mantissa, exponent = np.frexp(x.astype(np.float64))
    return np.ldexp(np.rint(np.ldexp(mantissa, 24 - bits)), exponent - (24 - bits)).astype(x.dtype)


def _memref(shape: tuple[int, ...], element: str, shared: bool = False) -> str:
    return f"memref<{'x'.join(map(str, shape))}x{element}{', ' + SHARED if shared else ''}>"


def _head(case: Case, y: str, blocks: int = 1, index: Sequence[str] = ()) -> str:
    swizzle = hardware_swizzle(case.swizzle)
    permuted = "" if swizzle is None else f" {{swizzle = #gpu.swizzle<{str(swizzle.data)[1:-1]}>}}"
    x, tile = _memref(case.buffer, case.element), _memref(case.rows, case.element, shared=True)
    bytes = prod(case.rows) * BYTES[case.element]
    at = ", ".join([*index, *map(str, (*case.at, *case.offsets))])
    barrier = f"memref<1xi64, {SHARED}>"
    return f"""
#map = {TensorMapAttr.of(case.map)}
gpu.kernel @k(%x: {x}, %y: {y}) attributes {{
    grid = array<i64: {blocks}, 1, 1>, block = array<i64: {THREADS}, 1, 1>, outputs = 1 : i64}} {{
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  %first = arith.cmpi eq, %t, %zero : index
  %full = gpu.shared_alloc : {barrier}
  %s = gpu.shared_alloc{permuted} : {tile}
  scf.if %first {{
    gpu.prefetch_tensor_map %x {{map = #map}} : {x}
    gpu.mbarrier_init %full[0] {{arrivals = 1 : i64}} : {barrier}
    gpu.mbarrier_arrive %full[0] {{bytes = {bytes} : i64}} : {barrier}
    gpu.tensor_copy %x[{at}] to %s[0, 0] at %full[0] {{map = #map}} : {x}, {tile}, {barrier}
  }}
  gpu.barrier
  gpu.mbarrier_wait %full[0] parity %zero : {barrier}
"""


def loading(case: Case) -> str:
    """Return a kernel whose threads store the elements of the tile: y has the shape of its rows."""
    y, tile = _memref(case.rows, case.element), _memref(case.rows, case.element, shared=True)
    compute = "f32" if case.element == "f16" else "i32" if case.element == "i8" else case.element
    return (
        _head(case, y)
        + f"""
  %rows = arith.constant {case.rows[0]} : index
  %columns = arith.constant {case.rows[1]} : index
  %threads = arith.constant {THREADS} : index
  scf.for %i = %zero to %rows step %one {{
    scf.for %j = %t to %columns step %threads {{
      %v = loop.load %s[%i, %j] : {tile} -> {compute}
      loop.store %v, %y[%i, %j] : {compute} -> {y}
    }}
  }}
  gpu.end
}}"""
    )


def storing(case: Case) -> str:
    """Return a kernel whose blocks double all boxes of x: y is as x; boxes may hang over."""
    x, tile = _memref(case.buffer, case.element), _memref(case.rows, case.element, shared=True)
    boxes = [-(-n // b) for n, b in zip(case.shape, case.box, strict=True)]
    index = [
        f"%b floordiv {prod(boxes[axis + 1 :])} mod {boxes[axis]} * {case.box[axis]}"
        for axis in range(len(boxes))
    ]
    head = _head(replace(case, at=()), x, prod(boxes), index)
    return (
        head
        + f"""
  %rows = arith.constant {case.rows[0]} : index
  %columns = arith.constant {case.rows[1]} : index
  %threads = arith.constant {THREADS} : index
  scf.for %i = %zero to %rows step %one {{
    scf.for %j = %t to %columns step %threads {{
      %v = loop.load %s[%i, %j] : {tile} -> f32
      %w = arith.addf %v, %v : f32
      loop.store %w, %s[%i, %j] : f32 -> {tile}
    }}
  }}
  gpu.async_fence
  gpu.barrier
  scf.if %first {{
    gpu.tensor_store %s[0, 0] to %y[{", ".join(index)}] {{map = #map}} : {tile}, {x}
    gpu.bulk_commit
    gpu.bulk_wait {{outstanding = 0 : i64, read}}
  }}
  gpu.end
}}"""
    )


STRIP = (64, 64)
CASES = {
    "1d": Case((300,), (64,), (136,)),
    "1d, end": Case((300,), (64,), (268,), "f32"),
    "2d": Case((70, 136), (8, 64), (24, 64)),
    "2d, before": Case((70, 136), (8, 64), (-3, -8)),
    "2d, behind": Case((70, 136), (8, 64), (66, 104)),
    "2d, outside": Case((70, 136), (8, 64), (70, 0)),
    "2d, 128": Case((70, 136), STRIP, (16, 64), swizzle=128),
    "2d, 64": Case((70, 136), (64, 32), (16, 80), swizzle=64),
    "2d, 32": Case((70, 136), (64, 16), (16, 96), swizzle=32, l2_promotion=256),
    "2d, narrower than its swizzle": Case((70, 136), (16, 16), (16, 96), swizzle=32),
    "2d, bytes": Case((70, 256), (32, 128), (3, 64), "i8", swizzle=128),
    "2d, floats": Case((70, 136), (32, 32), (40, 108), "f32", swizzle=128, l2_promotion=128),
    "2d, rounded": Case(
        (70, 136), (32, 32), (50, 108), "f32", swizzle=128, rounded_bits=13, spare=4
    ),
    "2d, spare": Case((70, 133), (32, 64), (50, 96), spare=3, swizzle=128),
    "2d, every third": Case((70, 136), (16, 64), (-3, 0), steps=(3, 1), swizzle=128),
    "3d": Case((3, 9, 72), (2, 5, 64), (2, 6, 8), swizzle=128),
    "4d": Case((2, 7, 9, 64), (2, 4, 4, 64), (1, -1, -1, 0), swizzle=128),
    "4d, every second": Case((2, 14, 10, 64), (1, 7, 5, 64), (1, 0, 0, 0), steps=(1, 2, 2, 1)),
    "5d": Case((2, 2, 5, 6, 32), (1, 2, 3, 4, 16), (1, 0, 4, -2, 24), "f32", swizzle=64),
    "pixels": Case(
        (3, 7, 5, 64),
        (40, 64),
        (1, 2, 1, 0),
        swizzle=128,
        corners=((-1, -1), (-1, -1)),
        offsets=(2, 1),
    ),
    "pixels, other corners": Case(
        (3, 8, 5, 64), (24, 64), (0, 5, -1, 0), corners=((0, -2), (-1, -2)), offsets=(1, 3)
    ),
    "pixels, every second": Case(
        (3, 12, 9, 64),
        (33, 32),
        (0, -1, 1, 32),
        steps=(1, 2, 2, 1),
        swizzle=64,
        corners=((-1, -1), (-1, -1)),
        offsets=(2, 2),
    ),
    "pixels, rounded": Case(
        (3, 7, 5, 32),
        (40, 32),
        (1, 2, 1, 0),
        "f32",
        swizzle=128,
        corners=((-1, -1), (-1, -1)),
        offsets=(2, 1),
        rounded_bits=13,
    ),
    "pixels of lines": Case((5, 11, 64), (30, 64), (1, 3, 0), corners=((-1,), (-1,)), offsets=(2,)),
    "pixels of volumes": Case(
        (2, 4, 5, 6, 16),
        (64, 16),
        (0, -1, 2, 0, 0),
        "f32",
        corners=((-1, 0, -1), (-1, -2, 0)),
        offsets=(2, 1, 0),
    ),
}
STORED = [
    name
    for name, case in CASES.items()
    if case.element != "i8" and not (case.offsets or case.spare or case.steps or case.rounded_bits)
]
