"""The loops of a kernel in the program of one thread.

A loop over workers becomes the iteration of this thread's worker, with a condition where there are
more workers than iterations, or a loop over its iterations where there are fewer. Any other loop
stays, as ``scf.for``.
"""

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.core.annotation import Annotation
from dlc.core.locations import operation_text
from dlc.dialects.gpu.unroll import STRAIGHT, UNROLL
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.combination import CombiningOp
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.errors import CompileError
from dlc.ir.formation import Formation
from dlc.simt.thread_program import ThreadProgram
from dlc.simt.workers import WARP_LANES, WORKERS, Position, extent

_UNROLLED = (LoopMap.UNROLL, LoopMap.VECTOR)
"""Mappings of loops that one thread runs without a loop."""


class LoopConverter:
    """Writes loops to a program; ``convert_ops`` writes what a body contains."""

    def __init__(self, program: ThreadProgram, convert_ops: Callable[[Block], None]):
        self.program = program
        self.convert_ops = convert_ops

    def convert(self, op: ForOp) -> None:
        """Write a loop; raises CompileError for one that cannot be mapped."""
        map = op.map.data
        if map in WORKERS:
            self._worker_loop(op)
        elif map is LoopMap.CORES:
            raise CompileError(
                "a loop over cores is for a CPU; schedule the group with threads",
                at=operation_text(op),
            )
        elif len(op.range) == 1 and op.until is None:
            self._only_iteration(op)
        else:
            bounds = (op.range.start, op.range.stop, op.range.step)
            values = [self.program.constant(n) for n in bounds]
            if op.until is not None:
                values[1] = self.program.values[op.until]
            mark = UNROLL if map in _UNROLLED else None
            self._serial_loop(op, values, lambda i: i, mark)

    def _body(self, op: ForOp, carried: Sequence[SSAValue]) -> list[SSAValue]:
        """Write the body with the values that it is given; return those that it yields."""
        values = self.program.values
        values.update(zip(op.carried_arguments, carried, strict=True))
        self.convert_ops(op.body.block)
        assert isinstance(op.body.block.last_op, YieldOp)
        return [values[v] for v in op.body.block.last_op.arguments]

    def _only_iteration(self, op: ForOp) -> None:
        values = self.program.values
        values[op.induction] = self.program.constant(op.range.start)
        yielded = self._body(op, [values[v] for v in op.iter_args])
        values.update(zip(op.carried, yielded, strict=True))

    def _serial_loop(
        self,
        op: ForOp,
        bounds: Sequence[SSAValue],
        induction: Callable[[SSAValue], SSAValue],
        mark: Annotation | None,
    ) -> None:
        """Write a loop of one thread; ``induction`` gives the old variable from the new one."""
        program = self.program
        initial = [program.values[v] for v in op.iter_args]
        body = Block(arg_types=[IndexType(), *(v.type for v in initial)])
        low, high, step = bounds
        loop = scf.ForOp(low, high, step, initial, Region(body))
        loop.location = op.location
        if mark:
            mark.mark(loop)
        program.b.builder.insert(loop)
        with program.writing(body):
            program.values[op.induction] = induction(body.args[0])
            program.b.builder.insert(scf.YieldOp(*self._body(op, body.args[1:])))
        program.values.update(zip(op.carried, loop.results, strict=True))

    def _worker_loop(self, op: ForOp) -> None:
        """Give each worker its iteration: none to some if there are more workers than iterations,
        several in rounds if there are fewer.
        """
        map, program = op.map.data, self.program
        if map not in program.at.positions:
            raise CompileError(
                f"the loops over {map} are nested in loops that have used all of them",
                at=operation_text(op),
            )
        inner = op.team_threads or extent(op.body.block, map)
        total = len(op.range) * inner
        position, count = program.at.positions[map]
        if op.team is not None:
            self._teams(op, position, count)
            return
        if op.iter_args or total > count:
            self._rounds(op, inner, total)
            return
        if total == count:
            self._iteration(op, position, inner)
            return
        _check_all_reach(op, total, count)
        with program.where(
            program.b.compare("lt", program.index(position), program.constant(total))
        ):
            self._iteration(op, position, inner)

    def _teams(self, op: ForOp, position: AffineExpr, count: int) -> None:
        """Write the body for the team that the worker at ``position`` is in."""
        program, teams = self.program, len(op.range)
        threads = op.team_threads
        assert threads is not None
        if teams * threads != count or program.at.team:
            raise CompileError(
                f"{teams} teams of {threads} threads are not the {count} threads of a block",
                at=operation_text(op),
            )
        if not Formation(threads, 1 if op.apart is None else teams).is_regular:
            raise CompileError(
                f"teams of {threads} threads among {teams} do not fit warps of {WARP_LANES}; take "
                "powers of two, or multiples of a warp",
                at=operation_text(op),
            )
        own, rest = position // threads, position % threads
        if op.apart is not None:
            own, rest = position % teams, position // teams
        outside = program.at
        team = Formation(threads, 1 if op.apart is None else teams)
        program.at = outside.inside(LoopMap.THREAD, Position(rest, threads)).in_team(team)
        start, step = op.range.start, op.range.step
        program.values[op.induction] = program.index(own * step + start)
        self._body(op, ())
        program.at = outside

    def _iteration(self, op: ForOp, position: AffineExpr, inner: int) -> None:
        """Write the body for the worker at ``position``; loops within it share out ``inner``."""
        outside = self.program.at
        self.program.values[op.induction] = self._induction(op, position, inner)
        self._body(op, ())
        self.program.at = outside

    def _induction(self, op: ForOp, position: AffineExpr, inner: int) -> SSAValue:
        """Return the induction variable of the worker at ``position``, and go inside the loop."""
        program = self.program
        program.at = program.at.inside(op.map.data, Position(position % inner, inner))
        return program.index((position // inner) * op.range.step + op.range.start)

    def _rounds(self, op: ForOp, inner: int, total: int) -> None:
        """Write a loop of this worker over its iterations, ``count`` apart."""
        program = self.program
        outside = program.at
        position, count = outside.positions[op.map.data]
        _check_all_reach(op, total, count)
        bounds = [program.index(position), program.constant(total), program.constant(count)]

        def induction(value: SSAValue) -> SSAValue:
            return self._induction(op, program.dim(value, total), inner)

        self._serial_loop(op, bounds, induction, STRAIGHT if op.straight else None)
        program.at = outside


def _check_all_reach(op: ForOp, total: int, count: int) -> None:
    """Raise CompileError when a combination is in a loop that not all of its threads go through.

    Blocks do not meet.
    """
    map = op.map.data
    for inner in op.body.walk():
        if isinstance(inner, CombiningOp) and map is LoopMap.THREAD:
            raise CompileError(
                f"a combination over a {inner.over.data} is inside a loop of {total} iterations "
                f"over the {map} numbers 0 to {count - 1}, which not all of them reach",
                at=operation_text(inner),
            )
