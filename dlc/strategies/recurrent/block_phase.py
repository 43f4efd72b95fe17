"""What a block has for a phase of a step: its product, and the exchange before it."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects import gpu
from dlc.strategies.recurrent.cell import Phase
from dlc.strategies.recurrent.cell_places import CellPlaces
from dlc.strategies.recurrent.exchange import Exchange
from dlc.strategies.recurrent.product import BlockProduct


@dataclass
class BlockPhase:
    """A phase of a step in a block. exchange: of its factors. product: of these."""

    phase: Phase
    exchange: Exchange
    product: BlockProduct

    def publish(
        self,
        places: CellPlaces,
        step: AffineExpr,
        number: AffineExpr,
        factors: Sequence[SSAValue],
        own: SSAValue,
    ) -> None:
        """Write that others may see factors of a cell. All lanes of a warp come here, and those
        with ``own`` have a cell. Neighbours have neighbouring units: one publishes for all that
        share a word. Units behind the last one are zeros, which nothing is multiplied by.
        """
        scope, words = places.scope, self.exchange.words
        b = scope.b
        found = [[_padded(places, self.product.rounded(value), number)] for value in factors]
        if words > 1:
            for each in found:
                each.append(b.insert(gpu.ShuffleOp(gpu.ShuffleMode.XOR, each[0], 1)))
            first = b.compare("eq", scope.index_value(number % words), b.constant(0, IndexType()))
            own = b.logical("and", own, first)

        def write() -> None:
            for factor, each in enumerate(found):
                self.exchange.publish(factor, step, number, each)

        scope.where(own, write)


def _padded(places: CellPlaces, value: SSAValue, number: AffineExpr) -> SSAValue:
    """Return the value of a cell, zero behind the last unit."""
    scope, unit, units = places.scope, places.unit(number), places.thread.cell.units
    b, high = scope.b, scope.interval(unit).high
    if high is not None and high < units:
        return value
    last = b.constant(units, IndexType())
    inside = b.compare("lt", scope.index_value(unit), last)
    return b.select(inside, value, b.constant(0.0, value.type))
