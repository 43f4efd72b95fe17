"""Teams of threads that do rows: a block has some rows, and a team of its threads does each.

Neighbouring threads have neighbouring elements of one row (``along.py``), or the same element of
neighbouring rows (``across.py``): as the tensor lies.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType, IntegerAttr, UnitAttr, i64
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint

from dlc.core.affine import extent
from dlc.dialects.graph.computed import Index, ReductionOp
from dlc.dialects.loop.attributes import CombineScope, LoopKind, LoopMap
from dlc.dialects.loop.combination import CombineOp
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.lowering.scope import LoopScope
from dlc.lowering.straight import mark_straight
from dlc.strategies.row.lowering import ZERO, Rows

Values = Sequence[SSAValue]


@dataclass
class TeamRows(Rows):
    """Rows of a block, each for a team of its threads.

    A *unit* is what a team does at a time: a row, or as many as a vector has; it does some of them
    one after the other, in turns. first: the first row of a unit. team: the number of the team in
    its block. turn: which of its units.
    """

    threads: int
    rows: int
    vector: int
    turns: int = 1
    first: AffineExpr = ZERO
    team: AffineExpr = ZERO
    turn: AffineExpr = ZERO

    def __post_init__(self) -> None:
        super().__post_init__()
        self.scope = LoopScope(self.job.builder, self.job.buffers, self.reduce)
        self.map = LoopMap.THREAD if self.threads > 1 else LoopMap.SERIAL

    @property
    def apart(self) -> bool:
        """Whether the threads of a team lie apart, so that neighbours have neighbouring rows."""
        return False

    @property
    def unit(self) -> int:
        """The rows of a team."""
        return self.vector if self.apart else 1

    @property
    def is_eager(self) -> bool:
        """Whether reductions are written before anything reads them."""
        return False

    @abstractmethod
    def reduce(self, scope: LoopScope, op: ReductionOp, index: Index) -> Values | None:
        """Write a reduction, or find what it was reduced to; a ``Reducer``."""

    @abstractmethod
    def prepare(self, op: ReductionOp) -> None:
        """Write a reduction of the rows of a team, so that it is there for a condition."""

    def write(self) -> None:
        """Write the loops over rows."""
        self.job.threads = self.threads * self.teams
        grid = ForOp(0, self.all_blocks, kind=LoopKind.PARALLEL, map=LoopMap.GRID)
        with self.scope.loop(grid, stay=self.is_eager) as block:
            self.write_block(block)
            self.scope.b.builder.insert(YieldOp())

    @property
    def teams(self) -> int:
        """The teams of a block."""
        return self.rows // self.unit // self.turns

    @property
    def blocks(self) -> int:
        """The blocks that all rows take."""
        return -(-self.count // self.unit // (self.teams * self.turns))

    @property
    def all_blocks(self) -> int:
        """The blocks of the kernel."""
        return self.blocks

    def write_block(self, block: AffineExpr) -> None:
        """Write the results of the rows of a block."""
        if self.teams == 1:
            self._write_turns(block)
            self._mark_rounds(self.scope.b.builder.insertion_point.block)
            return
        loop = ForOp(0, self.teams, kind=LoopKind.PARALLEL, map=LoopMap.THREAD)
        loop.team = IntegerAttr(self.threads, i64)
        loop.apart = UnitAttr() if self.apart else None
        with self.scope.loop(loop, stay=True) as self.team:
            self._write_turns(block * self.teams + self.team)
            self.scope.b.builder.insert(YieldOp())
        self._mark_rounds(loop.body.block)

    def _write_turns(self, team: AffineExpr) -> None:
        """Write the results of the units of a team, by its number among all."""
        if self.turns == 1:
            self._write_unit(team)
            return
        self.bring_shared()
        with self.scope.loop(ForOp(0, self.turns, kind=LoopKind.PARALLEL), stay=True) as self.turn:
            self._write_unit(team * self.turns + self.turn)
            self.scope.b.builder.insert(YieldOp())

    def _mark_rounds(self, block: Block) -> None:
        """Mark the loops that the threads of a team share out."""
        for loop in block.walk():
            if isinstance(loop, ForOp) and loop.map.data is LoopMap.THREAD:
                mark_straight(loop, self.threads, self.vector)

    def _write_unit(self, number: AffineExpr) -> None:
        """Write the results of a unit; a team that has none does the last one, and stores nothing:
        all threads of a block come to what its teams exchange.
        """
        scope, last = self.scope, self.scope.interval(number).high
        units = self.count // self.unit
        if last is not None and last < units:
            self.first = number * self.unit
            self.bring()
            self._prepare_all(conditional=False)
            self.write_results()
            return
        end = scope.b.constant(units - 1, IndexType())
        value = scope.b.minimum(scope.index_value(number), end)
        self.first = scope.dim(value, extent(units)) * self.unit
        self.bring()
        self._prepare_all(conditional=True)
        self.write_present(number, units)

    def write_present(self, number: AffineExpr, units: int) -> None:
        """Write the results of a unit if it is one of all; else, it has what the last one has."""
        self.scope.where_below(number, units, self.write_results)

    # Not abstract, like the next: most teams read rows where they are.
    def bring_shared(self) -> None:
        """Write what brings nearer what the turns of a team have in common."""

    def bring(self) -> None:
        """Write what brings the rows of a unit nearer."""

    def _prepare_all(self, conditional: bool) -> None:
        for op in self.job.group.body.block.ops:
            if isinstance(op, ReductionOp) and (conditional or self.is_eager):
                self.prepare(op)

    def combined(self, op: ReductionOp, parts: Values) -> Values:
        """Write the combination of all threads' accumulators; every thread gets it.

        parts: of one row after the other.
        """
        if self.threads == 1 and self.sharers is not CombineScope.CLUSTER:
            return parts
        types = [part.type for part in parts]
        block = Block(arg_types=[*types, *types])
        combination = CombineOp(parts, self.sharers, Region(block))
        b = self.scope.b
        b.builder.insert(combination)
        before = b.builder.insertion_point
        b.builder.insertion_point = InsertPoint.at_end(block)
        left, right = block.args[: len(parts)], block.args[len(parts) :]
        each = len(parts) // self.unit
        found = [
            value
            for at in range(0, len(parts), each)
            for value in op.combine(b, left[at : at + each], right[at : at + each])
        ]
        b.builder.insert(YieldOp(*found))
        b.builder.insertion_point = before
        return combination.totals

    @property
    def sharers(self) -> CombineScope:
        """Who shares a row."""
        return CombineScope.BLOCK if self.teams == 1 else CombineScope.TEAM

    def once(self, write: Callable[[], None]) -> None:
        """Write what one thread of a team does."""
        if self.threads == 1:
            write()
        else:
            self.scope.parallel_loop(1, LoopMap.THREAD, lambda _: write())
