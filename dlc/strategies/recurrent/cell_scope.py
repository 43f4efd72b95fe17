"""Where the code of a cell is written."""

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from dlc.core.affine import simplify
from dlc.dialects.graph.computed import Index
from dlc.lowering.scope import LoopScope

Elements = Callable[[SSAValue, Index], SSAValue | None]
"""Writes the element of a value at an index, or gives ``None`` to have it computed."""


class CellScope(LoopScope):
    """A scope that asks ``elements`` first."""

    elements: Elements | None = None

    def read(
        self, operand: SSAValue, index: Index, guard: Sequence[int] = (), fill: float = 0.0
    ) -> SSAValue:
        at = [simplify(expr, self.ranges) for expr in index]
        found = self.elements(operand, at) if self.elements and not guard else None
        return super().read(operand, index, guard, fill) if found is None else found
