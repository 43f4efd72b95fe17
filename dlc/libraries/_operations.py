"""The operations that a library is to compute a cluster by, as they are put together."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod

from xdsl.ir import BlockArgument, SSAValue

from dlc.errors import CompileError
from dlc.ir.tensor import element_type
from dlc.libraries._library import Ordered
from dlc.libraries._operation_graph import Operation, OperationGraph, Tensor


def row_strides(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return how far the elements of each axis of a tensor in memory are apart."""
    return tuple(prod(sizes[axis + 1 :]) for axis in range(len(sizes)))


@dataclass
class Operations:
    """The operations of a cluster, the last of which makes its result.

    inputs: the values that they read, in the order of the call's buffers; the result comes behind.
    orders: in which order of axes each is read. is_rounding: whether factors of ``f32`` are rounded
    to ``tf32``.
    """

    tensors: list[Tensor] = field(default_factory=list[Tensor])
    operations: list[Operation] = field(default_factory=list[Operation])
    inputs: list[SSAValue] = field(default_factory=list[SSAValue])
    orders: list[Sequence[int]] = field(default_factory=list[Sequence[int]])
    is_rounding: bool = False

    def add(self, tensor: Tensor) -> int:
        """Return the number of a new tensor."""
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def between(self, sizes: Sequence[int], strides: Sequence[int]) -> int:
        """Return the number of a new tensor between operations, of ``f32``."""
        return self.add(Tensor(tuple(sizes), tuple(strides), "f32"))

    def number(self, number: float, rank: int) -> int:
        """Return the number of a new tensor of one element of ``f32``."""
        ones = (1,) * rank
        return self.add(Tensor(ones, ones, "f32", number=number))

    def read(
        self,
        value: SSAValue,
        sizes: Sequence[int],
        strides: Sequence[int],
        order: Sequence[int] = (),
    ) -> int:
        """Return the number of a new tensor that is an input. order: of its axes in memory, where
        that is another one than the value has.
        """
        self.inputs.append(value)
        self.orders.append(() if list(order) == sorted(order) else tuple(order))
        element = str(element_type(value))
        return self.add(Tensor(tuple(sizes), tuple(strides), element, len(self.inputs) - 1))

    def store(self, result: SSAValue) -> None:
        """Note that what the last operation makes is stored in the result."""
        last = self.operations[-1].output
        element = str(element_type(result))
        self.tensors[last] = replace(self.tensors[last], element=element, buffer=len(self.inputs))

    def graph(self) -> OperationGraph:
        """Return the graph that a call describes."""
        return OperationGraph(tuple(self.tensors), tuple(self.operations))

    def buffers(self, library: str) -> tuple[int, ...]:
        """Return the buffers of the kernel that a call takes: inputs, then the result; raises
        CompileError where an input is the view of an input of the group.
        """
        found = [value for value in self.inputs if isinstance(value, BlockArgument)]
        if len(found) < len(self.inputs):
            raise CompileError(
                f"library {library} reads inputs of a group; take the view of one out of it"
            )
        count, ordered = len(found[0].block.args), self.ordered()
        places = {each: count + place for place, each in enumerate(ordered)}
        pairs = zip(found, self.orders, strict=True)
        numbers = (places.get(Ordered(x, tuple(order)), x.index) for x, order in pairs)
        return (*numbers, count + len(ordered))

    def ordered(self) -> list[Ordered]:
        """Return the inputs that are read in another order of their axes."""
        pairs = zip(self.inputs, self.orders, strict=True)
        return [Ordered(value, tuple(order)) for value, order in pairs if order]
