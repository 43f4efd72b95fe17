"""Faults put into the lowered kernel of a matrix product are found in the simulator."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from lowered import lowered
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i64
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.dialects import gpu
from dlc.dialects.loop import LoadOp, StoreOp
from dlc.simulator import SimulationError, SimulationReport, run_module, runs_in_lockstep

M, N = 72, 64
K = 224
"""Seven slices, so that stages are filled again."""
PRODUCT = """
func.func @main(%x: X, %w: W) -> Y {
  %y = fused_group.group @g(%x, %w) : (X, W) -> Y attributes {
      schedule = #loop.schedule<strategy = "contract", target = "gpu",
      tile = [64, 64, 32], warps = [2, 2],
      instruction = "INSTRUCTION", stages = 3, split = SPLIT, order = "row", exchange = EXCHANGE>} {
  ^bb0(%a: X, %b: W):
    %r = graph.matmul %a, %b ORDER : (X, W) -> Y
    fused_group.yield %r : Y
  }
  func.return %y : Y
}
"""
Fault = Callable[[ModuleOp], None]


@dataclass(frozen=True)
class Kind:
    """An instruction, the types of both factors and the result, and the order of the rhs."""

    instruction: str
    types: tuple[str, str, str]
    dtypes: tuple[type, type, type]
    order: str


HALVES = Kind("mma.m16n8k16", ("f16", "f16", "f16"), (np.float16, np.float16, np.float32), "")
SINGLES = Kind("fma", ("f32", "f32", "f32"), (np.float32, np.float32, np.float32), "transpose_rhs")
BYTES = Kind("mma.m16n8k32", ("ui8", "i8", "i32"), (np.uint8, np.int8, np.int32), "transpose_rhs")


def product(
    split: int = 1, depth: int = K, kind: Kind = HALVES, exchange: bool = False
) -> ModuleOp:
    """Return the kernel of a product of ``depth`` terms, whose rows do not fill its tiles."""
    text = PRODUCT.replace("SPLIT", str(split)).replace("INSTRUCTION", kind.instruction)
    text = text.replace("ORDER", kind.order).replace("EXCHANGE", str(exchange).lower())
    rhs = (N, depth) if kind.order else (depth, N)
    named = zip("XWY", ((M, depth), rhs, (M, N)), kind.types, strict=True)
    for name, sizes, type in named:
        text = re.sub(rf"\b{name}\b", "tensor<{}x{}x{}>".format(*sizes, type), text)
    return lowered(text, "lower-to-loop,lower-to-gpu{arch=sm_90a}")


def is_right(
    module: ModuleOp,
    depth: int = K,
    reports: list[SimulationReport] | None = None,
    kind: Kind = HALVES,
) -> bool:
    """Return whether the kernel gives the exact product of small integers."""
    generator = np.random.default_rng(3)
    left, right, sum = kind.dtypes
    least = 0 if left is np.uint8 else -4
    x = generator.integers(least, 5, (M, depth)).astype(left)
    w = generator.integers(-4, 5, (depth, N)).astype(right)
    (y,) = run_module(module, [x, w.T if kind.order else w], reports=reports)
    return np.array_equal(y, x.astype(sum) @ w.astype(sum))


def all_of(module: ModuleOp, kind: type[Operation]) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, kind)]


def without(kind: type[Operation], number: int) -> Fault:
    """Return what erases operation ``number`` of a kind."""
    return lambda module: Rewriter.erase_op(all_of(module, kind)[number])


@pytest.mark.parametrize("kind", [HALVES, BYTES], ids=lambda kind: kind.instruction)
@pytest.mark.parametrize("split", [1, 2])
def test_product(split: int, kind: Kind) -> None:
    assert is_right(product(split, kind=kind), kind=kind)


@pytest.mark.parametrize("split", [1, 2])
def test_all_warps_run_in_lockstep(split: int) -> None:
    """That is what makes it fast."""
    (kernel,) = (op for op in product(split).ops if isinstance(op, gpu.KernelOp))
    assert runs_in_lockstep(kernel)


@pytest.mark.parametrize("kind", [HALVES, BYTES], ids=lambda kind: kind.instruction)
@pytest.mark.parametrize("depth", [96, K])
def test_no_barrier_can_be_missing(depth: int, kind: Kind) -> None:
    """There is one; where three slices fill the three stages, no other one is needed either."""
    module = product(depth=depth, kind=kind)
    (barrier,) = all_of(module, gpu.BarrierOp)
    Rewriter.erase_op(barrier)
    with pytest.raises(SimulationError, match="race"):
        is_right(module, depth, kind=kind)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_no_barrier_of_an_exchange_can_be_missing(number: int) -> None:
    """The second one ends the reads of the slices whose bytes the sums get."""
    module = product(exchange=True)
    barriers = all_of(module, gpu.BarrierOp)
    assert len(barriers) == 3
    Rewriter.erase_op(barriers[number])
    with pytest.raises(SimulationError, match="race"):
        is_right(module)


def test_exchanged_product() -> None:
    assert is_right(product(exchange=True))


def waits_for_less(module: ModuleOp) -> None:
    for op in all_of(module, gpu.CpAsyncWaitOp):
        assert isinstance(op, gpu.CpAsyncWaitOp)
        op.outstanding = IntegerAttr(op.outstanding.value.data + 1, i64)


def copies_everything(module: ModuleOp) -> None:
    """Copy rows from beyond the end of the matrix too."""
    for op in all_of(module, gpu.CpAsyncOp):
        assert isinstance(op, gpu.CpAsyncOp)
        source, destination = op.accesses()
        places = [(a.buffer, a.map.results, a.operands) for a in (source, destination)]
        Rewriter.replace_op(op, gpu.CpAsyncOp(places[0], places[1], op.bytes.value.data))


def forgets_the_first_zeros(module: ModuleOp) -> None:
    registers = [op.results[0] for op in all_of(module, gpu.RegisterAllocOp)]
    stores = [op for op in all_of(module, StoreOp) if isinstance(op, StoreOp)]
    Rewriter.erase_op(next(op for op in stores if op.buffer in registers))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (waits_for_less, "not waited for"),
        (without(gpu.CpAsyncCommitOp, 0), "not waited for"),
        (copies_everything, "is outside"),
        (forgets_the_first_zeros, "nothing was written"),
        (without(gpu.LdmatrixOp, 0), "nothing was written"),
    ],
)
@pytest.mark.parametrize("kind", [HALVES, BYTES], ids=lambda kind: kind.instruction)
def test_fault(fault: Fault, message: str, kind: Kind) -> None:
    module = product(kind=kind)
    fault(module)
    with pytest.raises(SimulationError, match=message):
        is_right(module, kind=kind)


def transposes(module: ModuleOp) -> None:
    for op in all_of(module, gpu.LdmatrixOp):
        assert isinstance(op, gpu.LdmatrixOp)
        op.transpose = None if op.transpose else UnitAttr()


def reads_without_swizzle(module: ModuleOp) -> None:
    for op in all_of(module, gpu.SharedAllocOp):
        assert isinstance(op, gpu.SharedAllocOp)
        assert op.swizzle is not None
        plain = op.clone()
        plain.swizzle = None
        Rewriter.insert_op(plain, InsertPoint.after(op))
        op.output.replace_uses_with_if(
            plain.output, lambda use: isinstance(use.operation, gpu.LdmatrixOp | LoadOp)
        )


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(transposes, HALVES), (reads_without_swizzle, HALVES), (reads_without_swizzle, BYTES)],
)
def test_wrong_map_gives_a_wrong_product(fault: Fault, kind: Kind) -> None:
    module = product(kind=kind)
    fault(module)
    assert not is_right(module, kind=kind)


def test_missing_fence_is_found() -> None:
    module = product(split=2)
    for op in all_of(module, gpu.FenceOp):
        Rewriter.erase_op(op)
    with pytest.raises(SimulationError, match="without a fence and an atomic"):
        is_right(module)


@pytest.mark.parametrize("kind", [HALVES, SINGLES], ids=lambda kind: kind.instruction)
def test_bank_conflicts_are_counted(kind: Kind) -> None:
    """The swizzle of the lowering avoids all conflicts; without it there are some."""
    reports: list[SimulationReport] = []
    module = product(kind=kind)
    assert is_right(module, reports=reports, kind=kind)
    for op in all_of(module, gpu.SharedAllocOp):
        assert isinstance(op, gpu.SharedAllocOp)
        op.swizzle = None
    assert is_right(module, reports=reports, kind=kind)
    swizzled, plain = reports
    assert swizzled.bank_conflicts == 0
    assert plain.bank_conflicts > swizzled.wavefronts
