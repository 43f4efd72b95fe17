"""The emulated instructions do what PTX ISA says; fragments as ``dlc.arch.fragments`` has them."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from fragment_values import DTYPES, spread
from launched import Case, LaunchError, launch

from dlc.arch import instructions
from dlc.arch.fragments import ldmatrix_position
from dlc.arch.instruction import Instruction
from dlc.arch.scope import Scope
from dlc.backends.cuda.products import product_name

GENERATOR = np.random.default_rng(5)


@pytest.mark.parametrize(
    "it", [row for row in instructions.rows() if row.scope is Scope.WARP], ids=lambda row: row.ptx
)
def test_matrix_products(it: Instruction, tmp_path: Path) -> None:
    types = [DTYPES[str(operand.element)] for operand in (it.a, it.b, it.c)]
    sizes = (it.m, it.k), (it.k, it.n), (it.m, it.n)
    least = 0 if np.uint8 in types else -8
    a, b, c = (
        GENERATOR.integers(least, 9, size).astype(type)
        for size, type in zip(sizes, types, strict=True)
    )
    registers = [spread(m, f) for m, f in zip((a, b, c), it.fragments, strict=True)]
    words = [np.ascontiguousarray(r).view(np.uint32) for r in registers]
    x = np.concatenate(words, axis=1)
    slots, sums = x.shape[1], words[2].shape[1]
    first_b, first_c = words[0].shape[1], slots - sums
    sum = "float" if types[2] is np.float32 else "int"
    body = f"""
      const unsigned* const own = x + threadIdx.x * {slots};
      unsigned a[{first_b}];
      unsigned b[{first_c - first_b}];
      {sum} c[{sums}];
      for (int i = 0; i < {first_b}; i++) a[i] = own[i];
      for (int i = {first_b}; i < {first_c}; i++) b[i - {first_b}] = own[i];
      for (int i = 0; i < {sums}; i++) c[i] = *(const {sum}*)&own[{first_c} + i];
      {product_name(it)}(a, b, c);
      for (int i = 0; i < {sums}; i++) *({sum}*)&y[threadIdx.x * {sums} + i] = c[i];"""
    y = launch(Case(body, "unsigned"), x, np.empty((32, sums), np.uint32), tmp_path)
    wanted = (c.astype(np.float32) + a.astype(np.float32) @ b.astype(np.float32)).astype(types[2])
    assert np.array_equal(y.view(types[2]), spread(wanted, it.fragments[2]))


def test_operands_of_tf32_lose_their_last_bits(tmp_path: Path) -> None:
    body = """
      float a[4];
      float b[2];
      float c[4];
      for (int i = 0; i < 4; i++) { a[i] = i ? 0.0f : x[0]; b[i / 2] = i < 2; c[i] = 0.0f; }
      mma_m16n8k8_f32(a, b, c);
      y[threadIdx.x] = c[0];"""
    x = np.array([1 + 2**-10 + 2**-12], np.float32)
    y = launch(Case(body), x, np.empty(32, np.float32), tmp_path)
    assert set(y) == {np.float32(4 * (1 + 2**-10))}


@pytest.mark.parametrize("matrices", [1, 2, 4])
@pytest.mark.parametrize("transpose", [False, True])
def test_matrix_loads(matrices: int, transpose: bool, tmp_path: Path) -> None:
    x = np.arange(matrices * 64, dtype=np.uint16)
    suffix = "_trans" if transpose else ""
    body = f"""
      unsigned short* const s = (unsigned short*)(shared_memory + 0);
      for (int i = threadIdx.x; i < {x.size}; i += 32) s[i] = x[i];
      __syncwarp();
      __align__(16) unsigned short r[{2 * matrices}];
      ldmatrix_x{matrices}{suffix}(&r[0], &s[threadIdx.x % {8 * matrices} * 8]);
      for (int i = 0; i < {2 * matrices}; i++) y[threadIdx.x * {2 * matrices} + i] = r[i];"""
    case = Case(body, "unsigned short", shared=2 * x.size)
    y = launch(case, x, np.empty((32, 2 * matrices), np.uint16), tmp_path)
    places = [
        [ldmatrix_position(lane, slot, 2, transpose) for slot in range(2 * matrices)]
        for lane in range(32)
    ]
    grid = x.reshape(matrices, 8, 8)
    assert np.array_equal(y, [[grid[place] for place in lane] for lane in places])


@pytest.mark.parametrize("matrices", [1, 2, 4])
@pytest.mark.parametrize("transpose", [False, True])
def test_matrix_stores(matrices: int, transpose: bool, tmp_path: Path) -> None:
    x = np.arange(matrices * 64, dtype=np.uint16).reshape(32, 2 * matrices)
    suffix = "_trans" if transpose else ""
    body = f"""
      unsigned short* const s = (unsigned short*)(shared_memory + 0);
      __align__(16) unsigned short r[{2 * matrices}];
      for (int i = 0; i < {2 * matrices}; i++) r[i] = x[threadIdx.x * {2 * matrices} + i];
      stmatrix_x{matrices}{suffix}(&s[threadIdx.x % {8 * matrices} * 8], &r[0]);
      __syncwarp();
      for (int i = threadIdx.x; i < {x.size}; i += 32) y[i] = s[i];"""
    case = Case(body, "unsigned short", shared=2 * x.size)
    y = launch(case, x, np.empty((matrices, 8, 8), np.uint16), tmp_path)
    for lane, held in enumerate(x):
        for slot, value in enumerate(held):
            assert y[ldmatrix_position(lane, slot, 2, transpose)] == value


LOAD = """
  unsigned short* const s = (unsigned short*)(shared_memory + 0);
  for (int i = threadIdx.x; i < 64; i += 32) s[i] = x[i];
  __syncwarp();
  __align__(16) unsigned short r[2];
  unsigned short* const p = &r[0];
  ldmatrix_x1(&r[0], &s[threadIdx.x % 8 * 8]);
  NEXT
  for (int i = 0; i < 2; i++) y[threadIdx.x * 2 + i] = RESULT;"""


@pytest.mark.parametrize(
    ("following", "result"),
    [
        ("s[threadIdx.x] = 0; s[32 + threadIdx.x] = 0;", "r[i]"),
        ("*(unsigned*)&s[threadIdx.x * 2] = 0;", "p[i]"),
        ("*(unsigned*)((unsigned char*)s + threadIdx.x * 4) = 0;", "*(p + i)"),
        ("cp_async_4(&s[threadIdx.x * 2], &x[0], false); cp_async_wait<0>();", "r[i]"),
        ("unsigned short c = r[1]; r[1] = r[0]; r[0] = c;", "r[1 - i]"),
    ],
)
def test_what_follows_a_matrix_load_comes_after_it(
    following: str, result: str, tmp_path: Path
) -> None:
    x = np.arange(64, dtype=np.uint16)
    body = LOAD.replace("NEXT", following).replace("RESULT", result)
    y = launch(Case(body, "unsigned short", shared=128), x, np.empty_like(x), tmp_path)
    assert np.array_equal(y, x)


def test_a_matrix_load_before_its_data_arrive_reads_what_is_not_a_number(tmp_path: Path) -> None:
    body = """
      unsigned short* const s = (unsigned short*)(shared_memory + 0);
      cp_async_4(&s[threadIdx.x * 2], &x[threadIdx.x * 2], true);
      cp_async_commit();
      __align__(16) unsigned short r[2];
      ldmatrix_x1(&r[0], &s[threadIdx.x % 8 * 8]);
      cp_async_wait<0>();
      for (int i = 0; i < 2; i++) y[threadIdx.x * 2 + i] = r[i];"""
    x = np.arange(64, dtype=np.uint16)
    y = launch(Case(body, "unsigned short", shared=128), x, np.empty_like(x), tmp_path)
    assert set(y.tolist()) == {0xFFFF}


def test_more_products_than_wait_at_a_time(tmp_path: Path) -> None:
    body = """
      float a[4];
      float b[2];
      float c[4];
      for (int i = 0; i < 4; i++) { a[i] = x[0]; b[i / 2] = x[0]; c[i] = 0.0f; }
      for (int i = 0; i < 1000; i++) {
        mma_m16n8k8_f32(&a[0], &b[0], &c[0]);
      }
      y[threadIdx.x] = c[3];"""
    y = launch(Case(body), np.ones(1, np.float32), np.empty(32, np.float32), tmp_path)
    assert set(y.tolist()) == {8000.0}


def test_sums_of_warpgroups_stand_in_a_text_with_products_of_warps(tmp_path: Path) -> None:
    body = """
      float a[4];
      float b[2];
      float c[4];
      for (int i = 0; i < 4; i++) c[i] = 1.0f;
      a[0] = a[1] = a[2] = a[3] = b[0] = b[1] = __uint_as_float(0x3c003c00);
      mma_m16n8k16_f16(a, b, c);
      pin<4>(&c[0]);
      y[threadIdx.x] = c[3];"""
    y = launch(Case(body), np.ones(1, np.float32), np.empty(32, np.float32), tmp_path)
    assert set(y.tolist()) == {17.0}


def test_rounding_to_half_precisions(tmp_path: Path) -> None:
    bits = GENERATOR.integers(0, 2**32, 4096, np.uint32)
    near = GENERATOR.integers(0x33000000, 0x47800000, 4096, np.uint32)  # the range of fp16
    ties = near & 0xFFFFF000
    x = np.concatenate([bits, near, ties, ties & 0xFFFF8000]).view(np.float32)
    edges = np.array([0, -0.0, 65519.99, 65520, 2**-25, 2**-24, np.inf, -np.inf, np.nan])
    x = np.resize(np.concatenate([edges.astype(np.float32), x]), 16448)
    for element, dtype in (("f16", np.float16), ("bf16", ml_dtypes.bfloat16)):
        body = f"""
          const int i = (int)blockIdx.x * 64 + (int)threadIdx.x;
          y[i] = load_{element}(store_{element}(x[i]));"""
        case = Case(body, threads=64, grid=(x.size // 64, 1, 1))
        y = launch(case, x, np.empty_like(x), tmp_path, jobs=2)
        with np.errstate(over="ignore", invalid="ignore"):
            assert np.array_equal(y, x.astype(dtype).astype(np.float32), equal_nan=True)


def test_rounding_to_tf32_takes_ties_away_from_zero(tmp_path: Path) -> None:
    x = np.array([1 + 2**-11, -1 - 2**-11, 1 + 2**-11 - 2**-20, np.inf], np.float32)
    body = "if (threadIdx.x < 4) y[threadIdx.x] = round_tf32(x[threadIdx.x]);"
    y = launch(Case(body), x, np.empty_like(x), tmp_path)
    assert y.tolist() == [1 + 2**-10, -1 - 2**-10, 1, np.inf]


def test_maximum_keeps_nan(tmp_path: Path) -> None:
    x = np.array([1, np.nan, 0, 2], np.float32)
    body = """
      const int i = (int)threadIdx.x;
      if (i < 4) y[i] = i % 2 ? minimum_f32(x[i], 1.0f) : maximum_f32(x[i], x[(i + 3) % 4]);"""
    y = launch(Case(body), x, np.empty_like(x), tmp_path)
    assert np.array_equal(y, np.array([2, np.nan, np.nan, 1], np.float32), equal_nan=True)


SHUFFLES = {
    "_xor_sync(0xffffffffu, v, 5)": lambda i: i ^ 5,
    "_up_sync(0xffffffffu, v, 3)": lambda i: i - 3 if i >= 3 else i,
    "_down_sync(0xffffffffu, v, 3)": lambda i: i + 3 if i < 29 else i,
    "_sync(0xffffffffu, v, 7)": lambda i: 7,
}


@pytest.mark.parametrize("name", SHUFFLES)
def test_shuffles(name: str, tmp_path: Path) -> None:
    x = np.arange(32, dtype=np.float32)
    body = f"const float v = x[threadIdx.x]; y[threadIdx.x] = __shfl{name};"
    y = launch(Case(body), x, np.empty_like(x), tmp_path)
    assert y.tolist() == [SHUFFLES[name](i) for i in range(32)]


COPIES = """
  float* const s = (float*)(shared_memory + 0);
  const int i = (int)threadIdx.x;
  cp_async_16(&s[i * 4], &x[i * 4], i < 20);
  cp_async_commit();
  cp_async_16(&s[128 + i * 4], &x[i * 4], true);
  cp_async_commit();
  WAIT
  __syncthreads();
  for (int j = 0; j < 4; j++) y[i * 4 + j] = s[(31 - i) * 4 + j];"""


def test_copies_arrive_and_fill_with_zeros(tmp_path: Path) -> None:
    x = GENERATOR.standard_normal(128).astype(np.float32)
    case = Case(COPIES.replace("WAIT", "cp_async_wait<1>();"), shared=1024)
    y = launch(case, x, np.empty_like(x), tmp_path)
    wanted = np.where(np.arange(128) < 80, x, 0).reshape(32, 4)[::-1]
    assert np.array_equal(y.reshape(32, 4), wanted)


@pytest.mark.parametrize("wait", ["", "cp_async_wait<2>();"])
def test_a_copy_that_nobody_waits_for_does_not_arrive(wait: str, tmp_path: Path) -> None:
    x = GENERATOR.standard_normal(128).astype(np.float32)
    with pytest.raises(LaunchError, match="does not write 128 of the 128 elements"):
        launch(Case(COPIES.replace("WAIT", wait), shared=1024), x, np.empty_like(x), tmp_path)
