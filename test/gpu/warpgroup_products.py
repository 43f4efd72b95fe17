"""Kernels of one block whose warpgroup multiplies two staged tiles, for each way to do it."""

from dataclasses import dataclass

import numpy as np
from fragment_values import DTYPES, spread

from dlc.arch.instruction import Instruction
from dlc.dialects.graph.structure import Array

SHARED, REGISTER = "#loop.space<shared>", "#loop.space<register>"
THREADS = 128
STEPS = 4
"""Products, one after the other along the reduction: a row of 128 bytes."""
PIECE = 16
"""Bytes that one copy brings."""


@dataclass(frozen=True)
class Case:
    """How a product takes its factors. rows_a, rows_b: the bytes of a row of each tile; ``a`` is in
    registers where it has none.
    """

    it: Instruction
    rows_a: int = 128
    rows_b: int = 128
    transpose_a: bool = False
    transpose_b: bool = False

    def __str__(self) -> str:
        types = dict.fromkeys(str(x.element) for x in (self.it.a, self.it.b))
        a = f"{self.rows_a}{'t' * self.transpose_a}" if self.rows_a else "registers"
        return f"{self.it.shape}.{'.'.join(types)}.{a}.{self.rows_b}{'t' * self.transpose_b}"

    @property
    def width(self) -> int:
        """The bytes of an element of a factor."""
        return np.dtype(DTYPES[str(self.it.a.element)]).itemsize

    @property
    def depth(self) -> int:
        """The length of the sums."""
        return STEPS * self.it.k

    def sizes(self, rows: int, row_bytes: int, transposed: bool) -> tuple[int, int, int]:
        """Return the shape in which a tile of so many rows lies in memory."""
        across = row_bytes // self.width
        if transposed:
            return -(-rows // across), self.depth, across
        return self.depth // across, rows, across

    def place(self, rows: int, row_bytes: int, transposed: bool, step: int) -> str:
        """Return the indices at which a product's part of the tile begins."""
        if transposed:
            return f"0, {step * self.it.k}, 0"
        slab, within = divmod(step * self.it.k, row_bytes // self.width)
        return f"{slab}, 0, {within}"


def in_memory(case: Case, tile: Array, row_bytes: int, transposed: bool) -> Array:
    """Return a tile, rows x depth, as it lies in memory; zeros where that has more rows."""
    slabs, lines, across = case.sizes(len(tile), row_bytes, transposed)
    if not transposed:
        return np.ascontiguousarray(tile.reshape(lines, slabs, across).swapaxes(0, 1))
    whole = np.zeros((slabs * across, lines), tile.dtype)
    whole[: len(tile)] = tile
    return np.ascontiguousarray(whole.reshape(slabs, across, lines).swapaxes(1, 2))


def in_registers(tile: Array, case: Case) -> Array:
    """Return what each thread holds of ``a`` for each step: threads x steps x slots."""
    place = case.it.a.place
    assert place is not None
    parts = tile.reshape(4, 16, STEPS, case.it.k).swapaxes(1, 2)
    held = [np.stack([spread(part, place) for part in warp], axis=1) for warp in parts]
    return np.concatenate(held)


def sums_of_threads(tile: Array, case: Case) -> Array:
    """Return what each thread holds of the sums, 64 x n: threads x slots."""
    place = case.it.c.place
    assert place is not None
    return np.concatenate([spread(warp, place) for warp in tile.reshape(4, 16, -1)])


def _type(sizes: tuple[int, ...], element: str | None, space: str = "") -> str:
    shape = "x".join(map(str, sizes))
    return f"memref<{shape}x{element}{', ' * bool(space)}{space}>"


def _staged(name: str, sizes: tuple[int, int, int], element: str | None, width: int) -> str:
    """Bring a tile from memory, 16 bytes by 16 bytes, ``a`` by asynchronous copies."""
    elements = PIECE // width
    across = sizes[2] // elements
    pieces = sizes[0] * sizes[1] * across
    index = f"%p{name} floordiv {sizes[1] * across}, %p{name} floordiv {across} mod {sizes[1]}"
    index += f", %p{name} mod {across} * {elements}"
    types = f"{_type(sizes, element)}, {_type(sizes, element, SHARED)}"
    copy, count = (
        ("cp_async", f"bytes = {PIECE}") if name == "a" else ("copy", f"elements = {elements}")
    )
    return f"""
  %n{name} = arith.constant {pieces} : index
  scf.for %i{name} = %t to %n{name} step %threads {{
    %p{name} = loop.index [%i{name}]
    gpu.{copy} %{name}[{index}] to %s{name}[{index}] {{{count} : i64}} : {types}
  }}"""


def kernel(case: Case) -> str:
    """Return the kernel ``@k(a, b, c) -> y``: sums ``c`` and the factors' products."""
    it, swizzle = case.it, {32: 1, 64: 2, 128: 3}
    a, b, sum = it.a.element, it.b.element, it.c.element
    assert it.a.place is not None
    assert it.c.place is not None
    slots = it.c.place.slots
    tile_b = case.sizes(it.n, case.rows_b, case.transpose_b)
    tile_a = case.sizes(it.m, case.rows_a, case.transpose_a) if case.rows_a else (0, 0, 0)
    bytes_a = -(-int(np.prod(tile_a)) * case.width // 1024) * 1024
    bytes_b = -(-int(np.prod(tile_b)) * case.width // 1024) * 1024
    held = (THREADS, slots)
    given_a = tile_a if case.rows_a else (THREADS, STEPS, it.a.place.slots)
    lines: list[str] = []
    if case.rows_a:
        type_a = _type(tile_a, a, SHARED)
        lines.append(
            f"%sa = gpu.shared_alloc {{offset = 0 : i64, swizzle = #gpu.swizzle<"
            f"{swizzle[case.rows_a]}, 4, 3>}} : {type_a}"
        )
        lines.append(_staged("a", tile_a, a, case.width))
    else:
        type_a = _type(given_a[1:], a, REGISTER)
        lines.append(f"%ra = gpu.register_alloc : {type_a}")
        words = 4 // case.width
        lines += [
            f"gpu.copy %a[%t, {s}, {i}] to %ra[{s}, {i}] {{elements = {words} : i64}} : "
            f"{_type(given_a, a)}, {type_a}"
            for s in range(STEPS)
            for i in range(0, it.a.place.slots, words)
        ]
    type_b, type_c = _type(tile_b, b, SHARED), _type((slots,), sum, REGISTER)
    lines.append(
        f"%sb = gpu.shared_alloc {{offset = {bytes_a} : i64, swizzle = #gpu.swizzle<"
        f"{swizzle[case.rows_b]}, 4, 3>}} : {type_b}"
    )
    lines.append(_staged("b", tile_b, b, case.width))
    lines.append(f"%rc = gpu.register_alloc : {type_c}")
    lines += [
        f"gpu.copy %c[%t, {i}] to %rc[{i}] {{elements = 4 : i64}} : {_type(held, sum)}, {type_c}"
        for i in range(0, slots, 4)
    ]
    lines.append("gpu.cp_async_commit\ngpu.cp_async_wait {outstanding = 0 : i64}")
    lines.append("gpu.async_fence\ngpu.barrier\ngpu.wgmma_fence")
    flags = ", transpose_a" * case.transpose_a + ", transpose_b" * case.transpose_b
    for step in range(STEPS):
        left = f"%ra[{step}, 0]"
        if case.rows_a:
            left = f"%sa[{case.place(it.m, case.rows_a, case.transpose_a, step)}]"
        right = f"%sb[{case.place(it.n, case.rows_b, case.transpose_b, step)}]"
        lines.append(
            f'gpu.wgmma {left}, {right}, %rc[0] {{shape = "{it.shape}"{flags}}} : '
            f"{type_a}, {type_b}, {type_c}"
        )
    lines.append("gpu.wgmma_commit\ngpu.wgmma_wait {outstanding = 0 : i64}")
    lines += [
        f"gpu.copy %rc[{i}] to %y[%t, {i}] {{elements = 4 : i64}} : {type_c}, {_type(held, sum)}"
        for i in range(0, slots, 4)
    ]
    body = "\n  ".join(lines)
    return f"""
gpu.kernel @k(%a: {_type(given_a, a)}, %b: {_type(tile_b, b)}, %c: {_type(held, sum)},
    %y: {_type(held, sum)}) attributes {{grid = array<i64: 1, 1, 1>, outputs = 1 : i64,
    block = array<i64: {THREADS}, 1, 1>, shared_bytes = {bytes_a + bytes_b} : i64}} {{
  %t = gpu.thread_id x : index
  %threads = arith.constant {THREADS} : index
  {body}
  gpu.end
}}"""


def arguments(case: Case, a: Array, b: Array, c: Array) -> list[Array]:
    """Return what the kernel gets for ``c + a @ b.T``."""
    left = in_registers(a, case)
    if case.rows_a:
        left = in_memory(case, a, case.rows_a, case.transpose_a)
    return [left, in_memory(case, b, case.rows_b, case.transpose_b), sums_of_threads(c, case)]
