"""Running sums and products, lowered by strategy ``scan`` and printed as C."""

import numpy as np
import pytest
from compiled_c import CompiledKernels, launched_by, lower, module_of
from samples import sample
from xdsl.dialects.builtin import UnitAttr

from dlc.dialects.graph.properties import integer
from dlc.dialects.graph.scan import CumProdOp, CumSumOp, ScanOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.dialects.loop.attributes import ScheduleAttr

HOW = [(), ("exclusive",), ("reverse",), ("exclusive", "reverse")]
SHAPES = {1: [((5, 1), 1), ((3, 197), 1), ((2, 7, 3), 1), ((9, 1), 0)], 16: [((7, 48), 0)]}
"""By the columns that are added up together: sizes, and the axis of the sums."""

Case = tuple[GraphOp, tuple[Array, ...]]


def cases(vector: int) -> dict[str, Case]:
    """Return running sums and products of small integers, which are exact in every type."""
    made: dict[str, Case] = {}
    for (sizes, axis), how in ((each, how) for each in SHAPES[vector] for how in HOW):
        generator = np.random.default_rng(len(made))
        for kind, low, high in ((CumSumOp, -9, 10), (CumProdOp, 1, 3)):
            for dtype in (np.float32, np.int8):
                made |= _case(kind, generator.integers(low, high, sizes).astype(dtype), axis, how)
    return made


def _case(kind: type[ScanOp], x: Array, axis: int, how: tuple[str, ...]) -> dict[str, Case]:
    exclusive, reverse = (UnitAttr() if name in how else None for name in HOW[-1])
    this = sample(kind, "", x, axis=integer(axis), exclusive=exclusive, reverse=reverse)
    sizes = "x".join(map(str, x.shape))
    return {f"{kind.__name__}_{x.dtype}_{sizes}_{axis}{''.join(how)}": (this.op, this.operands)}


@pytest.mark.parametrize("cores", [False, True])
@pytest.mark.parametrize("vector", SHAPES)
def test_c_computes_the_reference(vector: int, cores: bool) -> None:
    """Products of 197 small numbers overflow to infinity, or wrap around, here as there."""
    keys = ("strategy", "scan"), ("target", "cpu"), ("cores", cores), ("vector", vector)
    found = cases(vector)
    module = module_of({name: op for name, (op, _) in found.items()}, schedule=ScheduleAttr(keys))
    kernels = CompiledKernels(lower(module))
    for name, (op, operands) in found.items():
        (y,) = kernels.run(launched_by(module, name), operands)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(y, op.reference(*operands), err_msg=name)
