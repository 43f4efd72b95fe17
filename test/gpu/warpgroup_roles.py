"""A kernel of three warpgroups: one brings slices, two have tiles of their own and take turns.

While one multiplies, the other one stores its sums. It multiplies the rows of each slice by the
first of these rows, for several tiles one after the other.
"""

import numpy as np
from fragment_values import spread

from dlc.arch import instructions
from dlc.dialects.graph.structure import Array

SHARED, REGISTER = "#loop.space<shared>", "#loop.space<register>"
BLOCKS, TILES, SLICES, SLOTS = 2, 5, 3, 4
ROWS, DEPTH = 64, 64
PRODUCERS, TEAM = 128, 128
THREADS = PRODUCERS + 2 * TEAM
"""Tiles do not divide by the teams, slices not by the slots."""

X = f"memref<{BLOCKS}x{TILES}x{SLICES}x{ROWS}x{DEPTH}xf16>"
Y = f"memref<{BLOCKS}x{TILES}x{TEAM}x{ROWS // 2}xf32>"
A = f"memref<{SLOTS}x{ROWS}x{DEPTH}xf16, {SHARED}>"
C = f"memref<{ROWS // 2}xf32, {REGISTER}>"
BARRIERS = f"memref<{SLOTS}xi64, {SHARED}>"
_TILE_BYTES = SLOTS * ROWS * DEPTH * 2


def _lines(text: str, numbers: range) -> str:
    return "".join(f"      {text}\n".replace("@", str(number)) for number in numbers)


ARRIVES = f"""scf.if %elected {{
          gpu.mbarrier_arrive %empty[%before] : {BARRIERS}
        }}"""
