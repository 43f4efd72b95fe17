"""Kernels whose warps have different tasks: one fills a ring of slots, the others empty it."""

SHARED = "#loop.space<shared>"
BLOCKS, SLICES, SLOTS, WIDTH = 3, 7, 2, 64
"""Slices do not divide by slots: parities differ at the end."""
CONSUMERS = 64
THREADS = 32 + CONSUMERS

_TENSOR = f"memref<{BLOCKS}x{SLICES}x{WIDTH}xf32>"
_RING = f"memref<{SLOTS}x{WIDTH}xf32, {SHARED}>"
_BARRIERS = f"memref<{SLOTS}xi64, {SHARED}>"
_HEAD = f"""
gpu.kernel @k(%x: {_TENSOR}, %y: {_TENSOR}) attributes {{
    grid = array<i64: {BLOCKS}, 1, 1>, block = array<i64: {THREADS}, 1, 1>, outputs = 1 : i64,
    shared_bytes = 1024 : i64}} {{
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %ring = gpu.shared_alloc {{offset = 0 : i64}} : {_RING}
  %full = gpu.shared_alloc {{offset = 512 : i64}} : {_BARRIERS}
  %empty = gpu.shared_alloc {{offset = 528 : i64}} : {_BARRIERS}
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant {SLICES} : index
  %warp = arith.constant 32 : index
  %first = arith.cmpi eq, %t, %zero : index
  %fills = arith.cmpi slt, %t, %warp : index
"""


def _initialised(filled_by: int) -> str:
    inits = "".join(
        f"    gpu.mbarrier_init %{name}[{slot}] {{arrivals = {count} : i64}} : {_BARRIERS}\n"
        for name, count in (("full", filled_by), ("empty", CONSUMERS))
        for slot in range(SLOTS)
    )
    return f"  scf.if %first {{\n{inits}  }}\n  gpu.barrier\n"


_EMPTIES = f"""
  }} else {{
    scf.for %k = %zero to %n step %one {{
      %p = loop.index [%k floordiv {SLOTS} mod 2]
      gpu.mbarrier_wait %full[%k mod {SLOTS}] parity %p : {_BARRIERS}
      %v = loop.load %ring[%k mod {SLOTS}, {THREADS - 1} - %t] : {_RING} -> f32
      gpu.mbarrier_arrive %empty[%k mod {SLOTS}] : {_BARRIERS}
      %w = arith.addf %v, %v : f32
      loop.store %w, %y[%b, %k, %t - 32] : f32 -> {_TENSOR}
    }}
  }}
  gpu.end
}}"""

COPIED = (
    _HEAD
    + _initialised(filled_by=1)
    + f"""
  scf.if %fills {{
    scf.if %first {{
      scf.for %k = %zero to %n step %one {{
        %p = loop.index [(%k floordiv {SLOTS} + 1) mod 2]
        gpu.mbarrier_wait %empty[%k mod {SLOTS}] parity %p : {_BARRIERS}
        gpu.mbarrier_arrive %full[%k mod {SLOTS}] {{bytes = {WIDTH * 4} : i64}} : {_BARRIERS}
        gpu.bulk_copy %x[%b, %k, 0] to %ring[%k mod {SLOTS}, 0] at %full[%k mod {SLOTS}]
          {{elements = {WIDTH} : i64}} : {_TENSOR}, {_RING}, {_BARRIERS}
      }}
    }}"""
    + _EMPTIES
)
"""One thread starts copies of whole slices; their bytes arrive at the slot's barrier."""

_MAP = (
    f"#gpu.tensor_map<sizes = [{BLOCKS}, {SLICES}, {WIDTH}], "
    f"strides = [{SLICES * WIDTH * 4}, {WIDTH * 4}], box = [1, 1, {WIDTH}]>"
)
BOXED = COPIED.replace("gpu.bulk_copy", "gpu.tensor_copy").replace(
    f"{{elements = {WIDTH} : i64}}", f"{{map = {_MAP}}}"
)
"""The same with boxes of a tensor."""

