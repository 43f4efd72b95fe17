"""Contractions whose parts of a sum meet in the shared memory of a cluster.

Small integers are multiplied, so that the products are exact in whatever order they are added.
"""

from collections.abc import Callable

import numpy as np
import pytest
from contraction_text import contraction_text
from launch import Gpu
from lowered import lowered
from simulated import Runner, Simulated
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from dlc.backends.cuda.cubins import compile_kernels
from dlc.dialects import gpu
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.simulator import SimulationError, simulate
from dlc.simulator.launch import Order

TARGET = "sm_90a"
Size = tuple[int, int, int]
_MMA = 'tile = [32, 32, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3'
_WGMMA = 'warps = [4, 1], instruction = "wgmma.m64n64k16"'
_BOXES = 'stages = 4, producers = 4, producer_registers = 40, copies = "tensor"'
KEYS = {
    "threads": (
        "f32",
        'tile = [32, 64, 16], warps = [2, 2], instruction = "fma", stages = 2, split = 2',
    ),
    "fewer rows than blocks": (
        "f32",
        'tile = [2, 32, 16], warps = [1, 1], instruction = "fma.1x32", stages = 2, split = 4',
    ),
    "warps": ("f16", f"{_MMA}, split = 4"),
    "interleaved": ("f16", f"{_MMA}, split = 2, interleave = 2"),
    "six neighbours of a thread": (
        "f16",
        'tile = [32, 96, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, '
        "split = 2, interleave = 3",
    ),
    "bytes": (
        "i8",
        'tile = [64, 64, 64], warps = [2, 2], instruction = "mma.m16n8k32", stages = 2, split = 8',
    ),
    "warpgroup": ("f16", f"tile = [64, 64, 64], {_WGMMA}, stages = 2, split = 2"),
    "producers": ("f16", f"tile = [64, 64, 64], {_WGMMA}, {_BOXES}, split = 4"),
    "few rows each": ("f16", f"tile = [64, 64, 32], {_WGMMA}, {_BOXES}, split = 8"),
}
SIZES: list[Size] = [
    (45, 40, 136),  # tails of rows and columns, parts without a slice
    (33, 97, 67),  # lines that no copy is aligned to
    (1, 1, 1),
    (131, 72, 520),  # more parts than a cluster
]
CASES = [
    (name, size)
    for name, (_, keys) in KEYS.items()
    for size in SIZES
    if "tensor" not in keys or size[2] % 8 == 0  # lines that a tensor map describes
]
_NUMPY = {"f32": np.float32, "f16": np.float16, "i8": np.int8}


def product(size: Size, name: str, target: str = TARGET) -> ModuleOp:
    m, n, k = size
    element, keys = KEYS[name]
    result, op = ("i32", "matmul") if element == "i8" else (element, "matmul")
    types = f"tensor<{m}x{k}x{element}>", f"tensor<{n}x{k}x{element}>", f"tensor<{m}x{n}x{result}>"
    text = contraction_text(types, f"graph.{op} %a, %b transpose_rhs", f"{keys}, exchange = true")
    return lowered(text, f"lower-to-loop,lower-to-gpu{{arch={target}}}")


def inputs(size: Size, name: str) -> tuple[Array, Array]:
    m, n, k = size
    generator, type = np.random.default_rng(5), _NUMPY[KEYS[name][0]]
    x, w = (generator.integers(-4, 5, s).astype(type) for s in ((m, k), (n, k)))
    return x, w


def check(runner: Runner, size: Size, name: str) -> None:
    x, w = inputs(size, name)
    (y,) = runner.run(product(size, name), x, w)
    exact = x.astype(np.int64) @ w.astype(np.int64).T
    np.testing.assert_array_equal(y, exact.astype(y.dtype))


@pytest.mark.parametrize(("name", "size"), CASES, ids=str)
def test_product_is_right(size: Size, name: str) -> None:
    check(Simulated(), size, name)


@pytest.mark.gpu
@pytest.mark.parametrize(("name", "size"), CASES, ids=str)
def test_product_on_the_gpu(gpu: Gpu, size: Size, name: str) -> None:
    if gpu.target != TARGET:
        pytest.skip(f"{gpu.target} has no clusters")
    check(gpu, size, name)


@pytest.mark.parametrize("name", KEYS)
def test_no_register_spills(name: str) -> None:
    (kernel,) = compile_kernels(product((260, 256, 512), name), TARGET)
    assert kernel.resources.spill_bytes == 0


def test_other_chips_have_no_clusters() -> None:
    with pytest.raises(CompileError, match="clusters, which sm_89 has not"):
        product((45, 40, 136), "warps", "sm_89")


Fault = Callable[[ModuleOp], None]


def without(kind: type[Operation]) -> Fault:
    def erase(module: ModuleOp) -> None:
        (found,) = (op for op in module.walk() if isinstance(op, kind))
        Rewriter.erase_op(found)

    return erase


def half_of_the_bytes(module: ModuleOp) -> None:
    """A block waits for half of what is sent to it."""
    (found,) = (op for op in module.walk() if isinstance(op, gpu.MbarrierArriveOp))
    found.bytes = IntegerAttr(found.expected_bytes // 2, i64)


def sums_of_one_part(module: ModuleOp) -> None:
    """All blocks send to the first part's place."""
    for op in [o for o in module.walk() if isinstance(o, gpu.StAsyncOp)]:
        at = op.destination_map.data
        op.destination_map = type(op.destination_map)(
            type(at)(at.num_dims, at.num_symbols, (at.results[0] * 0, *at.results[1:]))
        )


FAULTS: dict[str, tuple[Fault, str]] = {
    "blocks may not have begun": (without(gpu.ClusterWaitOp), "may not have begun"),
    "sums may not have come": (without(gpu.MbarrierWaitOp), "not waited for"),
    "fewer sums are waited for": (half_of_the_bytes, "has filled that it did not wait for: a race"),
    "two parts in one place": (sums_of_one_part, "a race"),
}


@pytest.mark.parametrize("order", [None, "forward", "backward", 1])
@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found(name: str, order: Order | None) -> None:
    fault, message = FAULTS[name]
    size = 45, 40, 136
    module = product(size, "warps")
    fault(module)
    kernel = next(op for op in module.ops if isinstance(op, gpu.KernelOp))
    y = np.zeros(size[:2], np.float16)
    with pytest.raises(SimulationError, match=message):
        simulate(module, kernel.sym_name.data, [*inputs(size, "warps"), y], warp_order=order)
