"""Contractions whose warps have roles: some bring slices through a ring, the others multiply them.

Small integers are multiplied, so that the products are exact in whatever order they are added.

On an H200 (compute-sanitizer 2025.3) memcheck and synccheck find nothing. racecheck takes the
arrival of a warp's first lane for that lane's only, and reports the reads of the others; where all
lanes arrive, it finds nothing either.
"""

from collections.abc import Callable
from itertools import product as product_of

import numpy as np
import pytest
from contraction_text import contraction_text
from launch import Gpu
from lowered import lowered
from simulated import Runner, Simulated
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import Rewriter

from dlc.backends.cuda.cubins import compile_kernels
from dlc.dialects import gpu
from dlc.dialects.graph.structure import Array
from dlc.dialects.loop import IndexOp
from dlc.errors import CompileError
from dlc.simulator import SimulationError, simulate
from dlc.simulator.launch import Order

TARGET = "sm_90a"
Size = tuple[int, int, int]
ROLES = "producers = 1"
WALK = "producers = 2, blocks = 3"
TURNS = "producers = 4, blocks = 2, turns = 2"
REGISTERS = "producers = 4, producer_registers = 40, blocks = 3"


MMA = 'tile = [32, 32, 32], warps = [2, 2], instruction = "mma.m16n8k16"'
WGMMA = 'tile = [64, 32, 32], warps = [4, 1], instruction = "wgmma.m64n32k16"'
"""Both factors are read in shared memory, by products that are under way in the next slice, too."""


def product(size: Size, keys: str, tile: str = MMA) -> ModuleOp:
    """Return the kernel of a product of halves."""
    m, n, k = size
    x, w, y = f"tensor<{m}x{k}xf16>", f"tensor<{n}x{k}xf16>", f"tensor<{m}x{n}xf16>"
    keys = f"{tile}, {keys if 'stages' in keys else f'{keys}, stages = 3'}"
    text = contraction_text((x, w, y), "graph.matmul %a, %b transpose_rhs", keys)
    return lowered(text, f"lower-to-loop,lower-to-gpu{{arch={TARGET}}}")


def inputs(size: Size) -> tuple[Array, Array]:
    m, n, k = size
    generator = np.random.default_rng(5)
    x, w = (generator.integers(-4, 5, s).astype(np.float16) for s in ((m, k), (n, k)))
    return x, w


def wanted(size: Size) -> Array:
    x, w = (a.astype(np.float32) for a in inputs(size))
    return (x @ w.T).astype(np.float16)


def check(module: ModuleOp, size: Size, runner: Runner) -> None:
    (y,) = runner.run(module, *inputs(size))
    np.testing.assert_array_equal(y, wanted(size))


SIZES: list[Size] = [
    (45, 40, 136),  # tails of rows, columns and slices
    (33, 97, 67),  # lines that no copy is aligned to: elements are stored
    (1, 1, 1),
    (160, 96, 32),  # one slice: fewer than slots
    (64, 64, 257),  # many more slices than slots
    (32, 32, 64),  # one tile: fewer than blocks
]
KEYS = [
    ROLES,
    "producers = 3",
    "producers = 1, split = 2",
    "producers = 1, exchange = true",
    "producers = 1, interleave = 2",
    WALK,
    f'{WALK}, order = "grouped<2>"',
    f"{WALK}, exchange = true",
    REGISTERS,
    "producers = 1, blocks = 1",
    TURNS,
    'producers = 2, blocks = 1, turns = 3, order = "grouped<2>"',
]


@pytest.mark.parametrize(
    ("keys", "size"),
    [
        *((keys, size) for keys in KEYS for size in SIZES[:2]),
        *((keys, size) for keys in (ROLES, WALK, REGISTERS, TURNS) for size in SIZES[2:]),
    ],
    ids=str,
)
def test_product_is_right(size: Size, keys: str) -> None:
    check(product(size, keys), size, Simulated())


@pytest.mark.parametrize("size", SIZES[:4], ids=str)
@pytest.mark.parametrize("keys", [ROLES, "producers = 1, split = 2", REGISTERS, TURNS])
def test_product_of_warpgroups_is_right(size: Size, keys: str) -> None:
    check(product(size, keys, WGMMA), size, Simulated())


