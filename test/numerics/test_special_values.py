"""What ops write computes what they mean at the values where arithmetic goes wrong."""

from collections.abc import Iterator

import numpy as np
import pytest
from compiled_c import CompiledKernels, launched_by, lower, module_of
from samples import Sample, check_close, check_code
from special_samples import SAMPLES
from test_group_of_one import module_of as main_of

from dlc import registry
from dlc.analysis.evaluation import evaluate, round_to
from dlc.dialects.graph import elementwise
from dlc.dialects.graph.activation import ReluOp
from dlc.dialects.graph.scatter import ScatterNdOp
from dlc.dialects.graph.structure import Array
from dlc.simulator import run_module

GPU = "fuse{arch=h200},tile{arch=h200},lower-to-loop,lower-to-gpu{arch=h200}"
EITHER_ZERO = (elementwise.MaxOp, elementwise.MinOp, ReluOp, ScatterNdOp)
"""Where -0.0 meets 0.0, as equals: either is the larger one."""


def expected(this: Sample) -> Iterator[Array]:
    for array, result in zip(evaluate(this.op, this.operands), this.op.results, strict=True):
        yield round_to(array, result.type)


def check(this: Sample, found: list[Array]) -> None:
    for array, right in zip(found, expected(this), strict=True):
        check_close(array, right, this.op, str(this))
        if array.dtype.kind not in "iub" and not isinstance(this.op, EITHER_ZERO):
            zero = (array == 0) & (right == 0)
            signs, wanted = np.signbit(array[zero]), np.signbit(right[zero])
            np.testing.assert_array_equal(signs, wanted, f"{this}: the sign of a zero")


@pytest.fixture(scope="module")
def compiled() -> tuple[CompiledKernels, list[str]]:
    ops = {f"g{n}": this.op for n, this in enumerate(SAMPLES)}
    module = module_of(ops)
    kernels = CompiledKernels(lower(module), "-O1")
    return kernels, [launched_by(module, name) for name in ops]


@pytest.mark.parametrize("this", SAMPLES, ids=str)
def test_element_computes_the_reference(this: Sample) -> None:
    check_code(this)


@pytest.mark.parametrize("number", range(len(SAMPLES)), ids=lambda n: str(SAMPLES[n]))
def test_c_computes_the_reference(number: int, compiled: tuple[CompiledKernels, list[str]]) -> None:
    kernels, names = compiled
    this = SAMPLES[number]
    check(this, kernels.run(names[number], this.operands))


@pytest.mark.parametrize("this", SAMPLES, ids=str)
def test_simulated_gpu_computes_the_reference(this: Sample) -> None:
    module = main_of(this)
    for step in registry.build_passes(GPU):
        step.apply(registry.new_context(), module)
    check(this, list(run_module(module, this.operands, block_order=1)))
