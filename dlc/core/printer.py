"""The printer: what it prints is read back bit for bit."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import cast

from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

_DECIMALS = re.compile(r"dense<[\[\], ]*(?:-?\d+\.\d*(?:e[+-]\d+)?[\[\], ]*)*> : .*", re.DOTALL)
LISTED_ELEMENTS = 100
"""A dense attribute of more elements is printed as one string of hexadecimal digits, as xDSL does.
"""


@dataclass(eq=False, repr=False)
class DlcPrinter(Printer):
    """xDSL's printer, exact for dense floats (xDSL prints some as integers), and fast for large
    ones.

    elide_above: dense attributes of more elements print as ``dense_resource<__elided__>``, which
    makes the text readable but no longer parseable.
    """

    elide_above: int | None = None

    def print_attribute(self, attribute: Attribute) -> None:
        if not isinstance(attribute, DenseIntOrFPElementsAttr):
            super().print_attribute(attribute)
        elif self.elide_above is not None and len(attribute) > self.elide_above:
            self._print_dense("dense_resource<__elided__>", attribute)
        elif len(attribute) > LISTED_ELEMENTS or not _decimals_are_exact(attribute):
            self._print_dense(f'dense<"0x{_distinct_bytes(attribute).hex().upper()}">', attribute)
        else:
            super().print_attribute(attribute)

    def _print_dense(self, body: str, attribute: DenseIntOrFPElementsAttr) -> None:
        self.print_string(f"{body} : ")
        self.print_attribute(attribute.type)


def _distinct_bytes(attribute: DenseIntOrFPElementsAttr) -> bytes:
    """Return the bytes of the elements, those of one element when all are equal."""
    data = attribute.data.data
    first = data[: attribute.get_element_type().compile_time_size]
    return first if first and data == first * (len(data) // len(first)) else data


def _decimals_are_exact(attribute: DenseIntOrFPElementsAttr) -> bool:
    if not isinstance(attribute.get_element_type(), AnyFloat):
        return True
    values = cast(Sequence[float], attribute.get_values())
    if any(v == 0 and math.copysign(1, v) < 0 for v in values):
        return False
    text = StringIO()
    Printer(stream=text).print_attribute(attribute)
    return _DECIMALS.fullmatch(text.getvalue()) is not None


def operation_as_text(
    op: Operation,
    *,
    generic: bool = False,
    locations: bool = False,
    elide_above: int | None = None,
) -> str:
    """Return the text of an op, ending in a line break.

    generic: MLIR's generic form. locations: print ``loc(...)`` too. elide_above: see DlcPrinter.
    """
    text = StringIO()
    printer = DlcPrinter(
        text, print_generic_format=generic, print_debuginfo=locations, elide_above=elide_above
    )
    printer.print_op(op)
    text.write("\n")
    return text.getvalue()
