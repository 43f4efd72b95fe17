"""Kernels whose blocks hand each other values while they run, written by hand."""

import numpy as np

from dlc.dialects.graph.structure import Array

_REGISTER = "#loop.space<register>"
BLOCKS, THREADS, STEPS = 4, 32, 6
UNITS = BLOCKS * THREADS
_HEAD = f"""grid = array<i64: {BLOCKS}, 1, 1>, block = array<i64: {THREADS}, 1, 1>,
    outputs = 1 : i64, cooperative, filled = array<i64: 1>"""

_ONE, _FOUR = f"memref<1xf32, {_REGISTER}>", f"memref<4xf32, {_REGISTER}>"
_X, _Y = f"memref<{UNITS}xf32>", f"memref<{STEPS}x{UNITS}xf32>"

COPY = f"gpu.copy %x[%u] to %r[0] {{elements = 1 : i64}} : {_X}, {_ONE}"
FIRST = f"gpu.publish %r[0] to %y[0, %u] {{elements = 1 : i64}} : {_ONE}, {_Y}"
AWAIT = (
    f"gpu.await %y[%k - 1, (%u * 4) mod {UNITS}] to %s[0] {{elements = 4 : i64}} : {_Y}, {_FOUR}"
)
NEXT = f"gpu.publish %r[0] to %y[%k, %u] {{elements = 1 : i64}} : {_ONE}, {_Y}"

STEPPED = f"""
gpu.kernel @k(%x: {_X}, %y: {_Y}) attributes {{{_HEAD}}} {{
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %u = loop.index [%b * {THREADS} + %t]
  %one = arith.constant 1 : index
  %end = arith.constant {STEPS} : index
  %r = gpu.register_alloc : {_ONE}
  %s = gpu.register_alloc : {_FOUR}
  {COPY}
  {FIRST}
  scf.for %k = %one to %end step %one {{
    {AWAIT}
    %v0 = loop.load %s[0] : {_FOUR} -> f32
    %v1 = loop.load %s[1] : {_FOUR} -> f32
    %v2 = loop.load %s[2] : {_FOUR} -> f32
    %v3 = loop.load %s[3] : {_FOUR} -> f32
    %a = arith.addf %v0, %v1 : f32
    %c = arith.subf %v2, %v3 : f32
    %d = arith.addf %a, %c : f32
    loop.store %d, %r[0] : f32 -> {_ONE}
    {NEXT}
  }}
  gpu.end
}}"""
"""A recurrence: a unit of a step is computed from four neighbours of the step before."""


def numbers() -> Array:
    """Return small integers, one for each unit."""
    return np.random.default_rng(3).integers(-8, 8, UNITS).astype(np.float32)


def stepped(x: Array) -> Array:
    """Return all steps of the recurrence."""
    rows = [x]
    for _ in range(STEPS - 1):
        a, b, c, d = np.tile(rows[-1].reshape(-1, 4), (4, 1)).T
        rows.append(a + b + c - d)
    return np.stack(rows)


_PAIR, _EIGHT = f"memref<2xf16, {_REGISTER}>", f"memref<8xf16, {_REGISTER}>"
_HX, _HY = f"memref<{2 * UNITS}xf16>", f"memref<{STEPS}x{2 * UNITS}xf16>"
_SHARED = f"memref<{2 * UNITS}xf16, #loop.space<shared>>"

PIECES = (
    "gpu.await %y[%k - 1, %t * 4] to %s[0] {elements = 4 : i64, pieces = 2 : i64, "
    f"stride = array<i64: 0, {UNITS}>}} : {_HY}, {_EIGHT}"
)

STAGED = f"""
gpu.kernel @k(%x: {_HX}, %y: {_HY}) attributes {{{_HEAD}, shared_bytes = {4 * UNITS} : i64}} {{
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %u = loop.index [(%b * {THREADS} + %t) * 2]
  %one = arith.constant 1 : index
  %end = arith.constant {STEPS} : index
  %row = gpu.shared_alloc {{offset = 0 : i64}} : {_SHARED}
  %r = gpu.register_alloc : {_PAIR}
  %s = gpu.register_alloc : {_EIGHT}
  gpu.copy %x[%u] to %r[0] {{elements = 2 : i64}} : {_HX}, {_PAIR}
  gpu.publish %r[0] to %y[0, %u] {{elements = 2 : i64}} : {_PAIR}, {_HY}
  scf.for %k = %one to %end step %one {{
    {PIECES}
    gpu.barrier
    gpu.copy %s[0] to %row[%t * 4] {{elements = 4 : i64}} : {_EIGHT}, {_SHARED}
    gpu.copy %s[4] to %row[%t * 4 + {UNITS}] {{elements = 4 : i64}} : {_EIGHT}, {_SHARED}
    gpu.barrier
    %v0 = loop.load %row[{2 * UNITS - 1} - %u] : {_SHARED} -> f32
    %v1 = loop.load %row[%u] : {_SHARED} -> f32
    %a = arith.addf %v0, %v1 : f32
    %c = arith.subf %v0, %v1 : f32
    loop.store %a, %r[0] : f32 -> {_PAIR}
    loop.store %c, %r[1] : f32 -> {_PAIR}
    gpu.publish %r[0] to %y[%k, %u] {{elements = 2 : i64}} : {_PAIR}, {_HY}
  }}
  gpu.end
}}"""
"""One of halves: each block brings the whole step before to its shared memory, where the
loads of a thread are under way together.
"""


def halves() -> Array:
    """Return small integers, two for each thread."""
    return np.random.default_rng(4).integers(-8, 8, 2 * UNITS).astype(np.float16)


def staged(x: Array) -> Array:
    """Return all steps of the recurrence of halves."""
    rows = [x]
    for _ in range(STEPS - 1):
        row = rows[-1]
        left, right = row[::-1][::2], row[::2]
        rows.append(np.stack([left + right, left - right], axis=1).reshape(-1))
    return np.stack(rows)


_TOKENS = f"memref<{BLOCKS}x1xf32>"

PASSED = f"""
gpu.kernel @k(%x: memref<1xf32>, %y: {_TOKENS}) attributes {{{_HEAD}}} {{
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %first = arith.cmpi eq, %t, %zero : index
  %last = arith.constant {BLOCKS - 1} : index
  %begins = arith.cmpi eq, %b, %last : index
  %r = gpu.register_alloc : {_ONE}
  scf.if %first {{
    scf.if %begins {{
      gpu.copy %x[0] to %r[0] {{elements = 1 : i64}} : memref<1xf32>, {_ONE}
    }} else {{
      gpu.await %y[%b + 1, 0] to %r[0] {{elements = 1 : i64}} : {_TOKENS}, {_ONE}
    }}
    gpu.publish %r[0] to %y[%b, 0] {{elements = 1 : i64}} : {_ONE}, {_TOKENS}
  }}
  gpu.end
}}"""
"""A token goes from the last block to the first. It is the mark itself, which nobody may see."""


def marks() -> Array:
    """Return the NaN that is the mark."""
    return np.full(1, 0xFFFFFFFF, np.uint32).view(np.float32)


def passed(x: Array) -> Array:
    """Return the other NaN, which is published in place of the mark."""
    return np.full((BLOCKS, 1), 0x7FFF7FFF, np.uint32).view(np.float32)


KERNELS = {
    "steps": (STEPPED, numbers, stepped),
    "halves through shared memory": (STAGED, halves, staged),
    "a token": (PASSED, marks, passed),
}