STORED = (
    _HEAD
    + _initialised(filled_by=32)
    + f"""
  scf.if %fills {{
    scf.for %k = %zero to %n step %one {{
      %u = loop.load %x[%b, %k, %t] : {_TENSOR} -> f32
      %v = loop.load %x[%b, %k, %t + 32] : {_TENSOR} -> f32
      %p = loop.index [(%k floordiv {SLOTS} + 1) mod 2]
      gpu.mbarrier_wait %empty[%k mod {SLOTS}] parity %p : {_BARRIERS}
      loop.store %u, %ring[%k mod {SLOTS}, %t] : f32 -> {_RING}
      loop.store %v, %ring[%k mod {SLOTS}, %t + 32] : f32 -> {_RING}
      gpu.mbarrier_arrive %full[%k mod {SLOTS}] : {_BARRIERS}
    }}"""
    + _EMPTIES
)
"""The lanes of a warp store the slices."""

GATHERED = (
    _HEAD
    + _initialised(filled_by=32)
    + f"""
  scf.if %fills {{
    scf.for %k = %zero to %n step %one {{
      %p = loop.index [(%k floordiv {SLOTS} + 1) mod 2]
      gpu.mbarrier_wait %empty[%k mod {SLOTS}] parity %p : {_BARRIERS}
      gpu.cp_async %x[%b, %k, %t * 2] to %ring[%k mod {SLOTS}, %t * 2] {{bytes = 8 : i64}}
        : {_TENSOR}, {_RING}
      gpu.cp_async_arrive %full[%k mod {SLOTS}] : {_BARRIERS}
    }}"""
    + _EMPTIES
)
"""The lanes of a warp start copies of the slices and wait for none of them."""

_ARRIVES = f"gpu.cp_async_arrive %full[%k mod {SLOTS}] : {_BARRIERS}\n"
AWAITED = GATHERED.replace(
    _ARRIVES, _ARRIVES + "gpu.cp_async_commit\ngpu.cp_async_wait {outstanding = 0 : i64}\n"
)
"""They also wait for them, which tells nobody else anything."""

NUMBERED = (
    _HEAD
    + f"""
  scf.if %fills {{
    scf.for %k = %zero to %n step %one {{
      %u = loop.load %x[%b, %k, %t] : {_TENSOR} -> f32
      %v = loop.load %x[%b, %k, %t + 32] : {_TENSOR} -> f32
      %slot = arith.constant {SLOTS} : index
      %again = arith.cmpi sge, %k, %slot : index
      scf.if %again {{
        %emptied = loop.index [%k mod {SLOTS} + {1 + SLOTS}]
        gpu.bar_sync %emptied {{threads = {THREADS} : i64}}
      }}
      loop.store %u, %ring[%k mod {SLOTS}, %t] : f32 -> {_RING}
      loop.store %v, %ring[%k mod {SLOTS}, %t + 32] : f32 -> {_RING}
      %filled = loop.index [%k mod {SLOTS} + 1]
      gpu.bar_arrive %filled {{threads = {THREADS} : i64}}
    }}
  }} else {{
    scf.for %k = %zero to %n step %one {{
      %filled = loop.index [%k mod {SLOTS} + 1]
      gpu.bar_sync %filled {{threads = {THREADS} : i64}}
      %v = loop.load %ring[%k mod {SLOTS}, {THREADS - 1} - %t] : {_RING} -> f32
      %last = arith.constant {SLICES - SLOTS} : index
      %more = arith.cmpi slt, %k, %last : index
      scf.if %more {{
        %emptied = loop.index [%k mod {SLOTS} + {1 + SLOTS}]
        gpu.bar_arrive %emptied {{threads = {THREADS} : i64}}
      }}
      %w = arith.addf %v, %v : f32
      loop.store %w, %y[%b, %k, %t - 32] : f32 -> {_TENSOR}
    }}
  }}
  gpu.end
}}"""
)
"""The same with the numbered barriers of the block."""

