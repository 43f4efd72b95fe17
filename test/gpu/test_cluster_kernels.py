"""Kernels of clusters that are written by hand, in the simulator and on the GPU.

On an H200 memcheck, racecheck and synccheck find nothing in them.
"""

import numpy as np
import pytest
from cluster_cases import CASES, LIMITS, ORDERS
from launch import Gpu
from lowered import lowered

from dlc.backends.cuda.cubins import compile_kernels
from dlc.simulator.launch import Order


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", CASES)
def test_results(name: str, order: Order | None) -> None:
    np.testing.assert_array_equal(CASES[name].simulated(order), CASES[name].result)


@pytest.mark.parametrize("name", CASES)
def test_kernel_compiles(name: str) -> None:
    assert compile_kernels(lowered(CASES[name].text, LIMITS), "sm_90a")[0].code


@pytest.mark.gpu
@pytest.mark.parametrize("name", CASES)
def test_kernel_on_the_gpu(gpu: Gpu, name: str) -> None:
    if gpu.target != "sm_90a":
        pytest.skip(f"{gpu.target} has no clusters")
    (y,) = gpu.run(lowered(CASES[name].text, LIMITS), CASES[name].input())
    np.testing.assert_array_equal(y, CASES[name].result)
