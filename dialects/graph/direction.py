"""The order in which a recurrent layer sees its steps."""

from enum import auto

from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.str_enum import StrEnum


class Direction(StrEnum):
    """The order in which a layer sees the steps of a sequence."""

    forward = auto()
    reverse = auto()
    bidirectional = auto()


@irdl_attr_definition
class DirectionAttr(EnumAttribute[Direction], SpacedOpaqueSyntaxAttribute):
    """The direction of a recurrent layer; a bidirectional one is two layers side by side."""

    name = "graph.direction"


ATTRIBUTES = [DirectionAttr]
