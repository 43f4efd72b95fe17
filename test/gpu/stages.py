"""Kernels of several stages whose threads give each other values through global memory, written
by hand at the ``loop`` level.
"""

import numpy as np

from dlc.dialects.graph.structure import Array

THREADS = 64


def _chunks(size: int, places: int, body: str) -> str:
    """Return a loop over an array in chunks of ``places``; ``%i`` is the element's place."""
    return f"""
  loop.for %b = 0 to {-(-size // places)} kind = parallel map = grid {{
    loop.for %t = 0 to {places} kind = parallel map = thread {{
      %i = loop.index [%b * {places} + %t]
      %n = arith.constant {size} : index
      %inside = arith.cmpi slt, %i, %n : index
      scf.if %inside {{
        {body}
      }}
      loop.yield
    }}
    loop.yield
  }}"""


def barrier(number: int) -> str:
    """Return a barrier over the grid."""
    return f"loop.barrier %c over grid {{number = {number} : i64}} : memref<1xi32>"


def three_stages(size: int, blocks: int, threads: int = THREADS) -> str:
    """Return a kernel of three stages, each of which reads what the one before it has written at
    the other end: ``s = 2 x``, ``u[i] = s[-i] + x[i]``, ``y[i] = u[-i] - s[i]``.
    """
    type, last = f"memref<{size}xf32>", size - 1
    first = f"""%v = loop.load %x[%i] : {type} -> f32
        %w = arith.addf %v, %v : f32
        loop.store %w, %s[%i] : f32 -> {type}"""
    second = f"""%v = loop.load %s[{last} - %i] : {type} -> f32
        %o = loop.load %x[%i] : {type} -> f32
        %w = arith.addf %v, %o : f32
        loop.store %w, %u[%i] : f32 -> {type}"""
    third = f"""%v = loop.load %u[{last} - %i] : {type} -> f32
        %o = loop.load %s[%i] : {type} -> f32
        %w = arith.subf %v, %o : f32
        loop.store %w, %y[%i] : f32 -> {type}"""
    return f"""
loop.kernel @k(%x: {type}, %y: {type}, %s: {type}, %u: {type}, %c: memref<1xi32>) attributes {{
    outputs = 1 : i64, scratch = array<i64: {4 * size}, {4 * size}, 4>, threads = {threads} : i64,
    blocks = {blocks} : i64, cooperative, filled = array<i64: 4>}} {{
  {_chunks(size, threads, first)}
  {barrier(1)}
  {_chunks(size, 3 * threads - 5, second)}
  {barrier(2)}
  {_chunks(size, threads, third)}
  loop.end
}}"""


def numbers(size: int) -> Array:
    """Return small integers."""
    return np.random.default_rng(size).integers(-99, 100, size).astype(np.float32)


def staged(x: Array) -> Array:
    """Return what the three stages make of an array."""
    s = 2 * x
    u = s[::-1] + x
    return u[::-1] - s


ROWS, CLUSTER = 12, 2
_PAIRS = f"memref<{ROWS}x{THREADS}xf32>"


def in_clusters(scope: str = "cluster", blocks: int = 4) -> str:
    """Return a kernel of two stages, of which the second one reads a row that the other block of
    the cluster has written, from its end.
    """
    return f"""
loop.kernel @k(%x: {_PAIRS}, %y: {_PAIRS}, %s: {_PAIRS}) attributes {{
    outputs = 1 : i64, scratch = array<i64: {4 * ROWS * THREADS}>, threads = {THREADS} : i64,
    blocks = {blocks} : i64, cluster = {CLUSTER} : i64}} {{
  loop.for %b = 0 to {ROWS} kind = parallel map = grid {{
    loop.for %t = 0 to {THREADS} kind = parallel map = thread {{
      %v = loop.load %x[%b, %t] : {_PAIRS} -> f32
      %w = arith.addf %v, %v : f32
      loop.store %w, %s[%b, %t] : f32 -> {_PAIRS}
      loop.yield
    }}
    loop.yield
  }}
  loop.barrier over {scope}
  loop.for %b = 0 to {ROWS} kind = parallel map = grid {{
    loop.for %t = 0 to {THREADS} kind = parallel map = thread {{
      %v = loop.load %s[(%b floordiv 2) * 2 + 1 - %b mod 2, {THREADS - 1} - %t] : {_PAIRS} -> f32
      %o = loop.load %x[%b, %t] : {_PAIRS} -> f32
      %w = arith.subf %v, %o : f32
      loop.store %w, %y[%b, %t] : f32 -> {_PAIRS}
      loop.yield
    }}
    loop.yield
  }}
  loop.end
}}"""


