"""Kernels whose blocks bring slices for each other: of two blocks each fetches one half of every
slice, and both get it.
"""

import numpy as np

from dlc.dialects.graph.structure import Array

SHARED = "#loop.space<shared>"
PAIRS, SLICES, SLOTS, WIDTH = 4, 7, 2, 64
"""Slices do not divide by slots: parities differ at the end."""
HALF, CONSUMERS = WIDTH // 2, WIDTH
THREADS = 32 + CONSUMERS

_X, _Y = f"memref<{PAIRS}x{SLICES}x{WIDTH}xf32>", f"memref<{2 * PAIRS}x{SLICES}x{WIDTH}xf32>"
_RING = f"memref<{SLOTS}x2x{HALF}xf32, {SHARED}>"
_BARRIERS = f"memref<{SLOTS}xi64, {SHARED}>"
_MAP = (
    f"#gpu.tensor_map<sizes = [{PAIRS}, {SLICES}, {WIDTH}], "
    f"strides = [{SLICES * WIDTH * 4}, {WIDTH * 4}], box = [1, 1, {HALF}]>"
)
_INITIALISED = "".join(
    f"    gpu.mbarrier_init %{name}[{slot}] {{arrivals = {count} : i64}} : {_BARRIERS}\n"
    for name, count in (("full", 1), ("empty", 2 * CONSUMERS))
    for slot in range(SLOTS)
)


def kernel(cluster: int) -> str:
    """Return the kernel for clusters of so many blocks: 2 or 4."""
    return f"""
gpu.kernel @k(%x: {_X}, %y: {_Y}) attributes {{
    grid = array<i64: {2 * PAIRS}, 1, 1>, cluster = array<i64: {cluster}, 1, 1>,
    block = array<i64: {THREADS}, 1, 1>, outputs = 1 : i64, shared_bytes = 1024 : i64}} {{
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %rank = gpu.cluster_rank : index
  %ring = gpu.shared_alloc {{offset = 0 : i64}} : {_RING}
  %full = gpu.shared_alloc {{offset = 512 : i64}} : {_BARRIERS}
  %empty = gpu.shared_alloc {{offset = 528 : i64}} : {_BARRIERS}
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant {SLICES} : index
  %warp = arith.constant 32 : index
  %first = arith.cmpi eq, %t, %zero : index
  %fills = arith.cmpi slt, %t, %warp : index
  %left = loop.index [%rank floordiv 2 * 2]
  %right = loop.index [%rank floordiv 2 * 2 + 1]
  scf.if %first {{
{_INITIALISED}  }}
  gpu.cluster_barrier
  scf.if %fills {{
    scf.if %first {{
      %both = loop.index [%rank floordiv 2 * 9 + 3]
      scf.for %k = %zero to %n step %one {{
        %p = loop.index [(%k floordiv {SLOTS} + 1) mod 2]
        gpu.mbarrier_wait %empty[%k mod {SLOTS}] parity %p : {_BARRIERS}
        gpu.mbarrier_arrive %full[%k mod {SLOTS}] {{bytes = {WIDTH * 4} : i64}} : {_BARRIERS}
        gpu.tensor_copy %x[%b floordiv 2, %k, %rank mod 2 * {HALF}]
          to %ring[%k mod {SLOTS}, %rank mod 2, 0] at %full[%k mod {SLOTS}] multicast %both
          {{map = {_MAP}}} : {_X}, {_RING}, {_BARRIERS}
      }}
    }}
  }} else {{
    scf.for %k = %zero to %n step %one {{
      %p = loop.index [%k floordiv {SLOTS} mod 2]
      gpu.mbarrier_wait %full[%k mod {SLOTS}] parity %p : {_BARRIERS}
      %v = loop.load %ring[%k mod {SLOTS}, ({THREADS - 1} - %t) floordiv {HALF},
        ({THREADS - 1} - %t) mod {HALF}] : {_RING} -> f32
      gpu.mbarrier_arrive %empty[%k mod {SLOTS}] of %left : {_BARRIERS}
      gpu.mbarrier_arrive %empty[%k mod {SLOTS}] of %right : {_BARRIERS}
      %w = arith.addf %v, %v : f32
      loop.store %w, %y[%b, %k, %t - 32] : f32 -> {_Y}
    }}
  }}
  gpu.cluster_barrier
  gpu.end
}}"""


KERNELS = {"pairs": kernel(2), "fours": kernel(4)}
"""Of a cluster of four, the first two blocks share slices, and the last two."""


def slices() -> Array:
    """Return what is brought."""
    sizes = PAIRS, SLICES, WIDTH
    return np.random.default_rng(0).standard_normal(sizes).astype(np.float32)


def wanted(x: Array) -> Array:
    """Return what the blocks make of it: each of a pair the same."""
    return np.repeat(2 * x[:, :, ::-1], 2, axis=0)
