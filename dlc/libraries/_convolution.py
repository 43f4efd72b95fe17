"""A convolution and what is made of its elements, as operations of cuDNN."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from dlc.analysis.dataflow import Cluster
from dlc.analysis.operand import is_inlined
from dlc.dialects.graph.activation import GeluOp, ReluOp, SigmoidOp
from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.graph.convolution import ConvOp
from dlc.dialects.graph.data_layout import CHANNELS_LAST, OHWI
from dlc.dialects.graph.elementwise import AddOp, MulOp, SubOp
from dlc.dialects.graph.math import TanhOp
from dlc.dialects.graph.pattern import constant_number
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, shape
from dlc.libraries._operation_graph import Operation
from dlc.libraries._operations import Operations, row_strides

CHANNELS = 8
"""The channels of what is convolved, and of what that gives, are a multiple of it: 16 bytes of
16-bit floats, which cuDNN's kernels for tensor cores ask for.
"""

TYPES = ("f16", "bf16")
"""Element types. In ``f32`` cuDNN itself chooses whether products are rounded to ``tf32``."""

_NAMES: dict[type[ComputedOp], str] = {
    AddOp: "add",
    MulOp: "mul",
    SubOp: "sub",
    ReluOp: "relu",
    TanhOp: "tanh",
    SigmoidOp: "sigmoid",
}


def convolution(conv: ConvOp, rest: Sequence[ComputedOp], cluster: Cluster) -> Operations:
    """Return the operations of a cluster; raises CompileError with the reason why there are none.

    conv: its first op. rest: its other ones.
    """
    _check(conv)
    found = _Convolution(conv, cluster)
    for op in rest:
        found.follow(op)
    found.operations.store(cluster.results[0])
    return found.operations


@dataclass
class _Convolution:
    """numbers: the tensors of values. Axes are those of cuDNN, whose second one is of channels."""

    conv: ConvOp
    cluster: Cluster
    operations: Operations = field(default_factory=Operations)
    numbers: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])

    def __post_init__(self) -> None:
        conv = self.conv
        inputs = tuple(self._read(value, shape(value)) for value in (conv.x, conv.weight))
        windows = conv.windows
        numbers = (
            ("strides", tuple(w.stride for w in windows)),
            ("begins", tuple(w.begin for w in windows)),
            ("ends", tuple(w.end for w in windows)),
            ("dilations", tuple(w.dilation for w in windows)),
        )
        output = self._between(conv.output)
        self.operations.operations.append(Operation("convolution", inputs, output, numbers))

    def follow(self, op: ComputedOp) -> None:
        """Add an op that reads what is there, element by element."""
        name, whole = _name(op), self.conv.output
        if name is None:
            raise CompileError(f"cuDNN computes no {op.name} behind a convolution here")
        if shape(op.results[0]) != shape(whole):
            raise CompileError("what follows a convolution has its shape")
        inputs = tuple(map(self._operand, op.operands))
        # The tensor that has all elements is the first one: the other one is broadcast.
        if len(inputs) > 1 and not self._is_whole(inputs[0]):
            if name == "sub":
                raise CompileError("cuDNN subtracts what is broadcast, not from it")
            inputs = inputs[::-1]
        self.operations.operations.append(Operation(name, inputs, self._between(op.results[0])))

    def _is_whole(self, number: int) -> bool:
        tensors = self.operations.tensors
        return tensors[number].sizes == tensors[self.numbers[self.conv.output]].sizes

    def _between(self, value: SSAValue) -> int:
        sizes = shape(value)
        found = self.operations.between(_turned(sizes), _turned(row_strides(sizes)))
        self.numbers[value] = found
        return found

    def _read(self, value: SSAValue, sizes: Sequence[int]) -> int:
        return self.operations.read(value, _turned(sizes), _turned(row_strides(sizes)))

    def _operand(self, value: SSAValue) -> int:
        if value not in self.numbers:
            self.numbers[value] = self._other(value)
        return self.numbers[value]

    def _other(self, value: SSAValue) -> int:
        """Return the number of the tensor of what comes from outside."""
        whole = shape(self.conv.output)
        if self.cluster.inner(value):
            raise CompileError("the group reads a view of what it computes")
        if is_inlined(value):
            if (number := constant_number(value)) is None:
                raise CompileError("an operand is a constant that stands in the code of the kernel")
            return self.operations.number(float(number), len(whole))
        sizes = (*(1,) * (len(whole) - len(shape(value))), *shape(value))
        if sizes not in (tuple(whole), (*(1,) * (len(whole) - 1), whole[-1])):
            raise CompileError("cuDNN is given a tensor of all elements, or one of the channels")
        return self._read(value, sizes)


def _check(conv: ConvOp) -> None:
    elements = {str(element_type(x)) for x in (*conv.operands, conv.output)}
    if len(elements) > 1 or not elements <= set(TYPES):
        raise CompileError(f"cuDNN convolves {' and '.join(TYPES)} here")
    if len(shape(conv.output)) not in (4, 5):
        raise CompileError("cuDNN convolves two or three axes")
    if conv.data_layout != CHANNELS_LAST or conv.weight_layout != OHWI:
        raise CompileError("cuDNN is given channels that lie together")
    if any(shape(x)[-1] % CHANNELS for x in (conv.x, conv.weight, conv.output)):
        raise CompileError(f"cuDNN computes a multiple of {CHANNELS} channels")
    if any(map(is_inlined, conv.operands)) or 0 in (*shape(conv.output), *shape(conv.weight)):
        raise CompileError("there is nothing in memory to convolve")


def _name(op: ComputedOp) -> str | None:
    if isinstance(op, GeluOp):
        return "gelu" if op.tanh is None else "gelu_tanh"
    return _NAMES.get(type(op))


def _turned(axes: Sequence[int]) -> tuple[int, ...]:
    """Return what is said of our axes, whose last one is of channels, in cuDNN's order."""
    return (axes[0], axes[-1], *axes[1:-1])
