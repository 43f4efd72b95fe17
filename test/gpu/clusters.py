"""Kernels whose blocks run in clusters and add up what they have found."""

import numpy as np

from dlc.dialects.graph.structure import Array

SHARED, REGISTER = "#loop.space<shared>", "#loop.space<register>"
CLUSTERS, BLOCKS, THREADS = 3, 4, 64
WIDTH = THREADS * BLOCKS
"""Sums of a cluster: each block ends with an even share of them."""

X, Y = f"memref<{CLUSTERS * BLOCKS}x{WIDTH}xf32>", f"memref<{CLUSTERS}x{WIDTH}xf32>"
_S, _R = f"memref<{WIDTH}xf32, {SHARED}>", f"memref<4xf32, {REGISTER}>"
_HEAD = f"""
gpu.kernel @k(%x: {X}, %y: {Y}) attributes {{
    grid = array<i64: {CLUSTERS * BLOCKS}, 1, 1>, cluster = array<i64: {BLOCKS}, 1, 1>,
    block = array<i64: {THREADS}, 1, 1>, outputs = 1 : i64, shared_bytes = SIZE : i64}} {{
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %rank = gpu.cluster_rank : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant {BLOCKS} : index
  %none = arith.constant 0.0 : f32
  %some = arith.cmpi eq, %rank, %zero : index
"""
_STORED = f"loop.store %sum, %y[%b floordiv {BLOCKS}, %rank * {THREADS} + %t] : f32 -> {Y}"

LOADED = (
    _HEAD.replace("SIZE", str(4 * WIDTH))
    + f"""
  %s = gpu.shared_alloc {{offset = 0 : i64}} : {_S}
  %r = gpu.register_alloc : memref<1xf32, {REGISTER}>
  gpu.copy %x[%b, %t * 4] to %s[%t * 4] {{elements = 4 : i64}} : {X}, {_S}
  gpu.cluster_barrier
  %sum = scf.for %i = %zero to %n step %one iter_args(%before = %none) -> (f32) {{
    gpu.cluster_load %s[%rank * {THREADS} + %t] of %i to %r[0] {{elements = 1 : i64}}
      : {_S}, memref<1xf32, {REGISTER}>
    %v = loop.load %r[0] : memref<1xf32, {REGISTER}> -> f32
    %after = arith.addf %before, %v : f32
    scf.yield %after : f32
  }}
  {_STORED}
  gpu.cluster_barrier
  gpu.end
}}"""
)
"""Each block fetches its share from all."""

_ROOM = f"memref<{BLOCKS}x{THREADS}xf32, {SHARED}>"
STORED = (
    _HEAD.replace("SIZE", str(4 * WIDTH))
    + f"""
  %s = gpu.shared_alloc {{offset = 0 : i64}} : {_ROOM}
  %r = gpu.register_alloc : {_R}
  gpu.copy %x[%b, %t * 4] to %r[0] {{elements = 4 : i64}} : {X}, {_R}
  gpu.cluster_barrier
  %to = loop.index [%t floordiv {THREADS // BLOCKS}]
  gpu.cluster_store %r[0] to %s[%rank, %t mod {THREADS // BLOCKS} * 4] of %to
    {{elements = 4 : i64}} : {_R}, {_ROOM}
  gpu.cluster_barrier
  %sum = scf.for %i = %zero to %n step %one iter_args(%before = %none) -> (f32) {{
    %v = loop.load %s[%i, %t] : {_ROOM} -> f32
    %after = arith.addf %before, %v : f32
    scf.yield %after : f32
  }}
  {_STORED}
  gpu.end
}}"""
)
"""Each block sends all others their share."""

_Z = f"memref<{CLUSTERS * BLOCKS}x{WIDTH}xf32>"
EXCHANGED = (
    _HEAD.replace("SIZE", "16")
    .replace("%y:", f"%z: {_Z}, %y:")
    .replace("outputs = 1", "outputs = 2")
    + f"""
  %r = gpu.register_alloc : {_R}
  gpu.copy %x[%b, %t * 4] to %r[0] {{elements = 4 : i64}} : {X}, {_R}
  gpu.copy %r[0] to %z[%b, %t * 4] {{elements = 4 : i64}} : {_R}, {_Z}
  gpu.cluster_barrier
  %sum = scf.for %i = %zero to %n step %one iter_args(%before = %none) -> (f32) {{
    %v = loop.load %z[%b floordiv {BLOCKS} * {BLOCKS} + %i, %rank * {THREADS} + %t] : {_Z} -> f32
    %after = arith.addf %before, %v : f32
    scf.yield %after : f32
  }}
  {_STORED}
  gpu.end
}}"""
)
"""Each block writes to global memory what the others of its cluster read there."""

KERNELS = {"loaded": LOADED, "stored": STORED}


def summands() -> Array:
    """Return what each block finds: small integers, whose sums are exact."""
    sizes = CLUSTERS * BLOCKS, WIDTH
    return np.random.default_rng(4).integers(-99, 99, sizes).astype(np.float32)


def wanted(x: Array) -> Array:
    """Return the sums of each cluster."""
    return x.reshape(CLUSTERS, BLOCKS, WIDTH).sum(axis=1)
