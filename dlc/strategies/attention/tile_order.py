"""Which tile of rows of which product is number ``n``: the order in which blocks take tiles.

All tiles have the same work where each row sees all keys; then those of one product follow each
other, so that blocks which run at the same time read the same keys and values. Where rows see what
was before, the last tiles have the most work. They come first, so that none begins when all others
are done, and those of some products take turns.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

PRODUCTS = "products"
_LAST = re.compile(r"last<([1-9][0-9]*)>")

Place = tuple[AffineExpr, AffineExpr]


def order_of(together: int) -> str:
    """Return the text of an order in which the last tiles of so many products come first; 0: one
    product after the other.
    """
    return f"last<{together}>" if together else PRODUCTS


def together_in(order: str) -> int | None:
    """Return the products whose last tiles come first, 0 for one after the other, ``None`` for a
    text that is no order.
    """
    if order == PRODUCTS:
        return 0
    found = _LAST.fullmatch(order)
    return int(found[1]) if found else None


@dataclass(frozen=True)
class TileOrder:
    """tiles: of rows of one product. together: products that take turns, which divide their number;
    0: one after the other.
    """

    tiles: int
    together: int

    def place(self, number: AffineExpr, named: Callable[[str, AffineExpr], AffineExpr]) -> Place:
        """Return product and tile of a number. named: makes a value of an index."""
        if not self.together:
            return number // self.tiles, number % self.tiles
        of_group = self.tiles * self.together
        place = named("of_group", number % of_group)
        product = number // of_group * self.together + place % self.together
        return product, place // self.together * -1 + (self.tiles - 1)
