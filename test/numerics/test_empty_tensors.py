"""Tensors without elements: an op refuses them in one line, or computes what it means on each
target.
"""

from collections.abc import Sequence

import numpy as np
import pytest
import test_graph_ops_composite
import test_graph_ops_contraction
import test_graph_ops_elementwise
import test_graph_ops_grid_sample
import test_graph_ops_layout
import test_graph_ops_reduction
from compiled_c import CompiledKernels
from samples import Sample, check_close, sample
from test_group_of_one import module_of
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.analysis.evaluation import evaluate, round_to
from dlc.dialects.graph.arg_reduction import ArgMaxOp
from dlc.dialects.graph.gather import GatherOp
from dlc.dialects.graph.properties import integer, integers
from dlc.dialects.loop import KernelOp
from dlc.errors import CompileError
from dlc.ir.tensor import shape
from dlc.simulator import run_module

FAMILIES = (
    test_graph_ops_composite,
    test_graph_ops_contraction,
    test_graph_ops_elementwise,
    test_graph_ops_grid_sample,
    test_graph_ops_layout,
    test_graph_ops_reduction,
)
GPU = "graph-canonicalize,fuse{arch=h200},tile{arch=h200},lower-to-loop,lower-to-gpu{arch=h200}"
CPU = "graph-canonicalize,fuse{arch=cpu-avx2},tile{arch=cpu-avx2},lower-to-loop"


def emptied(this: Sample, size: int) -> Sample | None:
    """Return a sample with every axis of ``size`` made empty, unless the op refuses that."""
    operands = [np.zeros([0 if n == size else n for n in x.shape], x.dtype) for x in this.operands]
    sizes = "_".join("x".join(map(str, x.shape)) for x in operands)
    results = len(this.op.results)
    try:
        label = f"{this.label}-{sizes}"
        return sample(type(this.op), label, *operands, results=results, **this.op.properties)
    except CompileError:
        return None


def cases() -> Sequence[Sample]:
    """Return one case per op and choice of empty axes."""
    found: dict[object, Sample] = {}
    for family in FAMILIES:
        for this in family.SAMPLES:
            for size in sorted({n for x in this.operands for n in x.shape}):
                case = emptied(this, size)
                if case is not None:
                    empty = (tuple(n == 0 for n in x.shape) for x in case.operands)
                    key = (type(case.op), *empty)
                    found.setdefault(key, case)
    return list(found.values())


CASES = cases()


def lowered(this: Sample, passes: str) -> ModuleOp:
    module, context = module_of(this), registry.new_context()
    for step in registry.build_passes(passes):
        step.apply(context, module)
    module.verify()
    return module


@pytest.mark.parametrize("this", CASES, ids=str)
def test_op_has_a_meaning_and_runs_on_a_simulated_gpu(this: Sample) -> None:
    found = run_module(lowered(this, GPU), this.operands, block_order=1)
    expected = evaluate(this.op, this.operands)
    for array, right, result in zip(found, expected, this.op.results, strict=True):
        assert right.shape == shape(result)
        check_close(array, round_to(right, result.type), this.op, str(this))


def test_what_is_left_compiles_as_c() -> None:
    kernels = [op for this in CASES for op in lowered(this, CPU).ops if isinstance(op, KernelOp)]
    assert kernels
    for number, kernel in enumerate(kernels):
        kernel.sym_name = type(kernel.sym_name)(f"k{number}")
    assert CompiledKernels(kernels, "-O1").kernels.keys() == {f"k{n}" for n in range(len(kernels))}


def test_nothing_is_chosen_from_nothing() -> None:
    nothing, places = np.zeros((3, 0), np.float32), np.zeros(2, np.int64)
    with pytest.raises(CompileError, match="operand 0 has no elements to choose from"):
        sample(ArgMaxOp, "", nothing, axes=integers([1]))
    with pytest.raises(CompileError, match="operand 0 has no elements to choose from"):
        sample(GatherOp, "", nothing, places, axis=integer(1))
    chosen = sample(ArgMaxOp, "", nothing, axes=integers([0])).op
    assert shape(chosen.results[0]) == (0,)
