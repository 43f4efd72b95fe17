"""Sums of tall tiles that change threads in shared memory one strip of rows after the other.

Small integers are multiplied, so that the products are exact in whatever order they are added.
"""

import numpy as np
import pytest
from contraction_text import contraction_text
from lowered import lowered
from simulated import Runner
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from dlc.backends.cuda.cubins import compile_kernels
from dlc.dialects import gpu
from dlc.dialects.graph.structure import Array
from dlc.ir.space import buffer_type
from dlc.simulator import SimulationError, simulate
from dlc.simulator.launch import Order

Size = tuple[int, int, int]
TALL = 'warps = [4, 1], instruction = "wgmma.m64n32k16", exchange = true'
IN_TURNS = 'producers = 4, producer_registers = 40, turns = 2, blocks = 2, copies = "tensor"'
KEYS = {
    "two strips": f"tile = [128, 32, 64], stages = 2, {TALL}",
    "three strips": f"tile = [192, 32, 64], stages = 2, {TALL}",
    "two in turns": f"tile = [128, 32, 64], stages = 3, {TALL}, {IN_TURNS}",
    "two by producers": f"tile = [128, 32, 64], stages = 3, {TALL}, producers = 4, blocks = 3",
    "one of two warpgroups": "tile = [128, 32, 64], stages = 2, warps = [8, 1], exchange = true, "
    'instruction = "wgmma.m64n32k16"',
}
SIZES: list[Size] = [
    (200, 71, 136),  # tails of tiles, strips, columns and slices
    (65, 33, 64),  # one row of the second strip
    (64, 1, 72),  # none
    (384, 64, 64),  # none left over
]


def product(size: Size, keys: str) -> ModuleOp:
    """Return the kernel of a product of halves, of which sums are stored."""
    m, n, k = size
    x, w, y = f"tensor<{m}x{k}xf16>", f"tensor<{n}x{k}xf16>", f"tensor<{m}x{n}xf16>"
    text = contraction_text((x, w, y), "graph.matmul %a, %b transpose_rhs", KEYS[keys])
    return lowered(text, "lower-to-loop,lower-to-gpu{arch=sm_90a}")


def inputs(size: Size) -> tuple[Array, Array]:
    m, n, k = size
    generator = np.random.default_rng(5)
    x, w = (generator.integers(-4, 5, s).astype(np.float16) for s in ((m, k), (n, k)))
    return x, w


def wanted(size: Size) -> Array:
    x, w = (a.astype(np.float32) for a in inputs(size))
    return (x @ w.T).astype(np.float16)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("keys", KEYS)
def test_product_is_right(runner: Runner, keys: str, size: Size) -> None:
    (y,) = runner.run(product(size, keys), *inputs(size))
    np.testing.assert_array_equal(y, wanted(size))


@pytest.mark.parametrize("keys", KEYS)
def test_kernel_compiles_without_spills(keys: str) -> None:
    assert compile_kernels(product(SIZES[0], keys), "sm_90a")[0].resources.spill_bytes == 0


@pytest.mark.parametrize(("keys", "rows"), [("two strips", 64), ("one of two warpgroups", 128)])
def test_one_strip_is_in_shared_memory_at_a_time(keys: str, rows: int) -> None:
    allocs = [op for op in product(SIZES[0], keys).walk() if isinstance(op, gpu.SharedAllocOp)]
    sizes = [tuple(buffer_type(op.output).get_shape()) for op in allocs]
    assert (rows, 32 + 8) in sizes


MEETINGS = {"two strips": gpu.BarrierOp, "two in turns": gpu.BarSyncOp}
NEEDLESS = {"two strips": set[int](), "two in turns": {4}}
"""Of the meetings, in order: before the first strip of a tile teams that take turns have met, since
they took the strips of the tile before.
"""
ORDERS: list[Order | None] = [None, "forward", "backward"]


def found_in(module: ModuleOp, order: Order | None) -> bool:
    """Return whether the simulator finds a race, or a wrong result."""
    x, w = inputs(SIZES[0])
    y = np.zeros_like(wanted(SIZES[0]))
    (name,) = (op.sym_name.data for op in module.ops if isinstance(op, gpu.KernelOp))
    try:
        simulate(module, name, [x, w, y], warp_order=order)
    except SimulationError:
        return True
    return not np.array_equal(y, wanted(SIZES[0]))


@pytest.mark.parametrize("keys", MEETINGS)
def test_each_meeting_of_an_exchange_is_needed(keys: str) -> None:
    """Threads meet before and after a strip is written."""
    count = len(meetings(product(SIZES[0], keys), keys))
    assert count >= 5
    missed = set[int]()
    for number in range(count):
        module = product(SIZES[0], keys)
        Rewriter.erase_op(meetings(module, keys)[number])
        if not any(found_in(module, order) for order in ORDERS):
            missed.add(number)
    assert missed == NEEDLESS[keys]


def meetings(module: ModuleOp, keys: str) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, MEETINGS[keys])]


def test_simulator_has_nothing_against_the_right_ones() -> None:
    for keys in MEETINGS:
        assert not any(found_in(product(SIZES[0], keys), order) for order in ORDERS)
