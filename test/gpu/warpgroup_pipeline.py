"""A kernel of two warpgroups that stage slices while products of the slice before are under way.

It multiplies the rows of each slice by the first of these rows.
"""

import numpy as np
from fragment_values import spread

from dlc.arch import instructions
from dlc.dialects.graph.structure import Array

SHARED, REGISTER = "#loop.space<shared>", "#loop.space<register>"
BLOCKS, SLICES, SLOTS = 2, 5, 2
ROWS, COLUMNS, DEPTH = 128, 64, 64
THREADS = 256
SWIZZLE = "swizzle = #gpu.swizzle<3, 4, 3>"

X = f"memref<{BLOCKS}x{SLICES}x{ROWS}x{DEPTH}xf16>"
_Y = f"memref<{BLOCKS}x{THREADS}x{COLUMNS // 2}xf32>"
A, B = (f"memref<{SLOTS}x{rows}x{DEPTH}xf16, {SHARED}>" for rows in (ROWS, COLUMNS))
_C = f"memref<{COLUMNS // 2}xf32, {REGISTER}>"


def _lines(text: str, numbers: range) -> str:
    return "".join(text.replace("@", str(number)) for number in numbers)


PRODUCT = (
    "gpu.wgmma %a[%slot, %group * 64, 0 * 16], %b[%slot, 0, 0 * 16], %c[0] "
    f'{{shape = "m64n64k16"}} : {A}, {B}, {_C}'
)
PIPELINED = f"""
gpu.kernel @k(%x: {X}, %y: {_Y}) attributes {{
    grid = array<i64: {BLOCKS}, 1, 1>, block = array<i64: {THREADS}, 1, 1>, outputs = 1 : i64,
    shared_bytes = 49152 : i64}} {{
  %t = gpu.thread_id x : index
  %block = gpu.block_id x : index
  %a = gpu.shared_alloc {{offset = 0 : i64, {SWIZZLE}}} : {A}
  %b = gpu.shared_alloc {{offset = 32768 : i64, {SWIZZLE}}} : {B}
  %c = gpu.register_alloc : {_C}
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %slices = arith.constant {SLICES} : index
  %pieces = arith.constant {ROWS * DEPTH // 8} : index
  %others = arith.constant {COLUMNS * DEPTH // 8} : index
  %step = arith.constant {THREADS} : index
  %none = arith.constant 0.0 : f32
  %half = arith.constant 64 : index
  %first = arith.cmpi slt, %t, %half : index
  %group = loop.index [%t floordiv 128]
{_lines(f"  loop.store %none, %c[@] : f32 -> {_C}" + chr(10), range(COLUMNS // 2))}
  scf.for %k = %zero to %slices step %one {{
    %slot = loop.index [%k mod {SLOTS}]
    scf.for %i = %t to %pieces step %step {{
      gpu.cp_async %x[%block, %k, %i floordiv 8, %i mod 8 * 8]
        to %a[%slot, %i floordiv 8, %i mod 8 * 8] {{bytes = 16 : i64}} : {X}, {A}
    }}
    scf.for %i = %t to %others step %step {{
      gpu.copy %x[%block, %k, %i floordiv 8, %i mod 8 * 8] to %b[%slot, %i floordiv 8, %i mod 8 * 8]
        {{elements = 8 : i64}} : {X}, {B}
    }}
    gpu.cp_async_commit
    gpu.cp_async_wait {{outstanding = 0 : i64}}
    gpu.async_fence
    gpu.barrier
    gpu.wgmma_fence
{_lines("    " + PRODUCT.replace("0 * 16", "@ * 16") + chr(10), range(4))}
    gpu.wgmma_commit
    gpu.wgmma_wait {{outstanding = 1 : i64}}
    gpu.barrier
  }}
  gpu.wgmma_wait {{outstanding = 0 : i64}}
{
    _lines(
        f"  gpu.copy %c[@ * 4] to %y[%block, %t, @ * 4] {{elements = 4 : i64}} : {_C}, {_Y}"
        + chr(10),
        range(COLUMNS // 8),
    )
}
  gpu.end
}}"""


def factors() -> Array:
    """Return small integers, whose products and sums are exact."""
    sizes = BLOCKS, SLICES, ROWS, DEPTH
    return np.random.default_rng(5).integers(-4, 5, sizes).astype(np.float16)


def wanted(x: Array) -> Array:
    """Return what the threads hold of the sums: of all rows by the first of them."""
    place = instructions.named(f"wgmma.m64n{COLUMNS}k16")[0].c.place
    assert place is not None
    wide = x.astype(np.float32)
    sums = np.einsum("bskd,bsnd->bkn", wide, wide[:, :, :COLUMNS])
    warps = sums.reshape(BLOCKS, THREADS // 32, 16, COLUMNS)
    return np.array([np.concatenate([spread(w, place) for w in block]) for block in warps])
