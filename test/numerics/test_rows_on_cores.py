"""Contractions whose rows stay in a core's cache while columns pass, printed as C."""

import numpy as np
import pytest
from compiled_c import CompiledKernels, launched_by, lower, module_of
from samples import sample
from xdsl.dialects.builtin import UnitAttr

from dlc.dialects.graph.contraction import MatmulOp
from dlc.dialects.loop import ForOp, KernelOp
from dlc.dialects.loop.attributes import LoopMap, ScheduleAttr

SIZES = [(1, 1, 1), (7, 3, 600), (37, 11, 149), (64, 5, 577), (29, 1, 8)]
"""Of the lhs, the reduction, and the rhs: one, primes, what divides and what not."""


def _turned(kernel: KernelOp) -> KernelOp:
    """Return the kernel with cores that go backward, as ``loop-alternate-sweeps`` has them."""
    for op in kernel.walk():
        if isinstance(op, ForOp) and op.map.data is LoopMap.CORES:
            op.backward = UnitAttr()
    return kernel


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("tile", [(3, 16), (8, 8), (1, 24)])
@pytest.mark.parametrize("rows", [0, 2, 9, 1000])
def test_c_computes_the_reference(rows: int, tile: tuple[int, int], backward: bool) -> None:
    """Factors are small integers, whose sums are exact."""
    keys = {"strategy": "contract", "target": "cpu", "tile": tile, "lanes": 8}
    keys |= {"cores": True, "rows": rows, "ahead": True}
    generator = np.random.default_rng(rows)

    def small(*sizes: int) -> np.ndarray:
        return generator.integers(-9, 10, sizes).astype(np.float32)

    found = [sample(MatmulOp, "", small(m, k), small(k, n)) for m, k, n in SIZES]
    named = {f"g{number}": this for number, this in enumerate(found)}
    ops = {name: this.op for name, this in named.items()}
    module = module_of(ops, schedule=ScheduleAttr(tuple(keys.items())))
    kernels = lower(module)
    compiled = CompiledKernels([_turned(k) for k in kernels] if backward else kernels)
    for name, this in named.items():
        (y,) = compiled.run(launched_by(module, name), this.operands)
        np.testing.assert_array_equal(y, this.op.reference(*this.operands), err_msg=name)
