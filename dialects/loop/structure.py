"""Loops, and what their bodies end with."""

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    UnitAttr,
    i64,
)
from xdsl.dialects.utils import (
    parse_assignment,
    print_assignment,
)
from xdsl.ir import Block, BlockArgument, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_operand_def,
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
    IsTerminator,
    Pure,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from dlc.dialects.loop.attributes import (
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
class ForOp(IRDLOperation):
    """Iterations from ``start`` up to, not including, ``stop`` in steps of ``step``.

    ``until``, where it is there, is at most ``stop``, and iterations from it on are left out.
    ``kind`` says what may be assumed about them, ``map`` who runs them; values are carried from one
    to the next by ``iter_args``, in any order where the kind is ``reduction``. ``pipeline``: how
    many slices are in shared memory at a time, for ``loop-pipeline-stages``. ``producers``: so many
    warps do nothing but bring them, for ``loop-assign-roles``; 0 or absent where all threads do.
    ``staggered``: the last product of an iteration, of an asynchronous instruction, is under way in
    the next one: it starts behind the first product there (``dlc/simt/staggered.py``). Such a loop
    has an iteration at least, also with ``until``.
    ``turns``: so many groups of the threads that multiply, each with tiles of its own, take turns.
    ``registers``: those of a thread that multiplies and of one that brings, where they differ.
    ``team``: how many threads run each iteration of a loop over threads, neighbours or, with
    ``apart``, those that leave the same remainder when they are divided by the number of
    iterations; loops over threads inside share out the team. ``straight``: where a thread does
    several iterations, they are written one after the other (``gpu-unroll-rounds``). ``backward``:
    each core goes through its iterations from the last to the first.

    ``%s = loop.for %k = 0 to 8 kind = reduction map = serial iter_args(%a = %z) -> (f32) {...}``
    """

    name = "loop.for"
    DECISIONS: ClassVar = (
        "pipeline",
        "staggered",
        "producers",
        "turns",
        "registers",
        "team",
        "apart",
        "straight",
        "backward",
    )
    start = prop_def(IntegerAttr)
    stop = prop_def(IntegerAttr)
    step = prop_def(IntegerAttr)
    kind = prop_def(KindAttr)
    map = prop_def(MapAttr)
    pipeline = opt_prop_def(IntegerAttr.constr(i64))
    staggered = opt_prop_def(UnitAttr)
    producers = opt_prop_def(IntegerAttr.constr(i64))
    turns = opt_prop_def(IntegerAttr.constr(i64))
    registers = opt_prop_def(DenseArrayBase.constr(i64))
    team = opt_prop_def(IntegerAttr.constr(i64))
    apart = opt_prop_def(UnitAttr)
    straight = opt_prop_def(UnitAttr)
    backward = opt_prop_def(UnitAttr)
    until = opt_operand_def(IndexType)
    iter_args = var_operand_def()
    carried = var_result_def()
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

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
        until: SSAValue | None = None,
    ):
        """body: its block takes the induction variable, then the carried values."""
        types = [value.type for value in iter_args]
        bounds = {"start": start, "stop": stop, "step": step}
        super().__init__(
            operands=[until, iter_args],
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
    def producer_warps(self) -> int:
        """The warps that bring slices and do nothing else; 0 where all threads bring them."""
        return self.producers.value.data if self.producers is not None else 0

    @property
    def team_count(self) -> int:
        """The groups of threads that take turns in multiplying."""
        return self.turns.value.data if self.turns is not None else 1

    @property
    def role_registers(self) -> tuple[int, ...]:
        """The registers of threads that multiply and of threads that bring; empty for the same."""
        return () if self.registers is None else tuple(map(int, self.registers.get_values()))

    @property
    def team_threads(self) -> int | None:
        """The threads of each iteration, where the loop says how many."""
        return None if self.team is None else self.team.value.data

    @property
    def induction(self) -> BlockArgument:
        """The value that counts the iterations, inside the body."""
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
        if self.producer_warps < 0 or (self.producer_warps and self.pipeline is None):
            raise VerifyException(
                f"producers = {self.producer_warps} of a loop with pipeline: a number of warps"
            )
        if self.team_count < 1 or (self.turns is not None and not self.producer_warps):
            raise VerifyException(f"turns = {self.team_count} of a loop with producers, from 1 on")
        counted = self.producer_warps and len(self.role_registers) == 2
        if self.registers is not None and not counted:
            raise VerifyException("registers = [multiplying, bringing] of a loop with producers")
        self._verify_staggered()
        self._verify_workers()

    def _verify_staggered(self) -> None:
        if self.staggered is None:
            return
        fewest = 2 if self.producer_warps else 3
        if self.slots < fewest:
            raise VerifyException(
                f"staggered: pipeline = {self.slots} should be at least {fewest}, as the slice "
                "before is read while one comes"
            )
        if self.team_count > 1:
            raise VerifyException(f"a staggered loop has no turns, and {self.team_count} are given")
        if not self.range:
            raise VerifyException("a staggered loop has an iteration at least")

    def _verify_workers(self) -> None:
        if self.until is not None and self.map.data is not LoopMap.SERIAL:
            raise VerifyException(f"a loop over {self.map.data} has all its iterations")
        if self.team is not None and self.map.data is not LoopMap.THREAD:
            raise VerifyException(f"a loop over {self.map.data} has no teams; one over threads has")
        if self.team is not None and self.team.value.data < 1:
            raise VerifyException(f"team = {self.team.value.data} should be at least 1")
        if self.apart is not None and self.team is None:
            raise VerifyException("apart says how the threads of a team lie, and there is no team")
        if self.straight is not None and self.map.data is not LoopMap.THREAD:
            raise VerifyException(f"straight is for a loop over threads, not over {self.map.data}")
        counts = (self.range.start, self.range.step) == (0, 1) and not self.iter_args
        if self.backward is not None and not (self.map.data is LoopMap.CORES and counts):
            raise VerifyException(
                "backward is for a parallel loop over cores, from 0 in steps of 1"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        induction = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        start = parser.parse_integer()
        parser.parse_keyword("to")
        stop = parser.parse_integer()
        step = parser.parse_integer() if parser.parse_optional_keyword("step") else 1
        until = None
        if parser.parse_optional_keyword("until"):
            until = parser.resolve_operand(parser.parse_unresolved_operand(), IndexType())
        parser.parse_keyword("kind")
        parser.parse_punctuation("=")
        kind = parser.parse_str_enum(LoopKind)
        parser.parse_keyword("map")
        parser.parse_punctuation("=")
        map = parser.parse_str_enum(LoopMap)
        carried, operands = _parse_iter_args(parser)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region([induction.resolve(IndexType()), *carried])
        op = cls(start, stop, step, kind=kind, map=map, iter_args=operands, body=body, until=until)
        extra = dict(attributes.data) if attributes else {}
        for key in cls.DECISIONS:
            if key in extra:
                op.properties[key] = extra.pop(key)
        op.attributes |= extra
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.induction)
        printer.print_string(f" = {self.start.value.data} to {self.stop.value.data}")
        if self.step.value.data != 1:
            printer.print_string(f" step {self.step.value.data}")
        if self.until is not None:
            printer.print_string(" until ")
            printer.print_ssa_value(self.until)
        printer.print_string(f" kind = {self.kind.data.value} map = {self.map.data.value}")
        if self.iter_args:
            pairs = zip(self.carried_arguments, self.iter_args, strict=True)
            printer.print_string(" iter_args(")
            printer.print_list(pairs, lambda pair: print_assignment(printer, *pair))
            printer.print_string(") -> (")
            printer.print_list(self.iter_args.types, printer.print_attribute)
            printer.print_string(")")
        asked = {k: self.properties[k] for k in self.DECISIONS if k in self.properties}
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
