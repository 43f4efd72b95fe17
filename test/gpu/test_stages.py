"""Kernels whose threads wait for each other between stages, in the simulator and on the GPU."""

import numpy as np
import pytest
import stages
from cluster_cases import Case
from launch import Gpu
from lowered import lowered

from dlc import arch
from dlc.backends.cuda.cubins import compile_kernels
from dlc.simulator.launch import Order

LAUNCHES = 200
TARGETS = ["sm_80", "sm_86", "sm_89", "sm_90a"]


def staged(size: int, blocks: int, threads: int = stages.THREADS) -> Case:
    """Return the case of three stages."""
    text = stages.three_stages(size, blocks, threads)
    return Case(text, lambda: stages.numbers(size), stages.staged)


CASES = {
    "rounds": staged(1000, 6),
    "an odd size": staged(997, 7),
    "more blocks than chunks": staged(130, 9),
    "one block": staged(333, 1),
    "clusters": Case(stages.in_clusters(), stages.pairs, stages.from_the_other),
    "clusters without rounds": Case(
        stages.in_clusters(blocks=stages.ROWS), stages.pairs, stages.from_the_other
    ),
    "blocks": Case(stages.in_blocks(), stages.pairs, stages.turned),
    "sums": Case(stages.with_sums(), stages.pairs, stages.less_other_sums),
    "stored over": Case(stages.stored_over(), stages.pairs, stages.over_the_last),
}
ORDERS: list[Order | None] = [None, "forward", "backward", 1]
OF_CLUSTERS = [name for name in CASES if name.startswith("clusters")]
"""Those for ``sm_90a``: no other of our targets has clusters."""
OF_ANY = [name for name in CASES if name not in OF_CLUSTERS]
KERNELS = [*((n, t) for n in OF_ANY for t in TARGETS), *((n, "sm_90a") for n in OF_CLUSTERS)]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", CASES)
def test_results(name: str, order: Order | None) -> None:
    y = CASES[name].simulated(order, passes="lower-to-gpu{arch=sm_90a}")
    np.testing.assert_array_equal(y, CASES[name].result)


@pytest.mark.parametrize("order", ["backward", 3])
def test_blocks_in_any_order(order: Order) -> None:
    y = CASES["rounds"].simulated(passes="lower-to-gpu", block_order=order)
    np.testing.assert_array_equal(y, CASES["rounds"].result)


@pytest.mark.parametrize(("name", "target"), KERNELS)
def test_kernel_compiles(name: str, target: str) -> None:
    module = lowered(CASES[name].text, f"lower-to-gpu{{arch={target}}}")
    (kernel,) = compile_kernels(module, target)
    assert kernel.resources.spill_bytes == 0


@pytest.mark.gpu
@pytest.mark.parametrize("name", OF_ANY)
def test_kernel_on_the_gpu(gpu: Gpu, name: str) -> None:
    run_on(gpu, CASES[name])


@pytest.mark.gpu
@pytest.mark.parametrize("name", OF_CLUSTERS)
def test_kernel_on_a_gpu_with_clusters(gpu: Gpu, name: str) -> None:
    if gpu.target != "sm_90a":
        pytest.skip("this GPU has no clusters")
    run_on(gpu, CASES[name])


def run_on(gpu: Gpu, case: Case) -> None:
    (y,) = gpu.run(lowered(case.text, f"lower-to-gpu{{arch={gpu.target}}}"), case.input())
    np.testing.assert_array_equal(y, case.result)


@pytest.mark.gpu
@pytest.mark.parametrize("threads", [64, 256, 1024])
def test_all_multiprocessors_many_times(gpu: Gpu, threads: int) -> None:
    """Each launch has as many blocks as run at a time, or nearly: two of them on an SM."""
    chip = arch.gpu_by_name(gpu.target)
    blocks = chip.sm_count * (2 if threads < 1024 else 1)
    case = staged(3 * blocks * threads - 77, blocks, threads)
    module = lowered(case.text, f"lower-to-gpu{{arch={gpu.target}}}")
    found = gpu.run_often(module, case.input(), launches=LAUNCHES)
    for (y,) in found:
        np.testing.assert_array_equal(y, case.result)