PRODUCTS = _lines(
    f'gpu.wgmma %a[%slot, 0, @ * 16], %a[%slot, 0, @ * 16], %c[0] {{shape = "m64n{ROWS}k16"}} : '
    f"{A}, {A}, {C}",
    range(DEPTH // 16),
)
BRINGS = f"""    scf.for %j = %zero to %all step %one {{
      %p = loop.index [(%j floordiv {SLOTS} + 1) mod 2]
      gpu.mbarrier_wait %empty[%j mod {SLOTS}] parity %p : {BARRIERS}
      scf.for %i = %t to %pieces step %step {{
        gpu.cp_async %x[%block, %j floordiv {SLICES}, %j mod {SLICES}, %i floordiv 8, %i mod 8 * 8]
          to %a[%j mod {SLOTS}, %i floordiv 8, %i mod 8 * 8] {{bytes = 16 : i64}} : {X}, {A}
      }}
      gpu.cp_async_arrive %full[%j mod {SLOTS}] : {BARRIERS}
    }}
"""
PING_PONG = f"""
gpu.kernel @k(%x: {X}, %y: {Y}) attributes {{
    grid = array<i64: {BLOCKS}, 1, 1>, block = array<i64: {
    THREADS
}, 1, 1>, outputs = 1 : i64, resident_blocks = 1 : i64,
    shared_bytes = {_TILE_BYTES + 16 * SLOTS} : i64}} {{
  %t = gpu.thread_id x : index
  %block = gpu.block_id x : index
  %a = gpu.shared_alloc {{offset = 0 : i64, swizzle = #gpu.swizzle<3, 4, 3>}} : {A}
  %full = gpu.shared_alloc {{offset = {_TILE_BYTES} : i64}} : {BARRIERS}
  %empty = gpu.shared_alloc {{offset = {_TILE_BYTES + 8 * SLOTS} : i64}} : {BARRIERS}
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %all = arith.constant {TILES * SLICES} : index
  %tiles = arith.constant {TILES} : index
  %slices = arith.constant {SLICES} : index
  %pieces = arith.constant {ROWS * DEPTH // 8} : index
  %step = arith.constant {PRODUCERS} : index
  %none = arith.constant 0.0 : f32
  %first = arith.cmpi eq, %t, %zero : index
  %brings = arith.cmpi slt, %t, %step : index
  scf.if %first {{
{_lines(f"gpu.mbarrier_init %full[@] {{arrivals = {PRODUCERS} : i64}} : {BARRIERS}", range(SLOTS))}
{
    _lines(
        f"gpu.mbarrier_init %empty[@] {{arrivals = {TEAM // 32} : i64}} : {BARRIERS}", range(SLOTS)
    )
}
  }}
  gpu.barrier
  scf.if %brings {{
    gpu.set_registers {{count = 40 : i64}}
{BRINGS}  }} else {{
    gpu.set_registers {{count = 232 : i64}}
    %team = loop.index [%t floordiv {TEAM} - 1]
    %own = loop.index [%t mod {TEAM}]
    %lane = loop.index [%t mod 32]
    %elected = arith.cmpi eq, %lane, %zero : index
    %c = gpu.register_alloc : {C}
    scf.for %tile = %team to %tiles step %two {{
{_lines(f"loop.store %none, %c[@] : f32 -> {C}", range(ROWS // 2))}
      %later = arith.cmpi sgt, %tile, %zero : index
      scf.if %later {{
        %mine = loop.index [%team + 1]
        gpu.bar_sync %mine {{threads = {2 * TEAM} : i64}}
      }}
      scf.for %k = %zero to %slices step %one {{
        %slot = loop.index [(%tile * {SLICES} + %k) mod {SLOTS}]
        %p = loop.index [(%tile * {SLICES} + %k) floordiv {SLOTS} mod 2]
        gpu.mbarrier_wait %full[%slot] parity %p : {BARRIERS}
        gpu.async_fence
        gpu.wgmma_fence
{PRODUCTS}
        gpu.wgmma_commit
        gpu.wgmma_wait {{outstanding = 1 : i64}}
        %again = arith.cmpi sgt, %k, %zero : index
        scf.if %again {{
          %before = loop.index [(%tile * {SLICES} + %k - 1) mod {SLOTS}]
          {ARRIVES}
        }}
      }}
      %more = arith.constant {TILES - 1} : index
      %follows = arith.cmpi slt, %tile, %more : index
      scf.if %follows {{
        %theirs = loop.index [2 - %team]
        gpu.bar_arrive %theirs {{threads = {2 * TEAM} : i64}}
      }}
      gpu.wgmma_wait {{outstanding = 0 : i64}}
      %before = loop.index [(%tile * {SLICES} + {SLICES - 1}) mod {SLOTS}]
      {ARRIVES}
{
    _lines(
        f"gpu.copy %c[@ * 4] to %y[%block, %tile, %own, @ * 4] {{elements = 4 : i64}} : {C}, {Y}",
        range(ROWS // 8),
    )
}
    }}
  }}
  gpu.end
}}"""


_MAP = (
    f"#gpu.tensor_map<sizes = [{BLOCKS * TILES * SLICES * ROWS}, {DEPTH}], "
    f"strides = [{2 * DEPTH}], box = [{ROWS}, {DEPTH}], swizzle = 128>"
)
_BOXES = f"""    scf.if %first {{
      scf.for %j = %zero to %all step %one {{
        %p = loop.index [(%j floordiv {SLOTS} + 1) mod 2]
        gpu.mbarrier_wait %empty[%j mod {SLOTS}] parity %p : {BARRIERS}
        gpu.mbarrier_arrive %full[%j mod {SLOTS}] {{bytes = {ROWS * DEPTH * 2} : i64}} : {BARRIERS}
        gpu.tensor_copy %x[(%block * {TILES * SLICES} + %j) * {ROWS}, 0]
          to %a[%j mod {SLOTS}, 0, 0] at %full[%j mod {SLOTS}] {{map = {_MAP}}}
          : {X}, {A}, {BARRIERS}
      }}
    }}
"""
BOXED = (
    PING_PONG.replace(BRINGS, _BOXES)
    .replace(f"arrivals = {PRODUCERS} :", "arrivals = 1 :")
    .replace("        gpu.async_fence\n", "")
)
"""One thread starts copies of whole slices."""


def factors() -> Array:
    """Return small integers, whose products and sums are exact."""
    sizes = BLOCKS, TILES, SLICES, ROWS, DEPTH
    return np.random.default_rng(9).integers(-4, 5, sizes).astype(np.float16)


def wanted(x: Array) -> Array:
    """Return what the threads hold of the sums of each tile."""
    place = instructions.named(f"wgmma.m64n{ROWS}k16")[0].c.place
    assert place is not None
    wide = x.astype(np.float32)
    sums = np.einsum("btskd,btsnd->btkn", wide, wide).reshape(-1, 16, ROWS)
    held = np.array([spread(warp, place) for warp in sums])
    return held.reshape(BLOCKS, TILES, TEAM, ROWS // 2)
