"""Kernels, and where a thread is in its grid."""

from abc import ABC
from collections.abc import Sequence
from enum import auto
from math import prod
from typing import Any, ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from dlc.arch.scope import BLOCK_THREADS, CLUSTER_BLOCKS, Scope
from dlc.dialects.loop.attributes import CallAttr
from dlc.dialects.loop.call import verify_call
from dlc.ir.access import BoundedIndex
from dlc.ir.cluster import ClusteredKernel
from dlc.ir.cooperation import filled_numbers, verify_cooperation
from dlc.ir.parts import verify_parts

DIMENSIONS = 3
"""Grids and blocks have three dimensions, x first; unused ones are 1."""


@irdl_op_definition
class KernelOp(IRDLOperation, ClusteredKernel):
    """A kernel: the program that every thread runs.

    Arguments are global buffers: the inputs, then ``outputs`` outputs, then the scratch buffers.
    grid, block: blocks in the grid and threads in a block along x, y, z. shared_bytes: the dynamic
    shared memory of a block. max_registers: the cap per thread; if absent, the assembler chooses,
    and where that spills the build sets one. resident_blocks: of these an SM has no more at a time,
    so that the assembler may give a thread the registers that they leave. scratch: the bytes of
    each scratch buffer. cluster: blocks beside each other along x, y, z that run at the same time
    and reach each other's shared memory (PTX ISA, "Cluster of Cooperative Thread Arrays").
    constant_inputs: where present, the kernel may begin before the launches before it have ended;
    the numbers of the inputs that are weights or constants at every launch, which it may read
    before it has waited (``gpu.griddepcontrol_wait``). dependents: it lets the launch after it
    begin as soon as it has waited itself; without it that one begins when this one has ended.
    cooperative: all blocks of a launch are resident together, so that they may wait for each other
    (CUDA C++ Programming Guide, "Grid Synchronization"); it begins when the launches before it have
    ended. filled: the numbers of the outputs and scratch buffers of which every byte is 0xff when
    it begins, which the host program sees to (``gpu.await``, ``gpu.grid_barrier``). parts: as those
    of ``loop.kernel``, outputs that it does not write whole. call: as that of ``loop.kernel``, of a
    library which runs in place of the body where the library is found when the model is loaded.

    ``gpu.kernel @g0(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 1, 1, 1>,
    block = array<i64: 32, 1, 1>, outputs = 1 : i64} { gpu.end }``
    """

    name = "gpu.kernel"
    sym_name = prop_def(SymbolNameConstraint())
    grid = prop_def(DenseArrayBase.constr(i64))
    block = prop_def(DenseArrayBase.constr(i64))
    outputs = prop_def(IntegerAttr.constr(i64))
    shared_bytes = opt_prop_def(IntegerAttr.constr(i64))
    max_registers = opt_prop_def(IntegerAttr.constr(i64))
    resident_blocks = opt_prop_def(IntegerAttr.constr(i64))
    cluster = opt_prop_def(DenseArrayBase.constr(i64))
    constant_inputs = opt_prop_def(DenseArrayBase.constr(i64))
    dependents = opt_prop_def(UnitAttr)
    cooperative = opt_prop_def(UnitAttr)
    filled = opt_prop_def(DenseArrayBase.constr(i64))
    parts = opt_prop_def(ArrayAttr[DenseArrayBase])
    call = opt_prop_def(CallAttr)
    scratch = prop_def(DenseArrayBase.constr(i64), default_value=DenseArrayBase.from_list(i64, []))
    body = region_def("single_block")
    traits = traits_def(
        IsolatedFromAbove(), SymbolOpInterface(), MemoryReadEffect(), MemoryWriteEffect()
    )

    def __init__(
        self,
        name: str,
        body: Region,
        grid: Sequence[int],
        block: Sequence[int],
        outputs: int,
        scratch: Sequence[int] = (),
    ):
        super().__init__(
            regions=[body],
            properties={
                "sym_name": StringAttr(name),
                "grid": _sizes(grid),
                "block": _sizes(block),
                "outputs": IntegerAttr(outputs, i64),
                "scratch": DenseArrayBase.from_list(i64, list(scratch)),
            },
        )

    @property
    def grid_size(self) -> tuple[int, int, int]:
        """Blocks in the grid along x, y and z."""
        x, y, z = self.grid.get_values()
        return int(x), int(y), int(z)

    @property
    def block_size(self) -> tuple[int, int, int]:
        """Threads in a block along x, y and z."""
        x, y, z = self.block.get_values()
        return int(x), int(y), int(z)

    @property
    def cluster_size(self) -> tuple[int, int, int]:
        """Blocks in a cluster along x, y and z."""
        x, y, z = (1, 1, 1) if self.cluster is None else self.cluster.get_values()
        return int(x), int(y), int(z)

    @property
    def cluster_blocks(self) -> int:
        """Blocks in a cluster."""
        return prod(self.cluster_size)

    @property
    def threads(self) -> int:
        """Threads in a block."""
        x, y, z = self.block_size
        return x * y * z

    @property
    def scratch_bytes(self) -> tuple[int, ...]:
        """The bytes of each scratch buffer."""
        return tuple(map(int, self.scratch.get_values()))

    @property
    def early_buffers(self) -> Sequence[BlockArgument]:
        """The inputs that may be read while the launches before this one run."""
        numbers = () if self.constant_inputs is None else self.constant_inputs.get_values()
        return [self.body.block.args[int(number)] for number in numbers]

    @property
    def filled_buffers(self) -> Sequence[BlockArgument]:
        """The outputs and scratch buffers that hold only ones when the kernel begins."""
        return [self.body.block.args[number] for number in filled_numbers(self)]

    @property
    def _first_output(self) -> int:
        return len(self.body.block.args) - len(self.scratch_bytes) - self.outputs.value.data

    @property
    def input_buffers(self) -> Sequence[BlockArgument]:
        """The buffers that are read only."""
        return self.body.block.args[: self._first_output]

    @property
    def output_buffers(self) -> Sequence[BlockArgument]:
        """The buffers that are written."""
        return self.body.block.args[self._first_output :][: self.outputs.value.data]

    @property
    def scratch_buffers(self) -> Sequence[BlockArgument]:
        """The buffers for the kernel's own use."""
        return self.body.block.args[self._first_output + self.outputs.value.data :]

    @classmethod
    def parse(cls, parser: Parser) -> "KernelOp":
        name = parser.parse_symbol_name()
        arguments = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_argument)
        given = parser.parse_optional_attr_dict_with_keyword()
        known = cls.get_irdl_definition().properties
        properties: dict[str, Attribute] = {"sym_name": name}
        attributes: dict[str, Attribute] = {}
        for key, value in (given.data if given else {}).items():
            (properties if key in known else attributes)[key] = value
        body = parser.parse_region(arguments)
        return cls.create(properties=properties, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_block_argument)
        hidden = {"sym_name"} if self.scratch.get_values() else {"sym_name", "scratch"}
        shown = {k: v for k, v in self.properties.items() if k not in hidden}
        printer.print_op_attributes({**shown, **self.attributes}, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    def verify_(self) -> None:
        for what, sizes in (("grid", self.grid), ("block", self.block), ("cluster", self.cluster)):
            values = (1, 1, 1) if sizes is None else sizes.get_values()
            if len(values) != DIMENSIONS or min(values) < 1:
                raise VerifyException(
                    f"{what} = {list(values)} should be three positive sizes, x first"
                )
        if self.threads > BLOCK_THREADS:
            raise VerifyException(
                f"a block of {self.threads} threads; {BLOCK_THREADS} are the most"
            )
        if any(n % size for n, size in zip(self.grid_size, self.cluster_size, strict=True)):
            raise VerifyException(
                f"clusters of {list(self.cluster_size)} do not divide a grid of "
                f"{list(self.grid_size)}"
            )
        if self.cluster_blocks > max(CLUSTER_BLOCKS):
            raise VerifyException(
                f"a cluster of {self.cluster_blocks} blocks; {max(CLUSTER_BLOCKS)} are the most"
            )
        if self.resident_blocks is not None and self.resident_blocks.value.data < 1:
            raise VerifyException("resident_blocks should be positive")
        for argument in self.body.block.args:
            if not isinstance(argument.type, MemRefType):
                raise VerifyException(f"kernel arguments are memrefs, got {argument.type}")
        if self._first_output < 0 or self.outputs.value.data < 0:
            raise VerifyException(
                f"{len(self.body.block.args)} buffers cannot hold {self.outputs.value.data} "
                f"outputs and {len(self.scratch_bytes)} scratch buffers"
            )
        self._verify_launch()

    def _verify_launch(self) -> None:
        numbers = () if self.constant_inputs is None else self.constant_inputs.get_values()
        if any(not 0 <= number < self._first_output for number in numbers):
            raise VerifyException(
                f"constant_inputs = {list(numbers)} should be numbers of the {self._first_output} "
                "inputs"
            )
        if self.dependents is not None and self.constant_inputs is None:
            raise VerifyException(
                "dependents is for a kernel that waits itself: one with constant_inputs"
            )
        if self.cooperative is not None and self.constant_inputs is not None:
            raise VerifyException(
                "a cooperative kernel begins when the launches before it have ended: it has no "
                "constant_inputs"
            )
        verify_cooperation(self, self.input_buffers)
        verify_parts(self, self.output_buffers)
        verify_call(self.call, self.input_buffers, self.output_buffers, self.scratch_bytes)


def _sizes(sizes: Sequence[int]) -> DenseArrayBase[Any]:
    padded = [*sizes, *[1] * (DIMENSIONS - len(sizes))]
    return DenseArrayBase.from_list(i64, padded)


@irdl_op_definition
class EndOp(IRDLOperation):
    """The end of a kernel."""

    name = "gpu.end"
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(KernelOp), Pure()))
    assembly_format = "attr-dict"


