"""How a tile lies in the registers of a block: which thread holds which element."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import MemRefLayoutAttr
from xdsl.ir import Data, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dlc.arch import instructions
from dlc.arch.instruction import Instruction
from dlc.arch.scope import Scope
from dlc.core.task_map import TaskMap, repeat
from dlc.dialects.loop.task_map import parse_task_map
from dlc.ir.space import buffer_type


@dataclass(frozen=True)
class Spread:
    """The layout of a tile of sums.

    instruction: the name of what adds to it. map: from the groups of threads that do it together (a
    thread, a warp, a warpgroup) to the parts of the tile that one instruction adds to; inside a
    part the elements lie as the instruction has them. interleave: panels beside each other whose
    columns take turns, so that a thread's are neighbours; 1 for panels that stand side by side.
    teams: neighbouring groups of threads that each have all that the map gives to one: a lhs again,
    or sums of their own part of the reduction.
    """

    instruction: str
    map: TaskMap
    interleave: int = 1
    teams: int = 1

    def __str__(self) -> str:
        more = f", interleave = {self.interleave}" if self.interleave > 1 else ""
        more += f", teams = {self.teams}" if self.teams > 1 else ""
        return f'instruction = "{self.instruction}", map = {self.map}{more}'

    @property
    def row(self) -> Instruction:
        """The instruction, for some types of factors; raises VerifyException if there is none."""
        rows = instructions.named(self.instruction)
        if not rows:
            known = ", ".join(instructions.names())
            raise VerifyException(
                f"there is no instruction {self.instruction!r}; there are: {known}"
            )
        return rows[0]

    @property
    def threads(self) -> int:
        """The threads that hold the tile."""
        return self.map.workers * self.teams * self.row.scope.threads

    @property
    def rows(self) -> tuple[object, ...]:
        """Which group of threads has which rows: equal for tiles whose rows lie alike."""
        return self.row.scope, self.row.m, *((f.kind, f.shape[0]) for f in self.map.factors)

    @property
    def columns(self) -> int:
        """The columns of the tile."""
        return self.map.shape[1] * self.row.n

    @property
    def beside(self) -> int:
        """The groups of threads beside each other, which have parts of the same rows."""
        return prod(f.shape[1] for f in self.map.factors if f.kind == "spatial")

    @property
    def below(self) -> int:
        """The groups of threads below each other, which have parts of the same columns."""
        return prod(f.shape[0] for f in self.map.factors if f.kind == "spatial")

    @property
    def held(self) -> int:
        """The neighbouring columns of a part that one thread holds."""
        place = self.row.c.place
        return 1 if place is None else place.pack

    @property
    def run(self) -> int:
        """The neighbouring columns of the tile that one thread holds."""
        return self.held * self.interleave

    @property
    def _panel(self) -> int:
        """The columns over which lanes stand beside each other: of an instruction that they do
        together, or of all where each does it for itself.
        """
        return self.row.n // self.row.panels * self._lanes

    @property
    def _lanes(self) -> int:
        """The lanes beside each other that stand over neighbouring instructions."""
        last = self.map.factors[-1]
        return last.shape[1] if self.row.c.place is None and last.kind == "spatial" else 1

    @property
    def _beside(self) -> int:
        """The panels of a thread that follow each other in a row."""
        *_, before, last = (*repeat(1, 1).factors, *self.map.factors)
        inner = before if self._lanes > 1 else last
        return self.row.panels * (inner.shape[1] if inner.kind == "repeat" else 1)

    def column(self, number: AffineExpr) -> AffineExpr:
        """Return which column of the tile is column ``number`` of the panels, side by side.

        With 8 columns in a panel, pairs in a thread, and ``interleave = 4``, the first panel has
        the columns 0, 1, 8, 9, 16, 17, 24, 25, the next one 2, 3, 10, 11, ...
        """
        if self.interleave == 1:
            return number
        panel, held, run = self._panel, self.held, self.run
        group = panel * self.interleave
        in_panel, of_group = number % panel // held * run, number % group // panel * held
        return number // group * group + in_panel + of_group + number % held

    def verify(self, shape: Sequence[int]) -> None:
        """Raise VerifyException unless a tile of ``shape`` can lie so."""
        parts, it = self.map.shape, self.row
        if len(parts) != 2 or (parts[0] * it.m, parts[1] * it.n) != tuple(shape):
            raise VerifyException(
                f"{' x '.join(map(str, parts))} instructions of {it.m} x {it.n} do not make "
                f"{' x '.join(map(str, shape))}"
            )
        if self.teams > 1 and it.scope is not Scope.WARP:
            raise VerifyException(
                f"teams = {self.teams} are of warps; {it.name} is not done by one"
            )
        if self.interleave > 1 and self._beside % self.interleave:
            raise VerifyException(
                f"interleave = {self.interleave} needs as many panels of a warp beside each "
                f"other; {self.map} gives it {self._beside}"
            )


@irdl_attr_definition
class SpreadAttr(MemRefLayoutAttr, Data[Spread]):
    """The layout of a tile that is spread over the registers of a block's threads.

    ``#loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(2, 8), interleave =
    4>``: four warps in a square, each with 2 x 8 parts of 16 x 8; the columns of four parts beside
    each other are interleaved, so that a lane holds 8 neighbours.
    """

    name = "loop.spread"

    def get_affine_map(self) -> AffineMap:
        raise TypeError("a tile in registers has no place in linear memory")

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Spread:
        with parser.in_angle_brackets():
            parser.parse_keyword("instruction")
            parser.parse_punctuation("=")
            instruction = parser.parse_str_literal()
            parser.parse_punctuation(",")
            parser.parse_keyword("map")
            parser.parse_punctuation("=")
            map, found = parse_task_map(parser), {"interleave": 1, "teams": 1}
            while parser.parse_optional_punctuation(","):
                name = parser.expect(
                    lambda: (
                        parser.parse_optional_keyword("interleave")
                        or parser.parse_optional_keyword("teams")
                    ),
                    "expected interleave or teams",
                )
                parser.parse_punctuation("=")
                found[name] = parser.parse_integer(allow_negative=False)
                if found[name] < 1:
                    parser.raise_error(f"{name} should be a positive number")
        return Spread(instruction, map, **found)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data}>")


def spread_of(accumulator: SSAValue) -> Spread:
    """Return how a tile lies in registers; raises VerifyException where its type does not say."""
    layout = buffer_type(accumulator).layout
    if not isinstance(layout, SpreadAttr):
        raise VerifyException(
            "the type of an accumulator says how the tile is spread over the threads: "
            "#loop.spread<instruction = .., map = ..>"
        )
    return layout.data
