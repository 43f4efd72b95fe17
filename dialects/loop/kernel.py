"""Kernels of loops."""

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i64,
)
from xdsl.dialects.utils import (
    parse_func_op_like,
    print_func_op_like,
)
from xdsl.ir import Attribute, Block, BlockArgument, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from dlc.arch.fragments import WARP_LANES
from dlc.dialects.loop.attributes import CallAttr
from dlc.dialects.loop.call import verify_call
from dlc.ir.cluster import ClusteredKernel
from dlc.ir.cooperation import verify_cooperation
from dlc.ir.parts import verify_parts

_PRINTED = [
    "outputs",
    "scratch",
    "threads",
    "blocks",
    "cluster",
    "cooperative",
    "filled",
    "parts",
    "call",
]
"""The properties of a kernel that stand among its attributes, in this order."""


@irdl_op_definition
class EndOp(IRDLOperation):
    """Ends a kernel.

    ``loop.end``
    """

    name = "loop.end"
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(KernelOp), Pure()))
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()


@irdl_op_definition
class KernelOp(IRDLOperation, ClusteredKernel):
    """A kernel over buffers: inputs first, then ``outputs`` outputs, then the scratch buffers.

    ``scratch`` has one size in bytes per scratch buffer. What is written of outputs and scratch is
    read through no other buffer. ``threads``: of a block of a GPU; without it the loops over
    threads say it. ``blocks``: of the launch; without it the loops over the grid say it. Loops over
    more iterations take rounds. ``cluster``: neighbouring blocks that combine values.
    ``cooperative``, ``filled``: as those of ``gpu.kernel``: the blocks wait for each other, and
    buffers hold only ones at first. ``parts``: of outputs that it does not write whole the number,
    the axis along which it writes a part, and where that begins and ends. ``call``: of a library,
    which runs in place of the body where the library is found when the model is loaded.

    ``loop.kernel @g0(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {...}``
    """

    name = "loop.kernel"
    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    outputs = prop_def(IntegerAttr.constr(i64))
    threads = opt_prop_def(IntegerAttr.constr(i64))
    blocks = opt_prop_def(IntegerAttr.constr(i64))
    cluster = opt_prop_def(IntegerAttr.constr(i64))
    cooperative = opt_prop_def(UnitAttr)
    filled = opt_prop_def(DenseArrayBase.constr(i64))
    parts = opt_prop_def(ArrayAttr[DenseArrayBase])
    call = opt_prop_def(CallAttr)
    scratch = prop_def(DenseArrayBase.constr(i64), default_value=DenseArrayBase.from_list(i64, []))
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), RecursiveMemoryEffect())

    def __init__(
        self,
        name: str,
        buffers: Sequence[Attribute],
        outputs: int,
        scratch: Sequence[int] = (),
        body: Region | None = None,
    ):
        """buffers: types of inputs, outputs and scratch. body: with one argument per buffer."""
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "function_type": FunctionType.from_lists(buffers, []),
                "outputs": IntegerAttr(outputs, i64),
                "scratch": DenseArrayBase.from_list(i64, list(scratch)),
            },
            regions=[body or Region(Block(arg_types=buffers))],
        )

    @property
    def scratch_bytes(self) -> tuple[int, ...]:
        """The bytes of each scratch buffer."""
        return tuple(map(int, self.scratch.get_values()))

    @property
    def block_threads(self) -> int:
        """The threads of a block that are asked for, 0 where nothing is."""
        return self.threads.value.data if self.threads is not None else 0

    @property
    def grid_blocks(self) -> int:
        """The blocks of the launch that are asked for, 0 where nothing is."""
        return self.blocks.value.data if self.blocks is not None else 0

    @property
    def cluster_blocks(self) -> int:
        """The blocks of a cluster, 1 where there are none."""
        return self.cluster.value.data if self.cluster is not None else 1

    def _split(self) -> tuple[int, int]:
        scratch = len(self.body.block.args) - len(self.scratch_bytes)
        return scratch - self.outputs.value.data, scratch

    @property
    def input_buffers(self) -> Sequence[BlockArgument]:
        return self.body.block.args[: self._split()[0]]

    @property
    def output_buffers(self) -> Sequence[BlockArgument]:
        start, end = self._split()
        return self.body.block.args[start:end]

    @property
    def scratch_buffers(self) -> Sequence[BlockArgument]:
        return self.body.block.args[self._split()[1] :]

    def verify_(self) -> None:
        types = self.body.block.arg_types
        if tuple(self.function_type.inputs) != tuple(types):
            raise VerifyException("the types of a kernel differ from those of its arguments")
        if any(not isinstance(t, MemRefType) for t in types):
            raise VerifyException("the arguments of a kernel are buffers")
        if self._split()[0] < 0 or self.outputs.value.data < 1:
            raise VerifyException(
                f"{len(types)} buffers cannot hold {self.outputs.value.data} outputs and "
                f"{len(self.scratch_bytes)} scratch buffers; a kernel has at least one output"
            )
        threads = self.block_threads
        if self.threads is not None and (threads < 1 or threads % WARP_LANES):
            raise VerifyException(
                f"threads = {threads} should be a positive multiple of {WARP_LANES}"
            )
        if self.cluster_blocks < 1:
            raise VerifyException(f"cluster = {self.cluster_blocks} should be at least 1")
        if self.blocks is not None and (
            self.grid_blocks < 1 or self.grid_blocks % self.cluster_blocks
        ):
            raise VerifyException(
                f"blocks = {self.grid_blocks} should be a positive multiple of the cluster's "
                f"{self.cluster_blocks}"
            )
        verify_cooperation(self, self.input_buffers)
        verify_parts(self, self.output_buffers)
        verify_call(self.call, self.input_buffers, self.output_buffers, self.scratch_bytes)
        if not isinstance(self.body.block.last_op, EndOp):
            raise VerifyException("a kernel ends with loop.end")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name, types, _, region, attributes, _, _ = parse_func_op_like(
            parser, reserved_attr_names=("sym_name", "function_type")
        )
        extra = dict(attributes.data) if attributes else {}
        properties = {key: extra.pop(key) for key in _PRINTED if key in extra}
        if "outputs" not in properties:
            parser.raise_error("a kernel says how many of its buffers are outputs")
        return cls.build(
            properties={
                "sym_name": StringAttr(name),
                "function_type": FunctionType.from_lists(types, []),
                **properties,
            },
            attributes=extra,
            regions=[region],
        )

    def print(self, printer: Printer) -> None:
        shown = {key: self.properties[key] for key in _PRINTED if key in self.properties}
        if not self.scratch_bytes:
            del shown["scratch"]
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            {**shown, **self.attributes},
            reserved_attr_names=("sym_name", "function_type"),
        )
