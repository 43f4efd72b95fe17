"""A graph of operations on tensors in memory, as a call of a library describes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeVar

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from dlc.dialects.loop.attributes import CallAttr
from dlc.errors import CompileError
from dlc.ir.record import Inner, Value

T = TypeVar("T", bound=Value)

MOST_AXES = 5
"""Of a tensor."""

MOST_TENSORS = 64
"""Of a graph: the C of a call keeps as many addresses on the stack."""

_NOTHING: tuple[Value, ...] = ()

_MOST = (1 << 31) - 1
"""The largest integer of a list, so that nothing overflows in the code of a call."""

_LARGEST = float.fromhex("0x1.fffffep+127")
"""The largest number of ``f32``."""


@dataclass(frozen=True)
class Tensor:
    """Elements of a type by the sizes and strides of its axes, in elements.

    buffer: which of the call's it lies in from the first element on; ``None`` where it is only
    between operations. number: the element of a tensor of one element that has no place in memory.
    """

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    element: str
    buffer: int | None = None
    number: float | None = None

    @property
    def end(self) -> int:
        """How many elements its buffer has at least."""
        return 1 + sum((n - 1) * s for n, s in zip(self.sizes, self.strides, strict=True))

    def fills(self, elements: int) -> bool:
        """Whether it has each of so many elements from the first one on once."""
        count = 1
        for size, stride in sorted(zip(self.sizes, self.strides, strict=True), key=lambda x: x[1]):
            if size > 1 and stride != count:
                return False
            count *= size
        return count == elements

    def keys(self) -> dict[str, Value]:
        """Return it as a record."""
        found: dict[str, Value] = {
            "sizes": self.sizes,
            "strides": self.strides,
            "element": self.element,
        }
        if self.buffer is not None:
            found["buffer"] = self.buffer
        return found if self.number is None else {**found, "number": self.number}

    @staticmethod
    def read(record: Mapping[str, Value]) -> "Tensor":
        """Return the tensor of a record; raises CompileError for a wrong one."""
        sizes, strides = (_integers(record, name) for name in ("sizes", "strides"))
        found = Tensor(sizes, strides, _get(record, "element", ""))
        if "number" in record:
            found = Tensor(sizes, strides, found.element, None, _get(record, "number", 0.0))
        elif "buffer" in record:
            found = Tensor(sizes, strides, found.element, _get(record, "buffer", 0))
        found._check()
        return found

    def _check(self) -> None:
        if not 1 <= len(self.sizes) == len(self.strides) <= MOST_AXES:
            raise CompileError(f"a tensor has as many strides as sizes, and at most {MOST_AXES}")
        if 0 in self.sizes:
            raise CompileError(f"no tensor has sizes {self.sizes}")
        if self.number is not None and not self._is_number(self.number):
            raise CompileError("a number is one element of f32")

    def _is_number(self, number: float) -> bool:
        return prod(self.sizes) == 1 and self.element == "f32" and abs(number) <= _LARGEST


@dataclass(frozen=True)
class Operation:
    """What an operation makes of tensors, by their numbers. numbers: lists that it has besides."""

    name: str
    inputs: tuple[int, ...]
    output: int
    numbers: tuple[tuple[str, tuple[int, ...]], ...] = ()

    def keys(self) -> dict[str, Value]:
        """Return it as a record."""
        first: dict[str, Value] = {"name": self.name, "inputs": self.inputs, "output": self.output}
        return {**first, **dict(self.numbers)}

    @staticmethod
    def read(record: Mapping[str, Value]) -> "Operation":
        """Return the operation of a record; raises CompileError for a wrong one."""
        numbers = (n for n in record if n not in ("name", "inputs", "output"))
        return Operation(
            _get(record, "name", ""),
            _integers(record, "inputs"),
            _get(record, "output", 0),
            tuple((name, _integers(record, name)) for name in numbers),
        )


@dataclass(frozen=True)
class OperationGraph:
    """Operations in an order in which each reads what those before it have made."""

    tensors: tuple[Tensor, ...]
    operations: tuple[Operation, ...]

    def keys(self) -> dict[str, Value]:
        """Return the keys of a call."""
        tensors = tuple(Inner(tuple(each.keys().items())) for each in self.tensors)
        operations = tuple(Inner(tuple(each.keys().items())) for each in self.operations)
        return {"tensors": tensors, "operations": operations}

    @staticmethod
    def read(call: CallAttr) -> "OperationGraph":
        """Return the graph that the keys of a call say; raises CompileError for a wrong one."""
        tensors = tuple(map(Tensor.read, _records(call, "tensors")))
        if len(tensors) > MOST_TENSORS:
            raise CompileError(f"a call has at most {MOST_TENSORS} tensors")
        found = OperationGraph(tensors, tuple(map(Operation.read, _records(call, "operations"))))
        found._check()
        return found

    def check(self, buffers: Sequence[MemRefType[Attribute]]) -> None:
        """Raise CompileError where tensors do not lie in buffers of these types, the last of which
        is the one that is written.
        """
        for tensor in self.tensors:
            if tensor.buffer is None:
                continue
            if not 0 <= tensor.buffer < len(buffers):
                raise CompileError(f"the call has no buffer {tensor.buffer}")
            type = buffers[tensor.buffer]
            if str(type.element_type) != tensor.element:
                raise CompileError(f"a tensor of {tensor.element} is in buffer {type}")
            if tensor.end > prod(type.get_shape()):
                raise CompileError(f"the call leads out of buffer {tensor.buffer}, {type}")
        self._check_result(len(buffers) - 1)

    def check_filled(self, buffers: Sequence[MemRefType[Attribute]]) -> None:
        """Raise CompileError unless what is written fills its buffer, the last one."""
        last, elements = len(buffers) - 1, prod(buffers[-1].get_shape())
        if not any(each.buffer == last and each.fills(elements) for each in self.tensors):
            raise CompileError("the tensor that is written has each element of its buffer once")

    def _check_result(self, last: int) -> None:
        outputs = [each.output for each in self.operations]
        places = [(n in outputs, t.buffer) for n, t in enumerate(self.tensors)]
        written = [buffer for is_written, buffer in places if is_written and buffer is not None]
        if written != [last] or (False, last) in places:
            raise CompileError("one tensor is written to the last buffer, and none to another one")

    def _check(self) -> None:
        """Raise CompileError unless each operation reads what is there, and all that is between
        operations is made once.
        """
        outputs = [each.output for each in self.operations]
        there = set(range(len(self.tensors))) - set(outputs)
        for each in self.operations:
            if not each.inputs or not there >= set(each.inputs):
                raise CompileError(f"operation {each.name} reads what no operation before it made")
            if each.output in there or not 0 <= each.output < len(self.tensors):
                raise CompileError(f"operation {each.name} makes no tensor of its own")
            there.add(each.output)
        for number, tensor in enumerate(self.tensors):
            must = tensor.buffer is None and tensor.number is None
            if not must <= (number in outputs) <= (tensor.number is None):
                raise CompileError("operations make what is between them, and no number")


def _records(call: CallAttr, name: str) -> list[dict[str, Value]]:
    given: tuple[Value, ...] = call.get(name, _NOTHING)
    found = [each.as_dict() for each in given if isinstance(each, Inner)]
    if not found or len(found) < len(given):
        raise CompileError(f"{name} of a call are records")
    return found


def _integers(record: Mapping[str, Value], name: str) -> tuple[int, ...]:
    given = _get(record, name, _NOTHING)
    found = tuple(each for each in given if type(each) is int and 0 <= each <= _MOST)
    if len(found) < len(given):
        raise CompileError(f"{name} are integers from 0 to {_MOST}")
    return found


def _get(record: Mapping[str, Value], name: str, default: T) -> T:
    found = record.get(name)
    if type(found) is not type(default):
        raise CompileError(f"{name} of a record of a call should be like {default!r}")
    return found
