"""Matrix products as the strategy of contractions sees them, for any test."""

import numpy as np

from dlc.arch.nvidia import H200
from dlc.model.contraction import Contraction
from dlc.strategies.contract import gpu as contract_gpu
from dlc.strategies.contract.schedule import ContractOnGpu


def product(m: int, n: int, k: int, element: str = "f16", batch: int = 1) -> Contraction:
    """Return a batch of products, m x n of k terms, whose result has the size of the factors."""
    size = 2 if element == "f16" else 4
    return Contraction(
        batch,
        m,
        n,
        k,
        m,
        element,
        size,
        4,
        batch * m * k * size,
        batch * n * k * size,
        0,
        batch * m * n * size,
    )


def estimates(work: Contraction, *schedules: ContractOnGpu) -> list[float]:
    """Return the estimate of each schedule on an H200, in seconds."""
    return [float(x) for x in contract_gpu.estimate(work, schedules, H200)]


def fastest(work: Contraction) -> ContractOnGpu:
    """Return the schedule of the least estimate on an H200."""
    space = contract_gpu.candidates(work, H200)
    return space[int(np.argmin(contract_gpu.estimate(work, space, H200)))]
