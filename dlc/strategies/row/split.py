"""Rows that are cut in parts, each for another block: where there are too few rows for the chip.

A first kernel writes the accumulators of each part, a second one combines those of a row.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.core.affine import unflatten
from dlc.dialects.graph.computed import Index, ReductionOp
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.memory import LoadOp, StoreOp
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.errors import CompileError
from dlc.ir.tensor import shape
from dlc.lowering.job import Job
from dlc.lowering.scope import LoopScope
from dlc.strategies.row.across import Across
from dlc.strategies.row.along import Along
from dlc.strategies.row.lowering import ZERO, space_of_job
from dlc.strategies.row.teams import Values

WHOLE_THREADS, WHOLE_ROWS = 32, 4
"""Of the second kernel: a warp for each row, some rows of a block."""

Buffers = dict[ReductionOp, list[SSAValue]]


def lower_in_parts(
    job: Job, threads: int, rows: int, vector: int, across: bool, split: int
) -> None:
    """Write both kernels; raises CompileError where a result needs all elements of a row.

    split: parts of a row. The other keys are those of the first kernel.
    """
    space, earlier = space_of_job(job), job.add_earlier()
    if any(shape(value) == space.shape for value, _ in job.outputs):
        raise CompileError(f"split = {split}: a result has all elements of the rows; use split = 1")
    kind = _PartsAcross if across else _PartsAlong
    parts = kind(earlier, space, unasked, threads, rows, vector, split=split)
    given, taken = Buffers(), Buffers()
    for op in reductions(job):
        types = [TensorType(v.type, [parts.count, split]) for v in op.identity(parts.scope.b)]
        pairs = [earlier.hand_over(job, type) for type in types]
        given[op], taken[op] = ([pair[n] for pair in pairs] for n in (0, 1))
    parts.given = given
    parts.write()
    whole = _Whole(job, space, unasked, WHOLE_THREADS, WHOLE_ROWS, 1, split=split)
    whole.taken = taken
    whole.write()


def reductions(job: Job) -> list[ReductionOp]:
    """Return the reductions of a group; raises CompileError where one needs another one."""
    flow = Dataflow(job.group.body.block)
    cluster = Cluster(flow, tuple(flow.ops))
    found = [op for op in cluster.ops if isinstance(op, ReductionOp)]
    if not cluster.after(found).isdisjoint(found):
        raise CompileError(
            "split: a reduction needs what another one gives for the whole row; use split = 1"
        )
    return found


def unasked(scope: LoopScope, op: ReductionOp, index: Index) -> None:
    """Reduce nothing: teams have a reducer of their own."""


@dataclass
class _PartsAcross(Across):
    """The accumulators of parts of rows. given: the buffers that they go to."""

    split: int = 1
    part: AffineExpr = ZERO
    given: Buffers | None = None

    @property
    def all_blocks(self) -> int:
        return self.blocks * self.split

    def write_block(self, block: AffineExpr) -> None:
        # Neighbouring blocks have neighbours in memory.
        self.part, number = unflatten(block, [self.split, self.blocks])
        super().write_block(number)

    def go_through(self, add: Callable[[AffineExpr], None]) -> None:
        whole, rest = divmod(self.steps, self.split)
        if whole:
            self.share_out(whole, lambda number: add(self.part * whole + number))
        if rest:
            last = whole * self.split + self.part
            self.once(lambda: self.scope.where_below(self.part, rest, lambda: add(last)))

    def write_results(self) -> None:
        assert self.given is not None
        for op, buffers in self.given.items():
            self.once(lambda op=op, buffers=buffers: self._write_part(op, buffers))

    def _write_part(self, op: ReductionOp, buffers: Sequence[SSAValue]) -> None:
        def write(row: AffineExpr) -> None:
            at, dims = self.scope.resolve([row, self.part])
            for value, buffer in zip(self.get(op, self.lane), buffers, strict=True):
                self.scope.b.builder.insert(StoreOp(value, buffer, at, dims))

        self.each_row(write)


@dataclass
class _PartsAlong(_PartsAcross):
    """The same of rows whose elements lie side by side."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length % self.vector:
            raise CompileError(f"vector = {self.vector} does not divide rows of {self.length}")

    @property
    def apart(self) -> bool:
        return False

    @property
    def steps(self) -> int:
        return self.length // self.vector

    def add(self, op: ReductionOp, number: AffineExpr) -> None:
        if self.vector == 1:
            self.add_element(op, self.first, number)
        else:
            self.scope.parallel_loop(
                self.vector,
                LoopMap.VECTOR,
                lambda v: self.add_element(op, self.first, number * self.vector + v),
            )


@dataclass
class _Whole(Along):
    """Rows of parts. taken: the accumulators of the parts."""

    split: int = 1
    taken: Buffers | None = None

    def reduce(self, scope: LoopScope, op: ReductionOp, index: Index) -> Values:
        assert self.taken is not None
        start = op.identity(scope.b)
        loop = ForOp(0, self.split, kind=LoopKind.REDUCTION, map=self.map, iter_args=start)
        with scope.loop(loop) as part:
            at, dims = scope.resolve([self.first, part])
            found = [scope.b.insert(LoadOp(buffer, at, dims)) for buffer in self.taken[op]]
            total = op.combine(scope.b, loop.carried_arguments, found)
            scope.b.builder.insert(YieldOp(*total))
        return self.combined(op, loop.results)
