"""How much of a model is verified: what is always done, and what the work of the compile pays for.

Nothing here looks at a clock: the same compile checks the same on any machine, however busy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from xdsl.ir import Operation

from dlc.dialects.graph.structure import Array, GraphOp

REFERENCE_FLOPS_PER_S = 1e10
"""What numpy does in float64 on a core with AVX2, about; with AVX-512, measured on ResNet-50 and
BERT, 20 to 40 GFLOP/s.
"""

SECONDS_PER_OP = 1e-4
"""What an op of the reference takes beside its arithmetic."""

SECONDS_PER_KERNEL = 0.1
"""What the compiler of a machine takes for a kernel, about."""

Feeds = dict[str, Array]


def reference_seconds(root: Operation) -> float:
    """Return about how long the reference of ``root`` (a module, a group) takes."""
    ops = [op for op in root.walk() if isinstance(op, GraphOp)]
    return sum(op.flops() for op in ops) / REFERENCE_FLOPS_PER_S + SECONDS_PER_OP * len(ops)


@dataclass(frozen=True)
class Plan:
    """How much is verified: each kernel once and the whole model on one input, whatever that takes;
    then more, as long as its estimated time is within the budget.

    factor: of the ordinary budget. 0 is the minimum alone, infinity leaves nothing out.
    inputs: of a user, by the name of the case; they are always checked, before any others.
    """

    factor: float = 1.0
    inputs: Sequence[tuple[str, Feeds]] = ()

    def budget_seconds(self, kernels: int) -> float:
        """Return what may be spent beyond the minimum for a model of so many different kernels:
        about what their compilers took, and a second.
        """
        return inf if self.factor == inf else self.factor * (1 + SECONDS_PER_KERNEL * kernels)
