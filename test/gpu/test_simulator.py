"""The simulator runs correct kernels to the right values and finds what is wrong with others."""

import numpy as np
import pytest
from lowered import lowered

from dlc.dialects.graph.structure import Array
from dlc.simulator import Coverage, SimulationError, simulate
from dlc.simulator.launch import Order, find_kernel

SHARED = "#loop.space<shared>"
REGISTER = "#loop.space<register>"


def kernel(arguments: str, body: str, grid: int, block: int, more: str = "") -> str:
    """Return a kernel with one output; ``%t`` is the thread, ``%b`` the block."""
    return (
        f"gpu.kernel @k({arguments}) attributes {{grid = array<i64: {grid}, 1, 1>, "
        f"block = array<i64: {block}, 1, 1>, outputs = 1 : i64, shared_bytes = 8192 : i64{more}}} "
        f"{{ %t = gpu.thread_id x : index %b = gpu.block_id x : index\n{body}\ngpu.end }}"
    )


SUM = kernel(
    "%x: memref<5x128xf32>, %y: memref<5xf32>",
    f"""
  %s = gpu.shared_alloc {{offset = 0 : i64}} : memref<4xf32, {SHARED}>
  %v = loop.load %x[%b, %t] : memref<5x128xf32> -> f32
  %v1 = gpu.shuffle xor %v, 16 : f32
  %a1 = arith.addf %v, %v1 : f32
  %v2 = gpu.shuffle xor %a1, 8 : f32
  %a2 = arith.addf %a1, %v2 : f32
  %v3 = gpu.shuffle xor %a2, 4 : f32
  %a3 = arith.addf %a2, %v3 : f32
  %v4 = gpu.shuffle xor %a3, 2 : f32
  %a4 = arith.addf %a3, %v4 : f32
  %v5 = gpu.shuffle xor %a4, 1 : f32
  %a5 = arith.addf %a4, %v5 : f32
  %lane = loop.index [%t mod 32]
  %zero = arith.constant 0 : index
  %first = arith.cmpi eq, %lane, %zero : index
  scf.if %first {{ loop.store %a5, %s[%t floordiv 32] : f32 -> memref<4xf32, {SHARED}> }}
  gpu.barrier
  %p = loop.load %s[%t mod 4] : memref<4xf32, {SHARED}> -> f32
  %p1 = gpu.shuffle xor %p, 2 : f32
  %q1 = arith.addf %p, %p1 : f32
  %p2 = gpu.shuffle xor %q1, 1 : f32
  %q2 = arith.addf %q1, %p2 : f32
  %leader = arith.cmpi eq, %t, %zero : index
  scf.if %leader {{ loop.store %q2, %y[%b] : f32 -> memref<5xf32> }}""",
    grid=5,
    block=128,
)

TRANSPOSE = kernel(
    "%x: memref<64x64xf16>, %y: memref<64x64xf16>",
    f"""
  %s = gpu.shared_alloc {{offset = 0 : i64}} : memref<64x64xf16, {SHARED}>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 64 : index
  scf.for %i = %zero to %n step %one {{
    %v = loop.load %x[%i, %t] : memref<64x64xf16> -> f32
    loop.store %v, %s[%i, %t] : f32 -> memref<64x64xf16, {SHARED}>
  }}
  gpu.barrier
  scf.for %i = %zero to %n step %one {{
    %v = loop.load %s[%t, %i] : memref<64x64xf16, {SHARED}> -> f32
    loop.store %v, %y[%i, %t] : f32 -> memref<64x64xf16>
  }}""",
    grid=1,
    block=64,
)