BOXES = [
    'producers = 1, copies = "tensor"',
    f'{WALK}, copies = "tensor"',
    f'{TURNS}, copies = "tensor"',
    f'{REGISTERS}, copies = "tensor", exchange = true',
    f'{WALK}, copies = "tensor", interleave = 2',  # rows of the rhs in another order
]


BOX_SIZES: list[Size] = [(1, 1, 1), (45, 48, 136), (96, 64, 32), (160, 96, 256)]


@pytest.mark.parametrize(
    ("tile", "size"),
    [(MMA, BOX_SIZES[1]), *((WGMMA, size) for size in BOX_SIZES)],
    ids=str,
)
@pytest.mark.parametrize("keys", BOXES)
def test_one_thread_brings_boxes(keys: str, tile: str, size: Size) -> None:
    check(product(size, keys, tile), size, Simulated())


@pytest.mark.parametrize("slots", [1, 2, 4, 7])
@pytest.mark.parametrize("tile", [MMA, WGMMA])
def test_any_number_of_slots(tile: str, slots: int) -> None:
    size = 70, 40, 136
    check(product(size, f"{WALK}, stages = {slots}", tile), size, Simulated())


ORDERS: list[Order] = ["forward", "backward", 1, 2]


def simulated(module: ModuleOp, size: Size, order: Order | None = None) -> Array:
    y = np.zeros(size[:2], np.float16)
    name = next(op for op in module.ops if isinstance(op, gpu.KernelOp)).sym_name.data
    simulate(module, name, [*inputs(size), y], warp_order=order)
    return y


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("keys", [ROLES, WALK, f"{WALK}, exchange = true", TURNS])
def test_whichever_warp_runs_first(keys: str, order: Order) -> None:
    size = 70, 40, 136
    np.testing.assert_array_equal(simulated(product(size, keys), size, order), wanted(size))


@pytest.mark.parametrize("tile", [MMA, WGMMA])
@pytest.mark.parametrize("keys", [*KEYS, *BOXES])
def test_no_register_spills(keys: str, tile: str) -> None:
    (kernel,) = compile_kernels(product((260, 256, 512), keys, tile), TARGET)
    assert kernel.resources.spill_bytes == 0


@pytest.mark.parametrize("target", ["sm_80", "sm_86", "sm_89"])
def test_other_chips_have_no_roles(target: str) -> None:
    with pytest.raises(CompileError, match=f"needs mbarrier, which {target} has not"):
        lowered(str(product((45, 40, 136), ROLES)), f"gpu-check-limits{{arch={target}}}")


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("keys", "size"), [*product_of(KEYS, SIZES), *product_of(BOXES, BOX_SIZES)], ids=str
)
@pytest.mark.parametrize("tile", [MMA, WGMMA])
def test_product_on_the_gpu(gpu: Gpu, size: Size, keys: str, tile: str) -> None:
    if gpu.target != TARGET:
        pytest.skip(f"{gpu.target} has no mbarriers")
    check(product(size, keys, tile), size, gpu)


# Faults ------------------------------------------------------------------------------------------

RACE = "a race|nothing was written|not waited for"
STALL = "waits for ever"
Fault = Callable[[ModuleOp], None]


def ops(module: ModuleOp, kind: type[Operation]) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, kind)]


def without(kind: type[Operation], number: int = 0) -> Fault:
    """Return the fault of an operation that is missing, with what only it is in."""

    def erase(module: ModuleOp) -> None:
        Rewriter.erase_op(ops(module, kind)[number])

    return erase


def other_phase(number: int) -> Fault:
    """Return the fault of a wait for the other phase."""

    def change(module: ModuleOp) -> None:
        parity = ops(module, gpu.MbarrierWaitOp)[number].operands[-1]
        assert isinstance(parity.owner, IndexOp)
        other = IndexOp(AffineExpr.constant(1) - parity.owner.expr, parity.owner.indices)
        Rewriter.replace_op(parity.owner, other)

    return change


def arrivals(number: int, more: int) -> Fault:
    """Return the fault of an object that counts wrongly."""

    def change(module: ModuleOp) -> None:
        op = ops(module, gpu.MbarrierInitOp)[number]
        assert isinstance(op, gpu.MbarrierInitOp)
        op.arrivals = IntegerAttr(op.arrivals.value.data + more, i64)

    return change


