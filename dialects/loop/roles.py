"""Threads of a block that have different tasks at the same time."""

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import DenseArrayBase, IndexType, i64
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_region_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from dlc.arch.fragments import WARP_LANES
from dlc.arch.scope import Scope
from dlc.dialects.loop.structure import YieldOp
from dlc.ir.access import INDEX


@irdl_op_definition
class RolesOp(IRDLOperation):
    """The threads of a block go apart: the first ``threads[0]`` of them run the first region, the
    next ``threads[1]`` the second one, and so on, at the same time.

    It stands in a loop over threads and takes the number of the thread there. A region takes the
    number of the thread in its role. The roles wait for each other by tokens of ``gpu`` alone.
    registers: how many a thread of each role has there; without it all have the same.

    ``loop.roles %t threads [256, 128] registers [232, 40] {^bb0(%n: index): ..}, {^bb0(..): ..}``
    """

    name = "loop.roles"
    thread = operand_def(INDEX)
    threads = prop_def(DenseArrayBase.constr(i64))
    registers = opt_prop_def(DenseArrayBase.constr(i64))
    bodies = var_region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        thread: SSAValue,
        threads: Sequence[int],
        registers: Sequence[int] = (),
        bodies: Sequence[Region] = (),
    ):
        """bodies: each with a block that takes the number of the thread in its role."""
        made = bodies or [Region(Block(arg_types=[IndexType()])) for _ in threads]
        super().__init__(
            operands=[thread],
            properties={
                "threads": DenseArrayBase.from_list(i64, list(threads)),
                "registers": DenseArrayBase.from_list(i64, list(registers)) if registers else None,
            },
            regions=[made],
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """The threads of each role."""
        return tuple(map(int, self.threads.get_values()))

    @property
    def register_counts(self) -> tuple[int, ...]:
        """The registers of a thread of each role; empty where all have the same."""
        return () if self.registers is None else tuple(map(int, self.registers.get_values()))

    def number_of(self, block: Block) -> int:
        """Return the number of the role whose region has a block."""
        return [body.block for body in self.bodies].index(block)

    def verify_(self) -> None:
        if len(self.bodies) != len(self.sizes):
            raise VerifyException(f"{len(self.sizes)} roles have {len(self.bodies)} regions")
        if any(n < 1 or n % WARP_LANES for n in self.sizes):
            raise VerifyException(f"a role has whole warps, not {list(self.sizes)} threads")
        for body in self.bodies:
            if tuple(body.block.arg_types) != (IndexType(),):
                raise VerifyException("a region takes the number of the thread in its role")
            if not isinstance(last := body.block.last_op, YieldOp) or last.arguments:
                raise VerifyException("a region ends with loop.yield of nothing")
        self._verify_registers()

    def _verify_registers(self) -> None:
        if self.registers is None:
            return
        if len(self.register_counts) != len(self.sizes):
            counts = list(self.register_counts)
            raise VerifyException(f"{len(self.sizes)} roles have the registers {counts}")
        group = Scope.WARPGROUP.threads
        if any(n % group for n in self.sizes):
            raise VerifyException(
                f"warpgroups of {group} threads move registers, roles have {list(self.sizes)}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        thread = parser.resolve_operand(parser.parse_unresolved_operand(), IndexType())
        parser.parse_keyword("threads")
        threads = _parse_integers(parser)
        registers = _parse_integers(parser) if parser.parse_optional_keyword("registers") else ()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        bodies = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_region)
        op = cls(thread, threads, registers, bodies)
        op.attributes |= dict(attributes.data) if attributes else {}
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.thread)
        printer.print_string(f" threads {list(self.sizes)}")
        if self.registers is not None:
            printer.print_string(f" registers {list(self.register_counts)}")
        attributes: dict[str, Attribute] = dict(self.attributes)
        printer.print_op_attributes(attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_list(self.bodies, printer.print_region)


def _parse_integers(parser: Parser) -> list[int]:
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
