"""Kernels of one block whose warpgroup multiplies two staged tiles, for each way to do it."""

from dataclasses import dataclass
from math import prod

import numpy as np
from fragment_values import DTYPES, spread

from dlc.arch.instruction import Instruction, Operand
from dlc.dialects.graph.structure import Array

SHARED, REGISTER = "#loop.space<shared>", "#loop.space<register>"
THREADS = 128
STEPS = 4
"""Products, one after the other along the reduction: a row of 128 bytes."""
PIECE = 16
"""Bytes that one copy brings."""
SWIZZLE_BITS = {32: 1, 64: 2, 128: 3}
"""By the bytes of a tile's row: those of a byte's place that change."""


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

    def tiles(self) -> dict[str, tuple[int, int, int]]:
        """Return the shapes of the tiles in shared memory, by the factor's name."""
        a, b = (
            (self.it.m, self.rows_a, self.transpose_a),
            (self.it.n, self.rows_b, self.transpose_b),
        )
        return ({"a": self.sizes(*a)} if self.rows_a else {}) | {"b": self.sizes(*b)}

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


def _slots(operand: Operand) -> int:
    """Return how many elements a thread holds of an operand."""
    assert operand.place is not None
    return operand.place.slots


def _staged(name: str, case: Case, offset: int) -> list[str]:
    """Bring a tile from memory, 16 bytes by 16 bytes, ``a`` by asynchronous copies.

    offset: of the tile in shared memory, in bytes.
    """
    sizes, element = case.tiles()[name], (case.it.a if name == "a" else case.it.b).element
    elements = PIECE // case.width
    across = sizes[2] // elements
    pieces = sizes[0] * sizes[1] * across
    index = f"%p{name} floordiv {sizes[1] * across}, %p{name} floordiv {across} mod {sizes[1]}"
    index += f", %p{name} mod {across} * {elements}"
    staged = _type(sizes, element, SHARED)
    types = f"{_type(sizes, element)}, {staged}"
    swizzle = SWIZZLE_BITS[case.rows_a if name == "a" else case.rows_b]
    copy, count = (
        ("cp_async", f"bytes = {PIECE}") if name == "a" else ("copy", f"elements = {elements}")
    )
    return [
        f"%s{name} = gpu.shared_alloc {{offset = {offset} : i64, swizzle = #gpu.swizzle<"
        f"{swizzle}, 4, 3>}} : {staged}",
        f"""
  %n{name} = arith.constant {pieces} : index
  scf.for %i{name} = %t to %n{name} step %threads {{
    %p{name} = loop.index [%i{name}]
    gpu.{copy} %{name}[{index}] to %s{name}[{index}] {{{count} : i64}} : {types}
  }}""",
    ]


def _held(case: Case) -> list[str]:
    """Bring each thread's part of ``a`` to its registers, 4 bytes at a time."""
    slots, a = _slots(case.it.a), case.it.a.element
    given, kept = _type((THREADS, STEPS, slots), a), _type((STEPS, slots), a, REGISTER)
    words = 4 // case.width
    return [f"%ra = gpu.register_alloc : {kept}"] + [
        f"gpu.copy %a[%t, {s}, {i}] to %ra[{s}, {i}] {{elements = {words} : i64}} : {given}, {kept}"
        for s in range(STEPS)
        for i in range(0, slots, words)
    ]


def _products(case: Case) -> list[str]:
    """Multiply step by step; the sums are in the registers ``%rc``."""
    it, tiles = case.it, case.tiles()
    type_a = _type((STEPS, _slots(it.a)), it.a.element, REGISTER)
    if case.rows_a:
        type_a = _type(tiles["a"], it.a.element, SHARED)
    type_b = _type(tiles["b"], it.b.element, SHARED)
    type_c = _type((_slots(it.c),), it.c.element, REGISTER)
    flags = ", transpose_a" * case.transpose_a + ", transpose_b" * case.transpose_b
    lines: list[str] = []
    for step in range(STEPS):
        left = f"%ra[{step}, 0]"
        if case.rows_a:
            left = f"%sa[{case.place(it.m, case.rows_a, case.transpose_a, step)}]"
        right = f"%sb[{case.place(it.n, case.rows_b, case.transpose_b, step)}]"
        lines.append(
            f'gpu.wgmma {left}, {right}, %rc[0] {{shape = "{it.shape}"{flags}}} : '
            f"{type_a}, {type_b}, {type_c}"
        )
    return lines


def kernel(case: Case) -> str:
    """Return the kernel ``@k(a, b, c) -> y``: sums ``c`` and the factors' products."""
    it, tiles = case.it, case.tiles()
    bytes = {name: -(-prod(tile) * case.width // 1024) * 1024 for name, tile in tiles.items()}
    bytes_a, slots = bytes.get("a", 0), _slots(it.c)
    given_a = _type(tiles.get("a", (THREADS, STEPS, _slots(it.a))), it.a.element)
    sums = _type((THREADS, slots), it.c.element)
    held = _type((slots,), it.c.element, REGISTER)
    lines = _staged("a", case, 0) if case.rows_a else _held(case)
    lines += _staged("b", case, bytes_a)
    lines.append(f"%rc = gpu.register_alloc : {held}")
    lines += [
        f"gpu.copy %c[%t, {i}] to %rc[{i}] {{elements = 4 : i64}} : {sums}, {held}"
        for i in range(0, slots, 4)
    ]
    lines.append("gpu.cp_async_commit\ngpu.cp_async_wait {outstanding = 0 : i64}")
    lines.append("gpu.async_fence\ngpu.barrier\ngpu.wgmma_fence")
    lines += _products(case)
    lines.append("gpu.wgmma_commit\ngpu.wgmma_wait {outstanding = 0 : i64}")
    lines += [
        f"gpu.copy %rc[{i}] to %y[%t, {i}] {{elements = 4 : i64}} : {held}, {sums}"
        for i in range(0, slots, 4)
    ]
    body = "\n  ".join(lines)
    return f"""
gpu.kernel @k(%a: {given_a}, %b: {_type(tiles["b"], it.b.element)}, %c: {sums},
    %y: {sums}) attributes {{grid = array<i64: 1, 1, 1>, outputs = 1 : i64,
    block = array<i64: {THREADS}, 1, 1>, shared_bytes = {bytes_a + bytes["b"]} : i64}} {{
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