FAULTS: dict[str, tuple[str, Fault, str]] = {
    "nobody waits until a slot is full": (WALK, without(gpu.MbarrierWaitOp, 0), RACE),
    "nobody waits until a slot is empty": (WALK, without(gpu.MbarrierWaitOp, 1), RACE),
    "other phase of a full slot": (WALK, other_phase(0), f"{RACE}|{STALL}"),
    "other phase of an empty slot": (WALK, other_phase(1), f"{RACE}|{STALL}"),
    "copies do not arrive": (WALK, without(gpu.CpAsyncArriveOp), STALL),
    "who multiplies does not arrive": (WALK, without(gpu.MbarrierArriveOp), STALL),
    "too many arrivals fill a slot": (WALK, arrivals(0, 1), STALL),
    "too few arrivals fill a slot": (WALK, arrivals(0, -1), f"{RACE}|{STALL}|too often"),
    "too many arrivals empty a slot": (WALK, arrivals(1, 1), STALL),
    "too few arrivals empty a slot": (WALK, arrivals(1, -1), f"{RACE}|{STALL}|too often"),
    "lanes have not read yet": (WALK, without(gpu.WarpBarrierOp), RACE),
    "objects are not made yet": (WALK, without(gpu.BarrierOp), f"{RACE}|nobody initialised"),
    "nobody waits for its turn": (TURNS, without(gpu.MbarrierWaitOp, 0), f"{RACE}|{STALL}"),
    "other phase of a turn": (TURNS, other_phase(0), f"{RACE}|{STALL}"),
    "nobody ends its turn": (TURNS, without(gpu.MbarrierArriveOp, 1), STALL),
    "no barrier before the exchange": (f"{WALK}, exchange = true", without(gpu.BarSyncOp, 0), RACE),
    "no barrier in the exchange": (f"{WALK}, exchange = true", without(gpu.BarSyncOp, 1), RACE),
}


@pytest.mark.parametrize("order", [None, *ORDERS])
@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found(name: str, order: Order | None) -> None:
    keys, fault, message = FAULTS[name]
    size = 70, 40, 136
    module = product(size, keys)
    fault(module)
    with pytest.raises(SimulationError, match=message):
        simulated(module, size, order)


PRODUCT_FAULTS: dict[str, tuple[Fault, str]] = {
    "products do not see what was copied": (without(gpu.AsyncFenceOp), "fence"),
    "products still read the slot": (without(gpu.WgmmaWaitOp, 0), f"{RACE}|product"),
    "products are not done at the end": (without(gpu.WgmmaWaitOp, 1), f"{RACE}|product"),
}


def fewer_bytes(module: ModuleOp) -> None:
    for op in ops(module, gpu.MbarrierArriveOp):
        assert isinstance(op, gpu.MbarrierArriveOp)
        if op.bytes is not None:
            op.bytes = IntegerAttr(op.expected_bytes - 16, i64)


BOX_FAULTS: dict[str, tuple[Fault, str]] = {
    "nobody waits until a slot is full": (without(gpu.MbarrierWaitOp, 0), RACE),
    "nobody waits until a slot is empty": (without(gpu.MbarrierWaitOp, 1), f"{RACE}|too often"),
    "not all bytes are expected": (fewer_bytes, f"{RACE}|{STALL}"),
    "a box does not come": (without(gpu.TensorCopyOp), STALL),
}


@pytest.mark.parametrize("order", [None, *ORDERS])
@pytest.mark.parametrize("name", BOX_FAULTS)
def test_fault_of_boxes_is_found(name: str, order: Order | None) -> None:
    fault, message = BOX_FAULTS[name]
    size = 70, 40, 136
    module = product(size, f'{WALK}, copies = "tensor"', WGMMA)
    fault(module)
    with pytest.raises(SimulationError, match=message):
        simulated(module, size, order)


@pytest.mark.parametrize("order", [None, *ORDERS])
@pytest.mark.parametrize("name", PRODUCT_FAULTS)
def test_fault_of_asynchronous_products_is_found(name: str, order: Order | None) -> None:
    fault, message = PRODUCT_FAULTS[name]
    size = 70, 40, 136
    module = product(size, WALK, WGMMA)
    fault(module)
    with pytest.raises(SimulationError, match=message):
        simulated(module, size, order)
