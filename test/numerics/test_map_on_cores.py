"""Every graph op, lowered by strategy ``map`` and printed as C, computes what it means."""

import numpy as np
import pytest
import test_graph_ops_composite
import test_graph_ops_contraction
import test_graph_ops_elementwise
import test_graph_ops_layout
import test_graph_ops_reduction
from compiled_c import CompiledKernels, launched_by, lower, module_of
from samples import Sample, check_close

from dlc.analysis.evaluation import evaluate, round_to
from dlc.dialects.graph.recurrent import RecurrentOp
from dlc.dialects.graph.structure import Array, CompositeOp

SAMPLES = [
    this
    for family in (
        test_graph_ops_composite,
        test_graph_ops_contraction,
        test_graph_ops_elementwise,
        test_graph_ops_layout,
        test_graph_ops_reduction,
    )
    for this in family.SAMPLES
    # a recurrence is one group per step: in one group, each step would compute all earlier ones
    if not isinstance(this.op, RecurrentOp)
]


@pytest.fixture(scope="module")
def compiled():
    """Compile all samples at once: (kernels, name of the kernel of each sample)."""
    ops = {f"g{n}": this.op for n, this in enumerate(SAMPLES)}
    module = module_of(ops)
    kernels = CompiledKernels(lower(module), "-O1")
    return kernels, [launched_by(module, name) for name in ops]


@pytest.mark.parametrize("number", range(len(SAMPLES)), ids=lambda n: str(SAMPLES[n]))
def test_c_computes_the_reference(number: int, compiled: tuple[CompiledKernels, list[str]]) -> None:
    this: Sample = SAMPLES[number]
    kernels, names = compiled
    found = kernels.run(names[number], this.operands)
    expected = evaluate(this.op, this.operands)
    magnitude = max(1.0, *map(_largest, this.operands)) if _is_composite(this) else 1.0
    for result, array, right in zip(this.op.results, found, expected, strict=True):
        check_close(array, round_to(right, result.type), this.op, str(this), magnitude)


def _is_composite(this: Sample) -> bool:
    return isinstance(this.op, CompositeOp)


def _largest(array: Array) -> float:
    numbers = array.astype(np.float64)
    return float(np.abs(numbers, where=np.isfinite(numbers), out=np.zeros(array.shape)).max())