LAST_BLOCK = kernel(
    "%x: memref<4x32xf32>, %y: memref<32xf32>, %parts: memref<4x32xf32>",
    """
  %arrived = gpu.counter_alloc : memref<1xi32>
  %v = loop.load %x[%b, %t] : memref<4x32xf32> -> f32
  loop.store %v, %parts[%b, %t] : f32 -> memref<4x32xf32>
  gpu.fence
  gpu.barrier
  %zero = arith.constant 0 : index
  %leads = arith.cmpi eq, %t, %zero : index
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i32
  %old = scf.if %leads -> (i32) {
    %o = gpu.atomic_add %one, %arrived[0] : i32, memref<1xi32> -> i32
    gpu.fence // behind the counter
    scf.yield %o : i32
  } else { scf.yield %none : i32 }
  %seen = gpu.shuffle index %old, 0 : i32
  %three = arith.constant 3 : i32
  %last = arith.cmpi eq, %seen, %three : i32
  scf.if %last {
    %start = arith.constant 0.0 : f32
    %step = arith.constant 1 : index
    %blocks = arith.constant 4 : index
    %sum = scf.for %i = %zero to %blocks step %step iter_args(%a = %start) -> (f32) {
      %p = loop.load %parts[%i, %t] : memref<4x32xf32> -> f32
      %n = arith.addf %a, %p : f32
      scf.yield %n : f32
    }
    loop.store %sum, %y[%t] : f32 -> memref<32xf32>
    scf.if %leads { loop.store %none, %arrived[0] : i32 -> memref<1xi32> }
  }""",
    grid=4,
    block=32,
    more=", scratch = array<i64: 512>",
)

STAGES = kernel(
    "%x: memref<4x16x16xf16>, %w: memref<4x8x16xf16>, %y: memref<16x8xf32>",
    f"""
  %s = gpu.shared_alloc {{offset = 0 : i64}} : memref<2x16x16xf16, {SHARED}>
  %u = gpu.shared_alloc {{offset = 1024 : i64}} : memref<2x8x16xf16, {SHARED}>
  %f = gpu.register_alloc : memref<8xf16, {REGISTER}>
  %g = gpu.register_alloc : memref<4xf16, {REGISTER}>
  %c = gpu.register_alloc : memref<4xf32, {REGISTER}>
  %z = arith.constant 0.0 : f32
  loop.store %z, %c[0] : f32 -> memref<4xf32, {REGISTER}>
  loop.store %z, %c[1] : f32 -> memref<4xf32, {REGISTER}>
  loop.store %z, %c[2] : f32 -> memref<4xf32, {REGISTER}>
  loop.store %z, %c[3] : f32 -> memref<4xf32, {REGISTER}>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 4 : index
  %half = arith.constant 16 : index
  %low = arith.cmpi slt, %t, %half : index
  gpu.cp_async %x[0, %t floordiv 2, %t mod 2 * 8] to %s[0, %t floordiv 2, %t mod 2 * 8]
    {{bytes = 16 : i64}} : memref<4x16x16xf16>, memref<2x16x16xf16, {SHARED}>
  scf.if %low {{ gpu.cp_async %w[0, %t floordiv 2, %t mod 2 * 8]
    to %u[0, %t floordiv 2, %t mod 2 * 8] {{bytes = 16 : i64}} : memref<4x8x16xf16>,
      memref<2x8x16xf16, {SHARED}> }}
  gpu.cp_async_commit
  scf.for %k = %zero to %n step %one {{
    %next = arith.addi %k, %one : index
    %more = arith.cmpi slt, %next, %n : index
    scf.if %more {{
      gpu.cp_async %x[%next, %t floordiv 2, %t mod 2 * 8]
        to %s[%next mod 2, %t floordiv 2, %t mod 2 * 8] {{bytes = 16 : i64}}
          : memref<4x16x16xf16>, memref<2x16x16xf16, {SHARED}>
      scf.if %low {{ gpu.cp_async %w[%next, %t floordiv 2, %t mod 2 * 8]
        to %u[%next mod 2, %t floordiv 2, %t mod 2 * 8] {{bytes = 16 : i64}}
          : memref<4x8x16xf16>, memref<2x8x16xf16, {SHARED}> }}
    }}
    gpu.cp_async_commit
    gpu.cp_async_wait {{outstanding = 1 : i64}}
    gpu.barrier
    gpu.ldmatrix %s[%k mod 2, %t mod 16, %t floordiv 16 * 8] to %f[0] {{matrices = 4 : i64}}
      : memref<2x16x16xf16, {SHARED}>, memref<8xf16, {REGISTER}>
    gpu.ldmatrix %u[%k mod 2, %t mod 8, %t floordiv 8 mod 2 * 8] to %g[0] {{matrices = 2
      : i64}} : memref<2x8x16xf16, {SHARED}>, memref<4xf16, {REGISTER}>
    gpu.mma %f[0], %g[0], %c[0] {{shape = "m16n8k16"}} : memref<8xf16, {REGISTER}>,
      memref<4xf16, {REGISTER}>, memref<4xf32, {REGISTER}>
    gpu.barrier // after the reads
  }}
  gpu.copy %c[0] to %y[%t floordiv 4, %t mod 4 * 2] {{elements = 2 : i64}}
    : memref<4xf32, {REGISTER}>, memref<16x8xf32>
  gpu.copy %c[2] to %y[%t floordiv 4 + 8, %t mod 4 * 2] {{elements = 2 : i64}}
    : memref<4xf32, {REGISTER}>, memref<16x8xf32>""",
    grid=1,
    block=32,
)


