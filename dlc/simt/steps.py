"""A product of two staged tiles step by step of the reduction: loads, then multiply-adds.

What a step multiplies is loaded under the products of the step before, so there are two sets of
registers, which take turns.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

from xdsl.rewriter import InsertPoint

from dlc.dialects.loop import ForOp
from dlc.lowering.scope import LoopScope


class Steps(ABC):
    """The steps of one product. Making it makes the registers."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many there are."""

    @property
    def sets(self) -> int:
        """The sets of registers."""
        return min(2, self.count)

    @abstractmethod
    def load(self, step: int) -> None:
        """Write the loads of a step into the registers of set ``step mod sets``."""

    @abstractmethod
    def multiply(self, step: int) -> None:
        """Write the addition of the products of a step."""

    @abstractmethod
    def clear(self) -> None:
        """Write zeros into the registers of the last step."""


def write_steps(scope: LoopScope, make: Callable[[], Steps], loop: ForOp | None) -> None:
    """Write a product.

    loop: whose iterations each add one. There the products of the last step are left to the next
    iteration, which starts its first loads before them; after the loop, those of the last iteration
    are done. In the first iteration they are products of zeros.
    """
    if loop is None:
        _write_in_turn(make())
        return
    builder = scope.b.builder
    here, builder.insertion_point = builder.insertion_point, InsertPoint.before(loop)
    steps = make()
    if steps.count % 2:  # the first and the last step have the same registers
        builder.insertion_point = here
        _write_in_turn(steps)
        return
    steps.clear()
    builder.insertion_point = here
    steps.load(0)
    steps.multiply(steps.count - 1)
    _write_rest(steps, steps.count - 1)
    builder.insertion_point = InsertPoint.after(loop)
    steps.multiply(steps.count - 1)


def _write_in_turn(steps: Steps) -> None:
    steps.load(0)
    _write_rest(steps, steps.count)


def _write_rest(steps: Steps, end: int) -> None:
    """Write the products before step ``end``, each behind the loads of the step after it."""
    for step in range(end):
        if step + 1 < steps.count:
            steps.load(step + 1)
        steps.multiply(step)
