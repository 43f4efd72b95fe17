"""Faults that are put into the steps of attention on a CPU change what it gives."""

from collections.abc import Callable

import numpy as np
import pytest
from attention_text import Case
from compiled_c import CompiledKernels
from lowered import lowered
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from dlc.dialects.loop import KernelOp, StoreOp

CASE = Case(
    "tile = [3, 8], lanes = 4, tiles = 2, step = 16",
    *(2, 19, 83, 7, 9),
    mask="causal, later",
    element="f32",
    target="cpu",
)
Fault = Callable[[KernelOp], int]
"""Puts a fault into a kernel; returns at how many places."""


def _replace(kernel: KernelOp, wrong: Callable[[SSAValue], SSAValue | None]) -> int:
    """Replace results by operands that ``wrong`` names."""
    found = [(v, w) for op in kernel.walk() for v in op.results if (w := wrong(v)) is not None]
    for value, other in found:
        value.replace_all_uses_with(other)
    return len(found)


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, arith.ConstantOp)


def sums_keep_their_scale(kernel: KernelOp) -> int:
    """What was added up before a step is not made relative to the largest logit so far."""

    def before(value: SSAValue) -> SSAValue | None:
        op = value.owner
        if not isinstance(op, arith.MulfOp) or not isinstance(value.type, VectorType):
            return None
        return op.lhs

    return _replace(kernel, before)


def totals_are_of_the_last_step(kernel: KernelOp) -> int:
    return _replace(kernel, lambda v: v.owner.c if isinstance(v.owner, math.FmaOp) else None)


def unseen_keys_have_weights(kernel: KernelOp) -> int:
    def seen(value: SSAValue) -> SSAValue | None:
        op = value.owner
        if not isinstance(op, arith.SelectOp) or not _is_constant(op.rhs):
            return None
        return op.lhs

    return _replace(kernel, seen)


def largest_is_forgotten(kernel: KernelOp) -> int:
    stores = [op for op in kernel.walk() if isinstance(op, StoreOp)]
    found = [op for op in stores if op.buffer.name_hint == "largest"]
    later = [op for op in found if not _is_constant(op.value)]
    for op in later:
        Rewriter.erase_op(op)
    return len(later)


def nothing(kernel: KernelOp) -> int:
    return 1


FAULTS: tuple[Fault, ...] = (
    nothing,
    sums_keep_their_scale,
    totals_are_of_the_last_step,
    unseen_keys_have_weights,
    largest_is_forgotten,
)


@pytest.fixture(scope="module")
def kernels() -> CompiledKernels:
    found: list[KernelOp] = []
    for fault in FAULTS:
        text = CASE.text().replace("@g(", f"@{fault.__name__}(")
        (kernel,) = (x for x in lowered(text, "lower-to-loop").ops if isinstance(x, KernelOp))
        assert fault(kernel) > 0
        kernel.verify()
        found.append(kernel)
    return CompiledKernels(found)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_seen(fault: Fault, kernels: CompiledKernels) -> None:
    inputs = CASE.inputs()
    (found,) = kernels.run(fault.__name__, list(inputs.values()))
    off = np.abs(found - CASE.wanted(inputs)).max()
    assert (off < 1e-3) == (fault is nothing), off
