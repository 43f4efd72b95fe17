"""How exactly a product is computed."""

from enum import auto
from typing import Literal

from xdsl.dialects.builtin import AnyFloat, bf16, f16, f32
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.str_enum import StrEnum

ModelPrecision = Literal["fp32", "tf32", "fp16", "bf16"]
"""What a user may ask for, of a model's ``f32`` tensors and products."""

STORED: dict[str, AnyFloat] = {"fp16": f16, "bf16": bf16}
"""The types that ``f32`` elements get in the precisions that narrow them."""


def stored(element: Attribute, precision: ModelPrecision) -> Attribute:
    """Return the type that elements have in a model of this precision."""
    return STORED.get(precision, f32) if element == f32 else element


class Precision(StrEnum):
    """A precision below that of the factors' element type, which the user asked for."""

    tf32 = auto()
    """Factors are rounded to 10 bits of mantissa, products are summed in ``f32``."""


@irdl_attr_definition
class PrecisionAttr(EnumAttribute[Precision], SpacedOpaqueSyntaxAttribute):
    """The precision of a contraction; absent means that of the element types."""

    name = "graph.precision"


ATTRIBUTES = [PrecisionAttr]
