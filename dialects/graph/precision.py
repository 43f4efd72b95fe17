"""How exactly a product is computed."""

from enum import auto

from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.str_enum import StrEnum


class Precision(StrEnum):
    """A precision below that of the factors' element type, which the user asked for."""

    tf32 = auto()
    """Factors are rounded to 10 bits of mantissa, products are summed in ``f32``."""


@irdl_attr_definition
class PrecisionAttr(EnumAttribute[Precision], SpacedOpaqueSyntaxAttribute):
    """The precision of a contraction; absent means that of the element types."""

    name = "graph.precision"


ATTRIBUTES = [PrecisionAttr]
