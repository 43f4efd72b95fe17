"""Kernels of clusters that are written by hand: what goes in, and what should come out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import clusters
import multicast
import numpy as np
from lowered import lowered

from dlc.dialects.graph.structure import Array
from dlc.simulator import simulate
from dlc.simulator.launch import Order

ORDERS: list[Order | None] = [None, "forward", "backward", 1]
LIMITS = "gpu-check-limits{arch=sm_90a}"


@dataclass(frozen=True)
class Case:
    """A kernel ``@k``, its input, and its result by numpy."""

    text: str
    input: Callable[[], Array]
    wanted: Callable[[Array], Array]

    @property
    def result(self) -> Array:
        """What the kernel should write."""
        return self.wanted(self.input())

    def simulated(
        self,
        order: Order | None = None,
        text: str | None = None,
        passes: str = LIMITS,
        **options: Any,
    ) -> Array:
        """Return what the kernel writes, or another text in its place."""
        y = np.zeros_like(self.result)
        module = lowered(self.text if text is None else text, passes)
        simulate(module, "k", [self.input(), y], warp_order=order, **options)
        return y


CASES = {
    **{n: Case(text, clusters.summands, clusters.wanted) for n, text in clusters.KERNELS.items()},
    **{n: Case(text, multicast.slices, multicast.wanted) for n, text in multicast.KERNELS.items()},
}
