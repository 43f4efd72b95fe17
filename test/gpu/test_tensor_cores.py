"""The register layouts of ``dlc/arch/fragments.py`` are those of the hardware."""

import numpy as np
import pytest
from fragment_values import DTYPES, spread
from lowered import lowered
from simulated import Runner

from dlc.arch import instructions
from dlc.arch.fragments import Fragment, ldmatrix_position
from dlc.arch.instruction import Instruction
from dlc.arch.scope import Scope
from dlc.backends.cuda.cubins import compile_kernels
from dlc.dialects.graph.structure import Array
from dlc.simulator import SimulationError, simulate

HEAD = (
    "attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} "
    "{ %t = gpu.thread_id x : index\n"
)


def small_integers(seed: int, fragment: Fragment, element: str) -> Array:
    """Return integers from -4 to 4, from 0 for unsigned ones: their products and sums are exact in
    every type here.
    """
    least = 0 if element.startswith("u") else -4
    sizes = fragment.rows, fragment.columns
    return np.random.default_rng(seed).integers(least, 5, sizes).astype(DTYPES[element])


@pytest.mark.parametrize(
    "it", [row for row in instructions.rows() if row.scope is Scope.WARP], ids=lambda row: row.ptx
)
def test_product_of_fragments(runner: Runner, it: Instruction) -> None:
    elements = [str(operand.element) for operand in (it.a, it.b, it.c)]
    a, b, c = (
        small_integers(i, f, e) for i, (f, e) in enumerate(zip(it.fragments, elements, strict=True))
    )
    register = "#loop.space<register>"
    types = {n: f"{f.slots}x{e}" for n, f, e in zip("abc", it.fragments, elements, strict=True)}
    allocs = "".join(
        f"%r{n} = gpu.register_alloc : memref<{t}, {register}>\n" for n, t in types.items()
    )

    def copy(source: str, target: str, name: str) -> str:
        count, element = types[name].split("x")
        move = {"x": f"%{name}[%t, @]", "y": "%y[%t, @]", "r": f"%r{name}[@]"}
        kind = {"x": f"memref<32x{types[name]}>", "y": f"memref<32x{types[name]}>"}
        kind["r"] = f"memref<{types[name]}, {register}>"
        width = 4 // np.dtype(DTYPES[element]).itemsize
        lines = [
            f"gpu.copy {move[source]} to {move[target]} {{elements = {width} : i64}} : "
            f"{kind[source]}, {kind[target]}\n".replace("@", str(at))
            for at in range(0, int(count), width)
        ]
        return "".join(lines)

    mma = f'gpu.mma %ra[0], %rb[0], %rc[0] {{shape = "{it.shape}"}} : ' + ", ".join(
        f"memref<{t}, {register}>" for t in types.values()
    )
    parameters = ", ".join(f"%{n}: memref<32x{t}>" for n, t in types.items())
    text = (
        f"gpu.kernel @product({parameters}, %y: memref<32x{types['c']}>) {HEAD}{allocs}"
        f"{copy('x', 'r', 'a')}{copy('x', 'r', 'b')}{copy('x', 'r', 'c')}{mma}\n"
        f"{copy('r', 'y', 'c')} gpu.end }}"
    )
    module = lowered(text, "gpu-check-limits")
    (y,) = runner.run(module, *(spread(m, f) for m, f in zip((a, b, c), it.fragments, strict=True)))
    wanted = (a.astype(np.float32) @ b.astype(np.float32) + c).astype(c.dtype)
    np.testing.assert_array_equal(y, spread(wanted, it.fragments[2]))


@pytest.mark.parametrize("swizzle", ["", "{swizzle = #gpu.swizzle<3, 4, 3>}"])
@pytest.mark.parametrize("transpose", [False, True])
def test_matrix_loads(runner: Runner, swizzle: str, transpose: bool) -> None:
    """cp.async and ldmatrix make a tile the a fragment, or the b fragment if transposed."""
    fragment = instructions.named("mma.m16n8k16")[0].fragments[transpose]
    x = np.arange(16 * 64, dtype=np.float16).reshape(16, 64)
    shared, register = "memref<16x64xf16, #loop.space<shared>>", "#loop.space<register>"
    slots = fragment.slots
    matrices = slots // 2
    place = "%t mod 16, 8" if transpose else "%t mod 16, %t floordiv 16 * 8 + 8"
    places = ", ".join(["%t floordiv 2", "%t mod 2 * 32 + {c}"])
    copies = "".join(
        f"gpu.cp_async %x[{places}] to %s[{places}] {{{{bytes = 16 : i64}}}} : "
        f"memref<16x64xf16>, {shared}\n".format(c=c)
        for c in range(0, 32, 8)
    )
    stores = "".join(
        f"gpu.copy %r[{at}] to %y[%t, {at}] {{elements = 2 : i64}} : "
        f"memref<{slots}xf16, {register}>, memref<32x{slots}xf16>\n"
        for at in range(0, slots, 2)
    )
    text = (
        f"gpu.kernel @loads(%x: memref<16x64xf16>, %y: memref<32x{slots}xf16>) {HEAD}"
        f"%s = gpu.shared_alloc {swizzle} : {shared}\n"
        f"%r = gpu.register_alloc : memref<{slots}xf16, {register}>\n"
        f"{copies} gpu.cp_async_commit gpu.cp_async_wait {{outstanding = 0 : i64}} gpu.barrier\n"
        f"gpu.ldmatrix %s[{place}] to %r[0] {{matrices = {matrices} : i64"
        f"{', transpose' if transpose else ''}}} : {shared}, memref<{slots}xf16, {register}>\n"
        f"{stores} gpu.end }}"
    )
    (y,) = runner.run(lowered(text, "gpu-allocate-shared,gpu-check-limits"), x)
    part = x[:, 8 : 8 + fragment.columns]
    np.testing.assert_array_equal(y, spread(part, fragment))


