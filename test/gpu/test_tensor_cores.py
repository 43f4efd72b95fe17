"""The register layouts of ``dlc/arch/fragments.py`` are those of the hardware."""

import numpy as np
import pytest
from fragment_values import DTYPES, spread
from lowered import lowered
from simulated import Runner

from dlc.arch import instructions
from dlc.arch.fragments import Fragment
from dlc.arch.instruction import Instruction
from dlc.arch.scope import Scope
from dlc.dialects.graph.structure import Array

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