def small_integers(seed: int, *sizes: int) -> Array:
    """Return integers from -4 to 4: their products and sums are exact in every type here."""
    return np.random.default_rng(seed).integers(-4, 5, sizes).astype(np.float32)


def run(text: str, order: Order | None, *arrays: Array) -> None:
    simulate(lowered(text, "gpu-check-limits"), "k", arrays, warp_order=order)


def run_sum(text: str, order: Order | None = None) -> tuple[Array, Array]:
    x, y = small_integers(1, 5, 128), np.zeros(5, np.float32)
    run(text, order, x, y)
    return y, x.sum(1)


def run_transpose(text: str, order: Order | None = None) -> tuple[Array, Array]:
    x = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)
    y = np.zeros_like(x)
    run(text, order, x, y)
    return y, np.ascontiguousarray(x.T)


def run_last_block(text: str, order: Order | None = None) -> tuple[Array, Array]:
    x, y = small_integers(2, 4, 32), np.zeros(32, np.float32)
    run(text, order, x, y)
    return y, x.sum(0)


def run_stages(text: str, order: Order | None = None) -> tuple[Array, Array]:
    x, w = (small_integers(n, 4, n, 16).astype(np.float16) for n in (16, 8))
    y = np.zeros((16, 8), np.float32)
    run(text, order, x, w, y)
    return y, np.einsum("kmi,kni->mn", x.astype(np.float32), w.astype(np.float32))


KERNELS = {
    "sum": (SUM, run_sum),
    "transpose": (TRANSPOSE, run_transpose),
    "last_block": (LAST_BLOCK, run_last_block),
    "stages": (STAGES, run_stages),
}


@pytest.mark.parametrize("name", KERNELS)
def test_correct_kernel(name: str) -> None:
    text, execute = KERNELS[name]
    got, wanted = execute(text)
    np.testing.assert_array_equal(got, wanted)


