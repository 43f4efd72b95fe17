"""The bounds of a computation that is exact to ``f32`` whatever precision its model is stored in.

A square of a 16-bit float may leave its range and ``1e-12`` is below it. So a composite op, whose
inner values its user never sees, computes them between these two ops; ``graph-set-precision``
leaves them ``f32``.
"""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition

from dlc.dialects.graph.elementwise import FloatUnaryOp
from dlc.dialects.graph.structure import Array
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.errors import CompileError
from dlc.ir.tensor import element_type


class BoundOp(FloatUnaryOp, ABC):
    """``y = x``, of ``f32``. OPENS: whether it is the first or the last op of the computation."""

    OPENS: ClassVar[bool]

    def infer(self) -> Sequence[Attribute]:
        if element_type(self.x) != f32:
            raise CompileError(f"has element type {element_type(self.x)}, needs f32")
        return super().infer()

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return values[0]

    def reference(self, *operands: Array) -> Array:
        return operands[0]


@irdl_op_definition
class WidenOp(BoundOp):
    """``y = x`` of ``f32``; what is computed of ``y``, up to a ``graph.narrow``, stays ``f32``.

    ``%y = graph.widen %x : tensor<4xf32> -> tensor<4xf32>``
    """

    name = "graph.widen"
    OPENS: ClassVar[bool] = True


@irdl_op_definition
class NarrowOp(BoundOp):
    """``y = x`` of ``f32``; ``y`` is stored in the precision of the model again.

    ``%y = graph.narrow %x : tensor<4xf32> -> tensor<4xf32>``
    """

    name = "graph.narrow"
    OPENS: ClassVar[bool] = False


OPERATIONS = [WidenOp, NarrowOp]