ELECTED = STORED.replace(
    f"{{arrivals = {CONSUMERS} : i64}}", f"{{arrivals = {CONSUMERS // 32} : i64}}"
).replace(
    f"gpu.mbarrier_arrive %empty[%k mod {SLOTS}] : {_BARRIERS}",
    f"""gpu.warp_barrier
      %lane = loop.index [%t mod 32]
      %elected = arith.cmpi eq, %lane, %zero : index
      scf.if %elected {{ gpu.mbarrier_arrive %empty[%k mod {SLOTS}] : {_BARRIERS} }}""",
)
"""One lane of each warp arrives for all of it, once all have read."""

WARPS, ROUNDS = 4, 3

TURNS = f"""
gpu.kernel @k(%x: memref<{BLOCKS}x32xi32>, %y: memref<{BLOCKS}x32xi32>) attributes {{
    grid = array<i64: {BLOCKS}, 1, 1>, block = array<i64: {32 * WARPS}, 1, 1>, outputs = 1 : i64,
    shared_bytes = 256 : i64}} {{
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %sum = gpu.shared_alloc {{offset = 0 : i64}} : memref<32xi32, {SHARED}>
  %turn = gpu.shared_alloc {{offset = 128 : i64}} : memref<{WARPS}xi64, {SHARED}>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant {ROUNDS} : index
  %warps = arith.constant {WARPS} : index
  %lanes = arith.constant 32 : index
  %two = arith.constant 2 : i32
  %creates = arith.cmpi slt, %t, %warps : index
  scf.if %creates {{
    gpu.mbarrier_init %turn[%t] {{arrivals = 32 : i64}} : memref<{WARPS}xi64, {SHARED}>
  }}
  %starts = arith.cmpi slt, %t, %lanes : index
  scf.if %starts {{
    %v = loop.load %x[%b, %t] : memref<{BLOCKS}x32xi32> -> i32
    loop.store %v, %sum[%t] : i32 -> memref<32xi32, {SHARED}>
  }}
  gpu.barrier
  %warp = loop.index [%t floordiv 32]
  %number = arith.index_cast %warp : index to i32
  scf.for %k = %zero to %n step %one {{
    %p = loop.index [(%k + ({WARPS - 1} - %t floordiv 32) floordiv {WARPS - 1}) mod 2]
    gpu.mbarrier_wait %turn[%t floordiv 32] parity %p : memref<{WARPS}xi64, {SHARED}>
    %v = loop.load %sum[%t mod 32] : memref<32xi32, {SHARED}> -> i32
    %d = arith.muli %v, %two : i32
    %w = arith.addi %d, %number : i32
    loop.store %w, %sum[%t mod 32] : i32 -> memref<32xi32, {SHARED}>
    gpu.mbarrier_arrive %turn[(%t floordiv 32 + 1) mod {WARPS}] : memref<{WARPS}xi64, {SHARED}>
  }}
  gpu.barrier
  scf.if %starts {{
    %v = loop.load %sum[%t] : memref<32xi32, {SHARED}> -> i32
    loop.store %v, %y[%b, %t] : i32 -> memref<{BLOCKS}x32xi32>
  }}
  gpu.end
}}"""
"""Warps in the same loop that have their turns one after the other."""

WARPGROUPS = 3

REALLOCATED = f"""
gpu.kernel @k(%x: memref<{BLOCKS}x{128 * WARPGROUPS}xf32>,
    %y: memref<{BLOCKS}x{128 * WARPGROUPS}xf32>) attributes {{
    grid = array<i64: {BLOCKS}, 1, 1>, block = array<i64: {128 * WARPGROUPS}, 1, 1>,
    outputs = 1 : i64, resident_blocks = 1 : i64}} {{
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %group = arith.constant 128 : index
  %gives = arith.cmpi slt, %t, %group : index
  scf.if %gives {{
    gpu.set_registers {{count = 24 : i64}}
  }} else {{
    gpu.set_registers {{count = 240 : i64}}
  }}
  %v = loop.load %x[%b, %t] : memref<{BLOCKS}x{128 * WARPGROUPS}xf32> -> f32
  %w = arith.addf %v, %v : f32
  loop.store %w, %y[%b, %t] : f32 -> memref<{BLOCKS}x{128 * WARPGROUPS}xf32>
  gpu.end
}}"""
"""A warpgroup gives registers to two others."""
