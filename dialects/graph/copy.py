"""A tensor in memory of its own."""

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition

from dlc.dialects.graph.elementwise import UnaryOp
from dlc.dialects.graph.structure import Array
from dlc.dialects.loop.scalar import ScalarBuilder


@irdl_op_definition
class CopyOp(UnaryOp):
    """``y = x``, where ``x`` must stand in two places.

    ``%y = graph.copy %x : tensor<4xf32> -> tensor<4xf32>``
    """

    name = "graph.copy"

    @property
    def moves_data(self) -> bool:
        return True

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return values[0]

    def reference(self, *operands: Array) -> Array:
        return operands[0]


OPERATIONS = [CopyOp]
