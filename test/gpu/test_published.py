"""Blocks that wait for values of each other, in the simulator and on the GPU.

On an H200 memcheck, racecheck and synccheck find nothing in them.
"""

import numpy as np
import published
import pytest
from cluster_cases import Case
from launch import Gpu
from lowered import lowered

from dlc.backends.cuda.cubins import compile_kernels
from dlc.simulator.launch import Order

CASES = {name: Case(*case) for name, case in published.KERNELS.items()}
ORDERS: list[Order | None] = [None, "forward", "backward", 1, 2]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", CASES)
def test_results(name: str, order: Order | None) -> None:
    y = CASES[name].simulated(order, passes="gpu-check-limits")
    wanted = CASES[name].result
    np.testing.assert_array_equal(y.view(np.uint8), wanted.view(np.uint8))


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a"])
@pytest.mark.parametrize("name", CASES)
def test_kernel_compiles(name: str, target: str) -> None:
    (kernel,) = compile_kernels(lowered(CASES[name].text, ""), target)
    assert kernel.resources.spill_bytes == 0


@pytest.mark.gpu
@pytest.mark.parametrize("name", CASES)
def test_kernel_on_the_gpu(gpu: Gpu, name: str) -> None:
    case = CASES[name]
    (y,) = gpu.run(lowered(case.text, ""), case.input())
    np.testing.assert_array_equal(y.view(np.uint8), case.result.view(np.uint8))
