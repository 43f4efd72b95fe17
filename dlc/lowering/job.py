"""What a strategy is given to lower: a group and an empty kernel, or several."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.builder import Builder
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.structure import Array
from dlc.dialects.loop.attributes import CallAttr
from dlc.dialects.loop.kernel import EndOp, KernelOp
from dlc.ir.space import buffer_bytes
from dlc.ir.tensor import element_type, shape, tensor_type


def buffer_of(type: TensorType[Attribute]) -> MemRefType[Attribute]:
    """Return the type of a global buffer that holds a tensor densely."""
    return MemRefType(type.element_type, type.get_shape())


@dataclass(frozen=True)
class Repacked:
    """A weight in the form that a kernel, or a call, reads."""

    sizes: tuple[int, ...]
    pack: Callable[[Array], Array]


@dataclass(frozen=True)
class Transposed:
    """A weight with its axes in another order: axis ``i`` is axis ``permutation[i]``."""

    permutation: tuple[int, ...]

    def __call__(self, weight: Array) -> Array:
        return weight.transpose(self.permutation)


@dataclass(eq=False)
class Job:
    """A group on its way to a kernel.

    buffers: the tensors of the group's body that stand in a buffer: its arguments, and what earlier
    kernels of the group have computed.
    outputs: each tensor of the body that the kernel computes and the buffer that it goes to.
    threads: of a block (GPU), where the loops alone do not say it. blocks: of the launch, likewise.
    cluster: blocks that combine. cooperative: blocks wait for each other. filled: the outputs and
    scratch buffers that hold only ones when the kernel begins (``gpu.await``, ``loop.barrier``).
    reads: what a launch takes: inputs of the group by their numbers, results of earlier jobs,
    weights for a call.
    results: the types of what a launch gives.
    earlier: kernels of the group that are launched before, in order.
    call: of a library, which may run in place of the kernel: it reads weights as they are, or in an
    order of its own (``order_for_call``).
    """

    group: GroupOp
    block: Block
    buffers: dict[SSAValue, SSAValue]
    outputs: list[tuple[SSAValue, SSAValue]] = field(default_factory=list)
    scratch: list[int] = field(default_factory=list)
    threads: int | None = None
    blocks: int | None = None
    cluster: int = 1
    cooperative: bool = False
    filled: list[SSAValue] = field(default_factory=list)
    repacked: dict[int, "Repacked"] = field(default_factory=dict)
    reads: list["int | Handed | ForCall"] = field(default_factory=list)
    results: list[TensorType[Attribute]] = field(default_factory=list)
    earlier: list["Job"] = field(default_factory=list)
    call: CallAttr | None = None

    @staticmethod
    def of(group: GroupOp) -> "Job":
        """Return the job of a kernel that computes all results of a group."""
        job = Job._on_inputs(group)
        for value in group.yielded:
            job.outputs.append((value, job._add_result(tensor_type(value))))
        return job

    @staticmethod
    def _on_inputs(group: GroupOp) -> "Job":
        arguments = group.body.block.args
        block = Block(arg_types=[buffer_of(tensor_type(v)) for v in arguments])
        for given, made in zip(arguments, block.args, strict=True):
            made.name_hint = given.name_hint
        buffers: dict[SSAValue, SSAValue] = dict(zip(arguments, block.args, strict=True))
        return Job(group, block, buffers, reads=list(range(len(arguments))))

    def add_earlier(self) -> "Job":
        """Return the job of a kernel that is launched before this one, after those added so far.

        It reads the inputs of the group, and gives what ``hand_over`` or ``compute_earlier`` say.
        """
        self.earlier.append(job := Job._on_inputs(self.group))
        return job

    def hand_over(self, to: "Job", type: TensorType[Attribute]) -> tuple[SSAValue, SSAValue]:
        """Return the buffer that this kernel fills, and the buffer of a later one that holds it."""
        given = self._add_result(type)
        taken = to.block.insert_arg(buffer_of(type), len(to.reads))
        to.reads.append(Handed(self, len(self.results) - 1))
        return given, taken

    def compute_earlier(self, value: SSAValue, earlier: "Job") -> None:
        """Let an earlier kernel compute a value of the group's body; this one reads it."""
        given, taken = earlier.hand_over(self, tensor_type(value))
        earlier.outputs.append((value, given))
        self.buffers[value] = taken

    def _add_result(self, type: TensorType[Attribute]) -> SSAValue:
        place = len(self.reads) + len(self.results)
        self.results.append(type)
        return self.block.insert_arg(buffer_of(type), place)

    @property
    def builder(self) -> Builder:
        """Writes at the end of the kernel."""
        return Builder(InsertPoint.at_end(self.block))

    @property
    def weights(self) -> set[SSAValue]:
        """The arguments of the body that are weights with one reader: those to ``repack``."""
        if self.call is not None:
            return set()
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
        assert number in self.reads
        self.repacked[number] = Repacked(tuple(sizes), pack)
        buffer = self.buffers.pop(argument)
        type = MemRefType(element_type(argument), sizes)
        return Rewriter.replace_value_with_new_type(buffer, type)

    def order_for_call(self, argument: SSAValue, permutation: Sequence[int]) -> None:
        """Let the call take a weight with its axes in another order: a buffer more, behind all that
        is read so far, which the kernel ignores.
        """
        number = list[SSAValue](self.group.body.block.args).index(argument)
        sizes = tuple(shape(argument)[axis] for axis in permutation)
        form = Repacked(sizes, Transposed(tuple(permutation)))
        self.block.insert_arg(MemRefType(element_type(argument), sizes), len(self.reads))
        self.reads.append(ForCall(number, form))

    def add_scratch(self, type: MemRefType[Attribute]) -> SSAValue:
        """Return a new scratch buffer of the kernel."""
        self.scratch.append(buffer_bytes(type))
        return self.block.insert_arg(type, len(self.block.args))

    def outputs_by_shape(self) -> dict[tuple[int, ...], list[tuple[SSAValue, SSAValue]]]:
        """Return the outputs that one loop nest can compute together, by their shape."""
        result: dict[tuple[int, ...], list[tuple[SSAValue, SSAValue]]] = {}
        for value, buffer in self.outputs:
            if prod(shape(value)):
                result.setdefault(shape(value), []).append((value, buffer))
        return result

    def in_order(self) -> list["Job"]:
        """Return the jobs of all kernels of the group, in the order of their launches."""
        return [*(job for each in self.earlier for job in each.in_order()), self]

    def finish(self) -> None:
        """End the kernel: nothing is in it that nobody needs."""
        self.block.add_op(EndOp())
        for op in reversed(list(self.block.walk())):
            if is_trivially_dead(op):
                op.detach()
                op.erase()

    def drop_unread(self) -> None:
        """Take away the inputs that a finished kernel does not read: others of its group may."""
        for number in reversed(range(len(self.reads))):
            if not self.block.args[number].uses:
                self.block.erase_arg(self.block.args[number])
                del self.reads[number]

    def kernel(self, name: str) -> KernelOp:
        """Return the finished kernel as an op."""
        types = self.block.arg_types
        kernel = KernelOp(name, types, len(self.results), self.scratch, Region(self.block))
        if self.threads is not None:
            kernel.threads = IntegerAttr(self.threads, i64)
        if self.blocks is not None:
            kernel.blocks = IntegerAttr(self.blocks, i64)
        kernel.call = self.call
        if self.cluster > 1:
            kernel.cluster = IntegerAttr(self.cluster, i64)
        if self.cooperative:
            kernel.cooperative = UnitAttr()
        if self.filled:
            numbers = [n for n, x in enumerate(kernel.body.block.args) if x in self.filled]
            kernel.filled = DenseArrayBase.from_list(i64, numbers)
        return kernel


@dataclass(frozen=True)
class ForCall:
    """An input of the group, a weight, in the form that a call reads beside the kernel's."""

    number: int
    form: Repacked


@dataclass(frozen=True)
class Handed:
    """What the launch of a job gives, as another launch of the same group takes it."""

    job: Job
    number: int