class Dimension(StrEnum):
    """A dimension of a grid or a block; x varies fastest from thread to thread."""

    X = auto()
    Y = auto()
    Z = auto()


@irdl_attr_definition
class DimensionAttr(EnumAttribute[Dimension], SpacedOpaqueSyntaxAttribute):
    """``x``, ``y`` or ``z``."""

    name = "gpu.dimension"


def kernel_around(op: Operation) -> KernelOp | None:
    """Return the kernel that an op is in, if it is in one."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, KernelOp):
        parent = parent.parent_op()
    return parent


def kernel_of(op: Operation) -> KernelOp:
    """Return the kernel that an op is in."""
    kernel = kernel_around(op)
    assert kernel is not None, f"{op.name} stands outside a gpu.kernel"
    return kernel


class IdOp(IRDLOperation, BoundedIndex, ABC):
    """The position of the thread along one dimension."""

    dimension = prop_def(DimensionAttr)
    output = result_def(IndexType())
    traits = traits_def(Pure())
    assembly_format = "$dimension attr-dict `:` type($output)"

    def __init__(self, dimension: Dimension = Dimension.X):
        super().__init__(
            properties={"dimension": DimensionAttr(dimension)}, result_types=[IndexType()]
        )

    @property
    def axis(self) -> int:
        """The position of the dimension: 0 for x, 1 for y, 2 for z."""
        return list(Dimension).index(self.dimension.data)

    @property
    def kernel(self) -> KernelOp:
        """The kernel that this op is in."""
        return kernel_of(self)


@irdl_op_definition
class ThreadIdOp(IdOp):
    """The position of the thread in its block (PTX ISA, "%tid").

    ``%t = gpu.thread_id x : index``
    """

    name = "gpu.thread_id"
    SAME_IN: ClassVar[Scope] = Scope.THREAD

    @property
    def bounds(self) -> tuple[int, int]:
        return 0, self.kernel.block_size[self.axis]


@irdl_op_definition
class BlockIdOp(IdOp):
    """The position of the block in the grid (PTX ISA, "%ctaid").

    ``%b = gpu.block_id x : index``
    """

    name = "gpu.block_id"
    SAME_IN: ClassVar[Scope] = Scope.BLOCK

    @property
    def bounds(self) -> tuple[int, int]:
        return 0, self.kernel.grid_size[self.axis]


OPERATIONS = [KernelOp, EndOp, ThreadIdOp, BlockIdOp]
ATTRIBUTES = [DimensionAttr]
