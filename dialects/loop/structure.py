"""Kernels, loops and combinations across the lanes of a loop."""

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    i64,
)
from xdsl.dialects.utils import (
    parse_assignment,
    parse_func_op_like,
    print_assignment,
    print_func_op_like,
)
from xdsl.ir import Attribute, Block, BlockArgument, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    NoMemoryEffect,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from dlc.arch.fragments import WARP_LANES
from dlc.dialects.loop.attributes import (
    CombineScope,
    CombineScopeAttr,
    KindAttr,
    LoopKind,
    LoopMap,
    MapAttr,
)


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends a region of ``loop`` with its values.

    ``loop.yield %n : f32``
    """

    name = "loop.yield"
    arguments = var_operand_def()
    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "($arguments^ `:` type($arguments))? attr-dict"

    def __init__(self, *values: SSAValue):
        super().__init__(operands=[values])


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
class KernelOp(IRDLOperation):
    """A kernel over buffers: inputs first, then ``outputs`` outputs, then the scratch buffers.

    ``scratch`` has one size in bytes per scratch buffer. Outputs and scratch do not overlap any
    other buffer. ``threads``: of a block of a GPU; without it the loops over threads say it.

    ``loop.kernel @g0(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {...}``
    """

    name = "loop.kernel"
    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    outputs = prop_def(IntegerAttr.constr(i64))
    threads = opt_prop_def(IntegerAttr.constr(i64))
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
        if not isinstance(self.body.block.last_op, EndOp):
            raise VerifyException("a kernel ends with loop.end")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name, types, _, region, attributes, _, _ = parse_func_op_like(
            parser, reserved_attr_names=("sym_name", "function_type")
        )
        extra = dict(attributes.data) if attributes else {}
        known = ("outputs", "scratch", "threads")
        properties = {key: extra.pop(key) for key in known if key in extra}
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
        shown: dict[str, Attribute] = {"outputs": self.outputs}
        if self.scratch_bytes:
            shown["scratch"] = self.scratch
        if self.threads is not None:
            shown["threads"] = self.threads
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            {**shown, **self.attributes},
            reserved_attr_names=("sym_name", "function_type"),
        )


@irdl_op_definition
class ForOp(IRDLOperation):
    """Iterations from ``start`` up to, not including, ``stop`` in steps of ``step``.

    ``kind`` says what may be assumed about them, ``map`` who runs them; values are carried from one
    to the next by ``iter_args``, in any order where the kind is ``reduction``. ``pipeline``: how
    many slices are in shared memory at a time, for ``loop-pipeline-stages``.

    ``%s = loop.for %k = 0 to 8 kind = reduction map = serial iter_args(%a = %z) -> (f32) {...}``
    """

    name = "loop.for"
    start = prop_def(IntegerAttr)
    stop = prop_def(IntegerAttr)
    step = prop_def(IntegerAttr)
    kind = prop_def(KindAttr)
    map = prop_def(MapAttr)
    pipeline = opt_prop_def(IntegerAttr.constr(i64))
    iter_args = var_operand_def()
    carried = var_result_def()
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        start: int,
        stop: int,
        step: int = 1,
        *,
        kind: LoopKind,
        map: LoopMap = LoopMap.SERIAL,
        iter_args: Sequence[SSAValue] = (),
        body: Region | None = None,
    ):
        """body: its block takes the induction variable, then the carried values."""
        types = [value.type for value in iter_args]
        bounds = {"start": start, "stop": stop, "step": step}
        super().__init__(
            operands=[iter_args],
            properties={
                **{key: IntegerAttr(value, i64) for key, value in bounds.items()},
                "kind": KindAttr(kind),
                "map": MapAttr(map),
            },
            result_types=[types],
            regions=[body or Region(Block(arg_types=[IndexType(), *types]))],
        )

    @property
    def range(self) -> range:
        """The values that the induction variable takes."""
        return range(self.start.value.data, self.stop.value.data, self.step.value.data)

    @property
    def slots(self) -> int:
        """How many slices are in shared memory at a time."""
        return self.pipeline.value.data if self.pipeline is not None else 1

    @property
    def induction(self) -> BlockArgument:
        return self.body.block.args[0]

    @property
    def carried_arguments(self) -> Sequence[BlockArgument]:
        """The carried values inside the body."""
        return self.body.block.args[1:]

    def verify_(self) -> None:
        if self.step.value.data < 1:
            raise VerifyException(f"a loop steps up, not by {self.step.value.data}")
        types = tuple(self.iter_args.types)
        if tuple(self.body.block.arg_types) != (IndexType(), *types):
            raise VerifyException("the body takes the index, then one argument per carried value")
        last = self.body.block.last_op
        if not isinstance(last, YieldOp) or tuple(last.arguments.types) != types:
            raise VerifyException("the body ends with loop.yield of the carried values")
        if types and self.kind.data is LoopKind.PARALLEL:
            raise VerifyException("a parallel loop carries no value; make it a reduction")
        if self.slots < 1:
            raise VerifyException(f"pipeline = {self.slots} should be at least 1")
        if self.pipeline is not None and self.map.data is not LoopMap.SERIAL:
            raise VerifyException(f"a loop over {self.map.data} is not pipelined; a serial one is")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        induction = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        start = parser.parse_integer()
        parser.parse_keyword("to")
        stop = parser.parse_integer()
        step = parser.parse_integer() if parser.parse_optional_keyword("step") else 1
        parser.parse_keyword("kind")
        parser.parse_punctuation("=")
        kind = parser.parse_str_enum(LoopKind)
        parser.parse_keyword("map")
        parser.parse_punctuation("=")
        map = parser.parse_str_enum(LoopMap)
        carried, operands = _parse_iter_args(parser)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region([induction.resolve(IndexType()), *carried])
        op = cls(start, stop, step, kind=kind, map=map, iter_args=operands, body=body)
        extra = dict(attributes.data) if attributes else {}
        if "pipeline" in extra:
            op.properties["pipeline"] = extra.pop("pipeline")
        op.attributes |= extra
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.induction)
        printer.print_string(f" = {self.start.value.data} to {self.stop.value.data}")
        if self.step.value.data != 1:
            printer.print_string(f" step {self.step.value.data}")
        printer.print_string(f" kind = {self.kind.data.value} map = {self.map.data.value}")
        if self.iter_args:
            pairs = zip(self.carried_arguments, self.iter_args, strict=True)
            printer.print_string(" iter_args(")
            printer.print_list(pairs, lambda pair: print_assignment(printer, *pair))
            printer.print_string(") -> (")
            printer.print_list(self.iter_args.types, printer.print_attribute)
            printer.print_string(")")
        asked = {"pipeline": self.pipeline} if self.pipeline is not None else {}
        printer.print_op_attributes({**asked, **self.attributes}, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


def _parse_iter_args(parser: Parser) -> tuple[list[Parser.Argument], list[SSAValue]]:
    if not parser.parse_optional_keyword("iter_args"):
        return [], []
    position = parser.pos
    pairs = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parse_assignment(parser)
    )
    parser.parse_punctuation("->")
    types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    values = parser.resolve_operands([operand for _, operand in pairs], types, position)
    arguments = [a.resolve(t) for (a, _), t in zip(pairs, types, strict=True)]
    return arguments, list(values)


@irdl_op_definition
class CombineOp(IRDLOperation):
    """The combination of the values that all lanes of a warp or block hold; every lane gets it.

    The region combines two lanes' values and is associative and commutative. All lanes reach it.

    ``%t = loop.combine %p over warp : f32 { ^bb0(%l: f32, %r: f32): ... loop.yield %m : f32 }``
    """

    name = "loop.combine"
    parts = var_operand_def()
    over = prop_def(CombineScopeAttr)
    totals = var_result_def()
    body = region_def("single_block")
    traits = traits_def(NoMemoryEffect())

    def __init__(self, parts: Sequence[SSAValue], over: CombineScope, body: Region | None = None):
        """body: its block takes the values of one lane, then those of another."""
        types = [value.type for value in parts]
        super().__init__(
            operands=[parts],
            properties={"over": CombineScopeAttr(over)},
            result_types=[types],
            regions=[body or Region(Block(arg_types=[*types, *types]))],
        )

    def verify_(self) -> None:
        types = tuple(self.parts.types)
        if tuple(self.totals.types) != types:
            raise VerifyException("a combination has the types of its parts")
        if tuple(self.body.block.arg_types) != types + types:
            raise VerifyException("the body takes the values of two lanes")
        last = self.body.block.last_op
        if not isinstance(last, YieldOp) or tuple(last.arguments.types) != types:
            raise VerifyException("the body ends with loop.yield of the combined values")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        position = parser.pos
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        parser.parse_keyword("over")
        over = parser.parse_str_enum(CombineScope)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parts = parser.resolve_operands(operands, types, position)
        op = cls(list(parts), over, parser.parse_region())
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.parts, printer.print_ssa_value)
        printer.print_string(f" over {self.over.data.value}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list(self.parts.types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(self.body)
