"""Products of warpgroups in the emulator: by the bits of their descriptors, as late as they may."""

from pathlib import Path

import numpy as np
import pytest
from fragment_values import DTYPES
from launched import Case, launch
from warpgroup_products import Case as Layout
from warpgroup_products import in_registers, sums_of_threads

from dlc.arch import instructions
from dlc.arch.instruction import Instruction
from dlc.arch.matrix_descriptor import MatrixDescriptor
from dlc.backends.cuda.products import product_name
from dlc.dialects.graph.structure import Array

THREADS = 128
SECOND = 16384
"""The byte at which ``b`` begins."""
SPACING = 2048
"""From a row of bytes to that beside it, where a tile is transposed: more than it must be."""


def rows(columns: int) -> list[Instruction]:
    """Return the instructions of a width, each once."""
    return [
        row
        for name in instructions.names()
        for row in instructions.named(name)
        if name.startswith(f"wgmma.m64n{columns}k")
    ]


def layout(row_bytes: int, transposed: bool) -> MatrixDescriptor:
    stride = 8 * row_bytes
    return MatrixDescriptor(row_bytes, stride, SPACING if transposed else 16, transposed)


def placed(memory: Array, start: int, tile: Array, how: MatrixDescriptor) -> None:
    """Put a tile, rows x depth, into bytes of shared memory."""
    size = tile.itemsize
    row, depth = np.ogrid[: tile.shape[0], : tile.shape[1]]
    at = how.address(start, row, depth, size)[..., None] + np.arange(size)
    memory[at] = np.ascontiguousarray(tile).view(np.uint8).reshape(*tile.shape, size)


def descriptor(how: MatrixDescriptor, start: int) -> str:
    return f"matrix_descriptor<0x{how.bits:x}ull>(shared_memory + {start})"


HEAD = """
      for (int i = threadIdx.x; i < WORDS; i += 128) ((unsigned*)shared_memory)[i] = x[i];
      const unsigned* const own = x + WORDS + threadIdx.x * OWN;
      SUM c[SUMS];
      for (int i = 0; i < SUMS; i++) c[i] = *(const SUM*)&own[i];
      __syncthreads();
      wgmma_fence();
      CALL
      CALL
      wgmma_commit();
      wgmma_wait<0>();
      for (int i = 0; i < SUMS; i++) *(SUM*)&y[threadIdx.x * SUMS + i] = c[i];"""
"""The product twice, one after the other on the same sums."""
WORDS = 3 * SECOND // 4


def body(it: Instruction, a: MatrixDescriptor | None, b: MatrixDescriptor, own: int) -> str:
    assert it.c.place is not None
    flags = [b.transposed] if a is None else [a.transposed, b.transposed]
    chosen = f"<{', '.join(str(int(flag)) for flag in flags)}>" if it.k == 16 else ""
    name = product_name(it) + ("_registers" if a is None else "")
    left = "own + SUMS" if a is None else descriptor(a, 0)
    call = f"{name}{chosen}({left}, {descriptor(b, SECOND)}, c);"
    text = HEAD.replace("CALL", call).replace("WORDS", str(WORDS)).replace("OWN", str(own))
    kind = "float" if it.c.element == "f32" else "int"
    return text.replace("SUMS", str(it.c.place.slots)).replace("SUM", kind)


def case(
    it: Instruction, a: MatrixDescriptor | None, b: MatrixDescriptor
) -> tuple[Case, Array, Array]:
    """Return the kernel, its input and what it should give."""
    generator = np.random.default_rng(3)
    types = [DTYPES[str(x.element)] for x in (it.a, it.b, it.c)]
    sizes = (it.m, it.k), (it.n, it.k), (it.m, it.n)
    least = [0 if type is np.uint8 else -4 for type in types]
    left, right, sums = (
        generator.integers(low, 5, size).astype(type)
        for low, size, type in zip(least, sizes, types, strict=True)
    )
    memory = np.zeros(4 * WORDS, np.uint8)
    placed(memory, SECOND, right, b)
    own = [sums_of_threads(sums, Layout(it)).view(np.uint32)]
    if a is None:
        steps = np.tile(left, (1, 4))
        own.append(in_registers(steps, Layout(it))[:, 0].copy().view(np.uint32))
    else:
        placed(memory, 0, left, a)
    held = np.ascontiguousarray(np.concatenate(own, axis=1))
    wide = [x.astype(np.float64) for x in (sums, left, right)]
    wanted = (wide[0] + 2 * wide[1] @ wide[2].T).astype(types[2])
    one = Case(body(it, a, b, held.shape[1]), "unsigned", THREADS, shared=4 * WORDS)
    x = np.concatenate([memory.view(np.uint32), held.reshape(-1)])
    return one, x, sums_of_threads(wanted, Layout(it)).view(np.uint32)


@pytest.mark.parametrize("it", [*rows(8), *rows(96)[:3], *rows(256)[:3]], ids=lambda it: it.ptx)
def test_every_type(it: Instruction, tmp_path: Path) -> None:
    one, x, wanted = case(it, layout(128, False), layout(64, False))
    np.testing.assert_array_equal(launch(one, x, np.zeros_like(wanted), tmp_path), wanted)


HALVES = instructions.named("wgmma.m64n96k16")[0]


@pytest.mark.parametrize("of_b", [(32, True), (128, True)])
@pytest.mark.parametrize("of_a", [None, (64, True), (128, True)])
def test_every_layout(
    of_a: tuple[int, bool] | None, of_b: tuple[int, bool], tmp_path: Path
) -> None:
    one, x, wanted = case(HALVES, of_a and layout(*of_a), layout(*of_b))
    np.testing.assert_array_equal(launch(one, x, np.zeros_like(wanted), tmp_path), wanted)


@pytest.mark.parametrize("it", rows(16), ids=lambda it: it.ptx)
def test_a_in_registers(it: Instruction, tmp_path: Path) -> None:
    one, x, wanted = case(it, None, layout(32, False))
    np.testing.assert_array_equal(launch(one, x, np.zeros_like(wanted), tmp_path), wanted)
