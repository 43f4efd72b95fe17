"""Groups around row reductions, lowered by strategy ``row`` and printed as C."""

import numpy as np
import pytest
from compiled_c import CompiledKernels, launched_by, lower, module_of
from samples import sample, values
from xdsl.dialects.builtin import DenseArrayBase, UnitAttr, i64

from dlc.analysis.evaluation import evaluate
from dlc.dialects.graph.normalization import LayerNormOp
from dlc.dialects.graph.properties import integer, number
from dlc.dialects.graph.reduction import ReduceMaxOp, ReduceSumOp
from dlc.dialects.graph.softmax import LogSoftmaxOp, SoftmaxOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.dialects.loop.attributes import ScheduleAttr

Compiled = tuple[CompiledKernels, dict[str, str]]
"""The kernels of all cases, and the kernel of each by the case's name."""

LENGTHS = (2, 7, 16, 31, 32, 33, 127, 128, 129, 1000)
"""On both sides of the lengths at which a row takes more lanes, with and without a rest."""


def last_axis() -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, [1])


def cases(length: int) -> dict[str, tuple[GraphOp, tuple[Array, ...]]]:
    x = values(3, length, seed=length)
    scale = values(length, seed=1)
    made = {
        "softmax": sample(SoftmaxOp, "", x, axis=integer(1)),
        "log_softmax": sample(LogSoftmaxOp, "", x, axis=integer(1)),
        "layer_norm": sample(
            LayerNormOp, "", x, scale, scale, axis=integer(1), epsilon=number(1e-5)
        ),
        "sum": sample(ReduceSumOp, "", x, axes=last_axis()),
        "max": sample(ReduceMaxOp, "", x, axes=last_axis(), keep_dims=UnitAttr()),
    }
    return {f"{name}_{length}": (this.op, this.operands) for name, this in made.items()}


CASES = {name: case for length in LENGTHS for name, case in cases(length).items()}


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    schedule = ScheduleAttr((("strategy", "row"), ("target", "cpu"), ("cores", True)))
    module = module_of({name: op for name, (op, _) in CASES.items()}, schedule=schedule)
    kernels = CompiledKernels(lower(module))
    return kernels, {name: launched_by(module, name) for name in CASES}


@pytest.mark.parametrize("name", CASES)
def test_c_computes_the_reference(name: str, compiled: Compiled) -> None:
    """The error is below that of a sum of K terms in any order: K * eps * sum of magnitudes, and a
    few roundings before and after.
    """
    kernels, names = compiled
    op, operands = CASES[name]
    (found,) = kernels.run(names[name], operands)
    (right,) = evaluate(op, operands)
    length = operands[0].shape[1]
    magnitude = max(1.0, float(np.abs(operands[0]).sum(axis=1).max()) if "sum" in name else 1.0)
    bound = (16 + length) * np.finfo(np.float32).eps * np.maximum(magnitude, np.abs(right))
    assert (np.abs(found - right) <= bound).all()
