"""The names of sizes that are not fixed."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntAttr, NoneAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from dlc.ir.tensor import DYNAMIC


@irdl_attr_definition
class SizesAttr(ParametrizedAttribute):
    """The encoding of a tensor type that names its sizes: equal names are equal sizes.

    One entry per axis: a name, a number, or ``?`` for a size that has neither.

    ``tensor<?x128xf32, #graph.sizes<"batch", 128>>``
    """

    name = "graph.sizes"
    sizes: ArrayAttr[Attribute] = param_def()

    @staticmethod
    def of(sizes: Sequence[str | int]) -> "SizesAttr":
        """Make the attribute from names and numbers; ``DYNAMIC`` is a size that has no name."""
        return SizesAttr(ArrayAttr([_size_attribute(size) for size in sizes]))

    @property
    def names(self) -> tuple[str | None, ...]:
        """The name of each axis' size, ``None`` where it has no name."""
        return tuple(s.data if isinstance(s, StringAttr) else None for s in self.sizes)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        sizes = parser.parse_comma_separated_list(
            parser.Delimiter.ANGLE, lambda: _parse_size(parser)
        )
        return [ArrayAttr(sizes)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(self.sizes, lambda size: _print_size(size, printer))


def _size_attribute(size: str | int) -> Attribute:
    if size == DYNAMIC:
        return NoneAttr()
    return StringAttr(size) if isinstance(size, str) else IntAttr(size)


def _parse_size(parser: AttrParser) -> Attribute:
    if parser.parse_optional_punctuation("?") is not None:
        return NoneAttr()
    name = parser.parse_optional_str_literal()
    if name is not None:
        return StringAttr(name)
    return IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))


def _print_size(size: Attribute, printer: Printer) -> None:
    if isinstance(size, StringAttr):
        printer.print_string_literal(size.data)
    else:
        printer.print_string(str(size.data) if isinstance(size, IntAttr) else "?")


ATTRIBUTES = [SizesAttr]