FAULTS = [
    ("sum", "gpu.barrier", "", "since the last barrier: a race"),
    ("sum", "%t floordiv 32]", "%t floordiv 32 + 1]", "index 4, axis 0 of size 4"),
    ("sum", "%x[%b, %t]", "%x[%b, %t + 1]", r"block \(0, 0, 0\), thread \(127, 0, 0\) is outside"),
    ("sum", "%x[%b, %t]", "%x[%b + 1, %t]", r"block \(4, 0, 0\), .* axis 0 of size 5"),
    ("sum", "%y[%b]", "%y[0]", "together with another thread"),
    ("sum", "%t mod 4]", "%t mod 5]", "axis 0 of size 4"),
    ("sum", "eq, %t, %zero", "eq, %lane, %zero", "together with another thread"),
    ("sum", "eq, %t, %zero", "slt, %t, %zero", "element 0 of output %y was never written"),
    ("sum", "scf.if %first {", "scf.if %first { gpu.barrier", "does not come to a barrier"),
    ("sum", "%leader { ", "%leader { %w = gpu.shuffle xor %q2, 1 : f32\n", "1 of the 32 lanes"),
    ("sum", "= 8192", "= 8", "byte 12 of 8 of shared memory"),
    ("transpose", "gpu.barrier", "", "since the last barrier: a race|nothing was written"),
    ("transpose", "gpu.barrier", "gpu.warp_barrier", "nothing was written|a race"),
    ("transpose", "%s[%i, %t] :", "%s[%i, 0] :", "writes byte 0 .* together with thread 63"),
    ("transpose", "%y[%i, %t]", "%x[%i, %t]", "writes %x, an input"),
    ("last_block", "gpu.fence", "", "without a fence and an atomic"),
    ("last_block", "gpu.fence // behind the counter", "", "and a fence behind that"),
    (
        "last_block",
        "scf.if %leads { loop.store %none",
        "scf.if %last { loop.store %none",
        "together",
    ),
    ("last_block", "loop.store %none, %arrived[0] : i32 -> memref<1xi32>", "", "not zero again"),
    ("last_block", "%parts[%b, %t]", "%parts[0, %t]", "together with another thread"),
    ("last_block", "%three = arith.constant 3", "%three = arith.constant 4", "never written"),
    ("stages", "gpu.cp_async_wait {outstanding = 1 : i64}", "", "that was not waited for"),
    ("stages", "outstanding = 1", "outstanding = 2", "that was not waited for"),
    ("stages", "gpu.barrier\n    gpu.ldmatrix", "gpu.ldmatrix", "since the last barrier: a race"),
    ("stages", "gpu.barrier // after the reads", "", "since the last barrier: a race"),
    ("stages", "loop.store %z, %c[3]", "loop.store %z, %c[2]", "register element 3, which nothing"),
    ("stages", "%s[%k mod 2, %t mod 16", "%s[%k mod 2, %t mod 32", "index 16, axis 1 of size 16"),
    ("stages", "%t floordiv 16 * 8]", "%t floordiv 16 * 4]", "moves 16 bytes at byte 8"),
    ("stages", "gpu.ldmatrix %s", "scf.if %low { gpu.warp_barrier } gpu.ldmatrix %s", "16 of the"),
]


@pytest.mark.parametrize(("name", "correct", "wrong", "message"), FAULTS)
def test_fault_is_found(name: str, correct: str, wrong: str, message: str) -> None:
    text, execute = KERNELS[name]
    assert text.count(correct) >= 1
    with pytest.raises(SimulationError, match=message) as error:
        execute(text.replace(correct, wrong, 1))
    assert error.value.at is not None
    assert len(error.value.block) == len(error.value.thread) == 3


WRONG_VALUES = [
    (
        "stages",
        "gpu.copy %c[2] to %y[%t floordiv 4 + 8,",
        "gpu.copy %c[0] to %y[%t floordiv 4 + 8,",
    ),
    ("stages", "%t mod 16, %t floordiv 16 * 8]", "%t floordiv 2, %t mod 2 * 8]"),
    ("stages", "matrices = 4 : i64", "matrices = 4 : i64, transpose"),
    ("sum", "gpu.shuffle xor %a3, 2", "gpu.shuffle xor %a3, 4"),
]


@pytest.mark.parametrize(("name", "correct", "wrong"), WRONG_VALUES)
def test_wrong_map_gives_wrong_values(name: str, correct: str, wrong: str) -> None:
    text, execute = KERNELS[name]
    assert text.count(correct) == 1
    got, wanted = execute(text.replace(correct, wrong))
    assert not np.array_equal(got, wanted)


SCATTER = kernel(
    "%x: memref<4x8xi32>, %y: memref<4x8xi32>",
    """
  %v = loop.load %x[%b, %t] : memref<4x8xi32> -> i32
  %i = arith.index_cast %v : i32 to index
  loop.store %v, %y[%b, %i] : i32 -> memref<4x8xi32>""",
    grid=4,
    block=8,
)
ROWS = SCATTER.replace("[%b, %i]", "[%b, %t]")
POSITIVE = """%zero = arith.constant 0 : i32
  %positive = arith.cmpi sgt, %v, %zero : i32
  scf.if %positive { loop.store %v, %y[%b, %t] : i32 -> memref<4x8xi32> }"""