def pairs() -> Array:
    """Return small integers, in rows."""
    return numbers(ROWS * THREADS).reshape(ROWS, THREADS)


def from_the_other(x: Array) -> Array:
    """Return what the stages of clusters make of rows."""
    return 2 * x.reshape(-1, 2, THREADS)[:, ::-1, ::-1].reshape(x.shape) - x


def in_blocks(barrier: str = "loop.barrier over block", blocks: int = 5) -> str:
    """Return a kernel of two stages, of which the second one reads what other threads of the block
    have written.
    """
    text = in_clusters("block", blocks).replace(f", cluster = {CLUSTER} : i64", "")
    text = text.replace("(%b floordiv 2) * 2 + 1 - %b mod 2", "%b")
    return text.replace("loop.barrier over block", barrier)


def turned(x: Array) -> Array:
    """Return what the stages of blocks make of rows."""
    return 2 * x[:, ::-1] - x


def stored_over(rows: int = ROWS) -> str:
    """Return a kernel of three stages with a block for each row: the second one stores to the last
    rows what the first blocks make, where others have stored before.
    """
    type, half = f"memref<{rows}x{THREADS}xf32>", rows // 2

    def rows_of(count: int, body: str) -> str:
        return f"""
  loop.for %b = 0 to {count} kind = parallel map = grid {{
    loop.for %t = 0 to {THREADS} kind = parallel map = thread {{
      {body}
      loop.yield
    }}
    loop.yield
  }}"""

    first = f"""%v = loop.load %x[%b, %t] : {type} -> f32
      loop.store %v, %s[%b, %t] : f32 -> {type}"""
    second = f"""%v = loop.load %x[%b, %t] : {type} -> f32
      %w = arith.addf %v, %v : f32
      loop.store %w, %s[%b + {rows - half}, %t] : f32 -> {type}"""
    third = f"""%v = loop.load %s[%b, %t] : {type} -> f32
      loop.store %v, %y[%b, %t] : f32 -> {type}"""
    return f"""
loop.kernel @k(%x: {type}, %y: {type}, %s: {type}, %c: memref<1xi32>) attributes {{
    outputs = 1 : i64, scratch = array<i64: {4 * rows * THREADS}, 4>, threads = {THREADS} : i64,
    blocks = {rows} : i64, cooperative, filled = array<i64: 3>}} {{
  {rows_of(rows, first)}
  {barrier(1)}
  {rows_of(half, second)}
  {barrier(2)}
  {rows_of(rows, third)}
  loop.end
}}"""


def over_the_last(x: Array) -> Array:
    """Return the rows, with twice the first ones in place of the last ones."""
    half = len(x) // 2
    return np.concatenate([x[: len(x) - half], 2 * x[:half]])


def with_sums(blocks: int = 5) -> str:
    """Return a kernel of two stages: the first one adds up rows, the second one takes from each row
    the sum of another one.
    """
    sums = f"memref<{ROWS}xf32>"
    return f"""
loop.kernel @k(%x: {_PAIRS}, %y: {_PAIRS}, %s: {sums}, %c: memref<1xi32>) attributes {{
    outputs = 1 : i64, scratch = array<i64: {4 * ROWS}, 4>, threads = {THREADS} : i64,
    blocks = {blocks} : i64, cooperative, filled = array<i64: 3>}} {{
  loop.for %b = 0 to {ROWS} kind = parallel map = grid {{
    %zero = arith.constant 0.0 : f32
    %part = loop.for %t = 0 to {THREADS} kind = reduction map = thread
        iter_args(%a = %zero) -> (f32) {{
      %v = loop.load %x[%b, %t] : {_PAIRS} -> f32
      %n = arith.addf %a, %v : f32
      loop.yield %n : f32
    }}
    %sum = loop.combine %part over block : f32 {{
    ^bb0(%l: f32, %r: f32):
      %m = arith.addf %l, %r : f32
      loop.yield %m : f32
    }}
    loop.store %sum, %s[%b] : f32 -> {sums}
    loop.yield
  }}
  {barrier(1)}
  loop.for %b = 0 to {ROWS} kind = parallel map = grid {{
    loop.for %t = 0 to {THREADS} kind = parallel map = thread {{
      %v = loop.load %x[%b, %t] : {_PAIRS} -> f32
      %o = loop.load %s[{ROWS - 1} - %b] : {sums} -> f32
      %w = arith.subf %v, %o : f32
      loop.store %w, %y[%b, %t] : f32 -> {_PAIRS}
      loop.yield
    }}
    loop.yield
  }}
  loop.end
}}"""


def less_other_sums(x: Array) -> Array:
    """Return rows less the sums of those from the end."""
    return x - x.sum(axis=1)[::-1, None]