@pytest.mark.parametrize("swizzle", ["", "{swizzle = #gpu.swizzle<3, 4, 3>}"])
@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("matrices", [1, 2, 4])
def test_matrix_stores(runner: Runner, matrices: int, transpose: bool, swizzle: str) -> None:
    """It puts what lanes hold of matrices into a tile, 8 columns to each."""
    if runner.target != "sm_90a":
        pytest.skip(f"{runner.target} has no stmatrix")
    slots = 2 * matrices
    x = np.arange(32 * slots, dtype=np.float16).reshape(32, slots)
    shared, register = "memref<8x64xf16, #loop.space<shared>>", "#loop.space<register>"
    held = f"memref<{slots}xf16, {register}>"
    loads = "".join(
        f"gpu.copy %x[%t, {at}] to %r[{at}] {{elements = 2 : i64}} : "
        f"memref<32x{slots}xf16>, {held}\n"
        for at in range(0, slots, 2)
    )
    place = f"%t mod 8, %t floordiv 8 mod {matrices} * 8"
    text = (
        f"gpu.kernel @stores(%x: memref<32x{slots}xf16>, %y: memref<8x{8 * matrices}xf16>) {HEAD}"
        f"%s = gpu.shared_alloc {swizzle} : {shared}\n%r = gpu.register_alloc : {held}\n{loads}"
        f"gpu.stmatrix %r[0] to %s[{place}] {{matrices = {matrices} : i64"
        f"{', transpose' if transpose else ''}}} : {held}, {shared}\n gpu.barrier\n"
        f"gpu.copy %s[{place}] to %y[{place}] {{elements = 8 : i64}} : {shared}, "
        f"memref<8x{8 * matrices}xf16>\n gpu.end }}"
    )
    if matrices < 4:  # one lane for each row
        text = text.replace(
            "gpu.copy %s",
            "%n = arith.constant MANY : index\n%own = arith.cmpi "
            "slt, %t, %n : index\nscf.if %own {\ngpu.copy %s",
        ).replace("\n gpu.end", "\n}\n gpu.end")
        text = text.replace("MANY", str(8 * matrices))
    module = lowered(text, "gpu-allocate-shared,gpu-check-limits{arch=sm_90a}")
    assert compile_kernels(module, "sm_90a")[0].resources.spill_bytes == 0
    (y,) = runner.run(module, x)
    for lane in range(32):
        for slot in range(slots):
            matrix, row, column = ldmatrix_position(lane, slot, 2, transpose)
            assert y[row, 8 * matrix + column] == x[lane, slot]


def test_a_matrix_that_others_read_without_a_barrier_is_found() -> None:
    text = """
gpu.kernel @k(%x: memref<32x2xf16>, %y: memref<8x8xf16>) HEAD
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<8x8xf16, #loop.space<shared>>
  %r = gpu.register_alloc : memref<2xf16, #loop.space<register>>
  gpu.copy %x[%t, 0] to %r[0] {elements = 2 : i64}
    : memref<32x2xf16>, memref<2xf16, #loop.space<register>>
  gpu.stmatrix %r[0] to %s[%t mod 8, 0] {matrices = 1 : i64}
    : memref<2xf16, #loop.space<register>>, memref<8x8xf16, #loop.space<shared>>
  %v = loop.load %s[%t mod 8, 7 - %t floordiv 8] : memref<8x8xf16, #loop.space<shared>> -> f32
  loop.store %v, %y[%t mod 8, %t floordiv 8] : f32 -> memref<8x8xf16>
  gpu.end
}""".replace(
        "HEAD", HEAD.replace("outputs = 1 : i64", "outputs = 1 : i64, shared_bytes = 128 : i64")
    )
    arrays = np.zeros((32, 2), np.float16), np.zeros((8, 8), np.float16)
    with pytest.raises(SimulationError, match="a race"):
        simulate(lowered(text, "gpu-check-limits{arch=sm_90a}"), "k", arrays)
