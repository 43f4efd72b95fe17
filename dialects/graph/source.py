"""Where tensors come from: weights, small constants and splats."""

from typing import ClassVar, cast

import numpy as np
from xdsl.dialects.builtin import (
    AnyDenseElement,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FlatSymbolRefAttrConstr,
    FloatAttr,
    IntegerAttr,
    SymbolRefAttr,
    TensorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    AnyAttr,
    ParamAttrConstraint,
    VarConstraint,
    base,
    irdl_op_definition,
    prop_def,
    result_def,
)

from dlc.dialects.graph.computed import ComputedOp, Index, Scope
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import compute_type, element_type, element_type_of, numpy_dtype, shape

SMALL_CONSTANT = 4
"""Constants of at most this many elements stand in the IR text; larger ones are weights. Code that
reads a constant chooses among its elements, one comparison for each, at every use."""


@irdl_op_definition
class WeightOp(GraphOp):
    """A tensor of the weight store, named by a symbol; its bytes never enter the IR.

    ``%w = graph.weight @w : tensor<64x3x7x7xf32>``
    """

    name = "graph.weight"
    symbol = prop_def(FlatSymbolRefAttrConstr)
    output = result_def(TensorType)
    assembly_format = "$symbol attr-dict `:` type($output)"

    def __init__(self, symbol: str, type: TensorType[Attribute]):
        super().__init__(properties={"symbol": SymbolRefAttr(symbol)}, result_types=[type])

    @property
    def is_constant(self) -> bool:
        return True

    def infer(self) -> list[Attribute]:
        return [self.output.type]

    def reference(self, *operands: Array) -> Array:
        raise AssertionError("the interpreter reads weights from the store")


@irdl_op_definition
class ConstantOp(ComputedOp):
    """A small constant, written in the IR; inside a kernel a choice among its values by index.

    ``%c = graph.constant dense<[1, 2]> : tensor<2xi64>``
    """

    name = "graph.constant"
    T: ClassVar = VarConstraint("T", base(TensorType))
    value = prop_def(ParamAttrConstraint(DenseIntOrFPElementsAttr, (T, AnyAttr())))
    output = result_def(T)
    assembly_format = "$value attr-dict"

    def __init__(self, value: DenseIntOrFPElementsAttr):
        super().__init__(properties={"value": value}, result_types=[value.type])

    @property
    def is_constant(self) -> bool:
        return True

    def infer(self) -> list[Attribute]:
        return [self.value.type]

    def reference(self, *operands: Array) -> Array:
        return constant_array(self.value)

    @property
    def moves_data(self) -> bool:
        return True

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        values = constant_array(self.value).reshape(-1).tolist()
        type = compute_type(element_type(self.output))
        chosen = scope.b.constant(values[0], type)
        if all(value == values[0] for value in values):
            return chosen
        position = AffineExpr.constant(0)
        for size, i in zip(shape(self.output), index, strict=True):
            position = position * size + i
        at = scope.integer(position, i32)
        for number, value in enumerate(values[1:], 1):
            here = scope.b.compare("eq", at, scope.b.constant(number, i32))
            chosen = scope.b.select(here, scope.b.constant(value, type), chosen)
        return chosen


def constant_array(value: DenseIntOrFPElementsAttr) -> Array:
    """Return the elements of a dense attribute as an array of its shape and stored dtype."""
    element = element_type(value.type)
    raw = value.data.data
    array = np.frombuffer(raw, np.int8 if element == i1 else numpy_dtype(element))
    if element == i1:
        array = array != 0
    sizes = shape(value.type)
    count = int(np.prod(sizes))
    return np.broadcast_to(array, sizes) if array.size != count else array.reshape(sizes)


def dense_attribute(array: Array) -> DenseIntOrFPElementsAttr:
    """Return the elements of an array as an attribute."""
    element = element_type_of(array.dtype)
    stored = -array.astype(np.int8) if element == i1 else array  # xDSL stores a true i1 as -1
    type = TensorType(cast(AnyDenseElement, element), array.shape)
    return DenseIntOrFPElementsAttr(type, BytesAttr(np.ascontiguousarray(stored).tobytes()))


@irdl_op_definition
class SplatOp(ComputedOp):
    """A tensor all of whose elements are one value; it takes no memory until it is read.

    ``%s = graph.splat 0.000000e+00 : f32 -> tensor<4096x4096xf32>``
    """

    name = "graph.splat"
    value = prop_def(FloatAttr | IntegerAttr)
    output = result_def(TensorType)
    assembly_format = "$value attr-dict `->` type($output)"

    def __init__(self, value: FloatAttr | IntegerAttr, type: TensorType[Attribute]):
        super().__init__(properties={"value": value}, result_types=[type])

    @property
    def moves_data(self) -> bool:
        return True

    @property
    def is_constant(self) -> bool:
        return True

    def infer(self) -> list[Attribute]:
        return [self.output.type]

    def reference(self, *operands: Array) -> Array:
        dtype = numpy_dtype(element_type(self.output))
        return np.broadcast_to(np.array(self.value.value.data, dtype), shape(self.output))

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        return scope.b.constant(self.value.value.data, compute_type(element_type(self.output)))


OPERATIONS = [WeightOp, ConstantOp, SplatOp]
