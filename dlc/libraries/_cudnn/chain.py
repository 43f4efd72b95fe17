"""Functions of elements as operations of cuDNN: behind a convolution, or alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from dlc.analysis.dataflow import Cluster
from dlc.analysis.operand import is_inlined
from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.graph.data_layout import CHANNELS_LAST, DataLayoutAttr
from dlc.dialects.graph.pattern import constant_number
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, shape
from dlc.libraries._cudnn.functions import function_of
from dlc.libraries._cudnn.images import turned
from dlc.libraries._operation_graph import Operation
from dlc.libraries._operations import Operations, row_strides


@dataclass
class Chain:
    """Functions of tensors of one shape, ``sizes``. layout: which axis is of channels. view: the
    sizes as which cuDNN is told of a tensor of all elements, or of channels alone, before channels
    stand second. numbers: the tensors of values.
    """

    cluster: Cluster
    sizes: Sequence[int]
    layout: DataLayoutAttr = CHANNELS_LAST
    view: Callable[[Sequence[int]], Sequence[int]] = tuple
    operations: Operations = field(default_factory=Operations)
    numbers: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])

    def follow(self, op: ComputedOp) -> None:
        """Add a function of what is there; raises CompileError for what is none of cuDNN's."""
        found = function_of(op)
        if found is None:
            raise CompileError(f"cuDNN computes no {op.name} behind a convolution here")
        if shape(op.results[0]) != tuple(self.sizes):
            raise CompileError("what is computed element by element has the shape of the result")
        if str(element_type(op.results[0])) == "f32" and not found.is_exact:
            raise CompileError(f"cuDNN computes {found.name} of 16-bit floats here")
        inputs = tuple(map(self._operand, op.operands))
        # The tensor that has all elements is the first one: the other one is broadcast.
        if len(inputs) > 1 and not self._is_whole(inputs[0]):
            if found.name == "sub":
                raise CompileError("cuDNN subtracts what is broadcast, not from it")
            inputs = inputs[::-1]
        output = self.between(op.results[0])
        self.operations.operations.append(Operation(found.name, inputs, output))

    def between(self, value: SSAValue) -> int:
        """Return the number of the tensor of a value that is made of all elements."""
        sizes = self.view(shape(value))
        found = self.operations.between(*self._place(sizes))
        self.numbers[value] = found
        return found

    def _place(self, sizes: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
        """Return sizes and strides of a tensor in memory as cuDNN is told of them."""
        return turned(sizes, self.layout), turned(row_strides(sizes), self.layout)

    def _is_whole(self, number: int) -> bool:
        whole, _ = self._place(self.view(self.sizes))
        return self.operations.tensors[number].sizes == whole

    def _operand(self, value: SSAValue) -> int:
        if value not in self.numbers:
            self.numbers[value] = self._other(value)
        return self.numbers[value]

    def _other(self, value: SSAValue) -> int:
        """Return the number of the tensor of what comes from outside."""
        whole = tuple(self.sizes)
        if self.cluster.inner(value):
            raise CompileError("the group reads a view of what it computes")
        if is_inlined(value):
            if (number := constant_number(value)) is None:
                raise CompileError("an operand is a constant that stands in the code of the kernel")
            return self.operations.number(float(number), len(self.view(whole)))
        sizes = (*(1,) * (len(whole) - len(shape(value))), *shape(value))
        channel = self.layout.channel_axis(len(whole))
        if sizes not in (whole, tuple(n if axis == channel else 1 for axis, n in enumerate(whole))):
            raise CompileError("cuDNN is given a tensor of all elements, or one of the channels")
        return self.operations.read(value, *self._place(self.view(sizes)))
