"""What a strategy is given to lower: a group and an empty kernel."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.builder import Builder
from xdsl.dialects.builtin import IntegerAttr, MemRefType, TensorType, i64
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.structure import Array
from dlc.dialects.loop.structure import EndOp, KernelOp
from dlc.ir.tensor import element_bytes, element_type, shape, tensor_type


def buffer_of(type: TensorType[Attribute]) -> MemRefType[Attribute]:
    """Return the type of a global buffer that holds a tensor densely."""
    return MemRefType(type.element_type, type.get_shape())


@dataclass(frozen=True)
class Repacked:
    """A weight in the form that a kernel reads."""

    sizes: tuple[int, ...]
    pack: Callable[[Array], Array]


@dataclass
class Job:
    """A group on its way to a kernel.

    buffers: the tensors of the group's body that stand in a buffer (its arguments).
    outputs: each yielded tensor and the buffer that it goes to.
    threads: of a block (GPU), where the loops alone do not say it.
    """

    group: GroupOp
    block: Block
    buffers: dict[SSAValue, SSAValue]
    outputs: Sequence[tuple[SSAValue, SSAValue]]
    scratch: list[int] = field(default_factory=list)
    threads: int | None = None
    repacked: dict[int, "Repacked"] = field(default_factory=dict)

    @staticmethod
    def of(group: GroupOp) -> "Job":
        """Return the job of a group."""
        types = [buffer_of(tensor_type(v)) for v in (*group.inputs, *group.outputs)]
        block = Block(arg_types=types)
        arguments = group.body.block.args
        for given, made in zip(arguments, block.args, strict=False):
            made.name_hint = given.name_hint
        buffers: dict[SSAValue, SSAValue] = dict(zip(arguments, block.args, strict=False))
        outputs = tuple(zip(group.yielded, block.args[len(arguments) :], strict=True))
        return Job(group, block, buffers, outputs)

    @property
    def builder(self) -> Builder:
        """Writes at the end of the kernel."""
        return Builder(InsertPoint.at_end(self.block))

    @property
    def weights(self) -> set[SSAValue]:
        """The arguments of the body that are weights with one reader: those to ``repack``."""
        pairs = zip(self.group.inputs, self.group.body.block.args, strict=True)
        found = {inner for outer, inner in pairs if isinstance(outer.owner, WeightOp)}
        return {inner for inner in found if inner.has_one_use()}

    def repack(
        self, argument: SSAValue, sizes: Sequence[int], pack: Callable[[Array], Array]
    ) -> SSAValue:
        """Let the kernel take a weight in another form, made at compile time; return its buffer.

        pack: makes an array of shape ``sizes`` from the weight's; the element type stays.
        """
        number = list[SSAValue](self.group.body.block.args).index(argument)
        self.repacked[number] = Repacked(tuple(sizes), pack)
        buffer = self.buffers.pop(argument)
        type = MemRefType(element_type(argument), sizes)
        return Rewriter.replace_value_with_new_type(buffer, type)

    def add_scratch(self, type: MemRefType[Attribute]) -> SSAValue:
        """Return a new scratch buffer of the kernel."""
        self.scratch.append(prod(type.get_shape()) * element_bytes(type.element_type))
        return self.block.insert_arg(type, len(self.block.args))

    def outputs_by_shape(self) -> dict[tuple[int, ...], list[tuple[SSAValue, SSAValue]]]:
        """Return the outputs that one loop nest can compute together, by their shape."""
        result: dict[tuple[int, ...], list[tuple[SSAValue, SSAValue]]] = {}
        for value, buffer in self.outputs:
            if prod(shape(value)):
                result.setdefault(shape(value), []).append((value, buffer))
        return result

    def kernel(self, name: str) -> KernelOp:
        """Return the finished kernel."""
        self.block.add_op(EndOp())
        for op in reversed(list(self.block.walk())):
            if is_trivially_dead(op):
                op.detach()
                op.erase()
        types = self.block.arg_types
        kernel = KernelOp(name, types, len(self.outputs), self.scratch, Region(self.block))
        if self.threads is not None:
            kernel.attributes["threads"] = IntegerAttr(self.threads, i64)
        return kernel