ON_DATA = ROWS.replace("loop.store %v, %y[%b, %t] : i32 -> memref<4x8xi32>", POSITIVE)


@pytest.mark.parametrize("text", [ROWS, ON_DATA])
def test_elements_that_some_blocks_write(text: str) -> None:
    (written,) = Coverage(find_kernel(lowered(text, "gpu-check-limits"), "k")).written([1, 3])
    np.testing.assert_array_equal(written, np.repeat([False, True, False, True], 8))


def test_elements_are_those_of_the_blocks_asked_for_last() -> None:
    coverage = Coverage(find_kernel(lowered(ROWS, "gpu-check-limits"), "k"))
    (everything,), (first,) = coverage.written(), coverage.written([0])
    assert everything.all()
    np.testing.assert_array_equal(first, np.repeat([True, False, False, False], 8))


def test_elements_that_data_decides_are_not_known() -> None:
    found = find_kernel(lowered(SCATTER, "gpu-check-limits"), "k")
    assert not Coverage(found).check_all()
    assert not Coverage(found).written()[0].any()


def test_store_that_data_forbids_in_a_block_that_runs() -> None:
    x, y = np.zeros((4, 8), np.int32), np.zeros((4, 8), np.int32)
    with pytest.raises(SimulationError, match="element 8 of output %y was never written"):
        simulate(lowered(ON_DATA, "gpu-check-limits"), "k", [x, y], blocks=[1])


def test_store_outside_in_any_block() -> None:
    text = ROWS.replace("%y[%b, %t]", "%y[%b + 1, %t]")
    with pytest.raises(SimulationError, match="is outside: index 4, axis 0 of size 4") as caught:
        Coverage(find_kernel(lowered(text, "gpu-check-limits"), "k")).check_all()
    assert caught.value.block == (3, 0, 0)


MIRROR = kernel(
    "%x: memref<2x64xf32>, %y: memref<2x64xf32>, %z: memref<2x64xf32>",
    """
  %v = loop.load %x[%b, %t] : memref<2x64xf32> -> f32
  loop.store %v, %y[%b, %t] : f32 -> memref<2x64xf32>
  gpu.barrier
  %w = loop.load %y[%b, 63 - %t] : memref<2x64xf32> -> f32
  loop.store %w, %z[%b, %t] : f32 -> memref<2x64xf32>""",
    grid=2,
    block=64,
).replace("outputs = 1", "outputs = 2")


@pytest.mark.parametrize("order", [None, "backward", 1])
def test_threads_of_a_block_exchange_through_global_memory(order: Order | None) -> None:
    x = small_integers(0, 2, 64)
    y, z = np.zeros_like(x), np.zeros_like(x)
    simulate(lowered(MIRROR, "gpu-check-limits"), "k", [x, y, z], warp_order=order)
    np.testing.assert_array_equal(z, x[:, ::-1])
    wrong = lowered(MIRROR.replace("gpu.barrier", ""), "gpu-check-limits")
    with pytest.raises(SimulationError, match=r"a race|nothing was written"):
        simulate(wrong, "k", [x, y, z], warp_order=order)


@pytest.mark.parametrize("order", ["forward", "backward", 5])
@pytest.mark.parametrize("name", KERNELS)
def test_warps_may_run_in_any_order(name: str, order: Order) -> None:
    """Each warp on its own, not in lockstep with the others."""
    text, execute = KERNELS[name]
    got, wanted = execute(text, order)
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("order", ["forward", "backward", 5])
@pytest.mark.parametrize(("name", "correct", "wrong", "message"), FAULTS)
def test_fault_is_found_in_any_order(
    name: str, correct: str, wrong: str, message: str, order: Order
) -> None:
    text, execute = KERNELS[name]
    with pytest.raises(SimulationError):
        execute(text.replace(correct, wrong, 1), order)
