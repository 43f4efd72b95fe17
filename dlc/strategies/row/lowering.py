"""The loops of ``row``: each reduction is done once per row, by those who share the row.

A row is the points of a tensor along the reduced axes.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir.affine import AffineExpr

from dlc.analysis.role import RowSpace, row_space
from dlc.core.affine import unflatten
from dlc.dialects.graph.computed import ReductionOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.errors import CompileError
from dlc.ir.tensor import shape
from dlc.lowering.axes import Output, store_elements
from dlc.lowering.job import Job
from dlc.lowering.lanes import reduce_row
from dlc.lowering.scope import LoopScope, Reducer

ZERO = AffineExpr.constant(0)


def lower_on_cores(job: Job, cores: bool) -> None:
    """Write the nest over rows for a CPU, one core per row; raises CompileError where there is no
    row reduction. cores: whether several are used.
    """
    map = LoopMap.CORES if cores else LoopMap.SERIAL
    rows = RowsOnCores(job, space_of_job(job), reduce_row)
    rows.scope.parallel_loop(rows.count, map, rows.write)


def space_of_job(job: Job) -> RowSpace:
    """Return the rows of a group; raises CompileError where there is no row reduction."""
    spaces = {row_space(op) for op in job.group.body.block.ops if isinstance(op, ReductionOp)}
    space = spaces.pop() if len(spaces) == 1 else None
    if space is None:
        raise CompileError("strategy row needs reductions over the same axes of one shape")
    return space


@dataclass
class Rows(ABC):
    """The rows of a group. reducer: how a row is reduced."""

    job: Job
    space: RowSpace
    reducer: Reducer

    def __post_init__(self) -> None:
        self.axes = sorted(self.space.axes)
        self.outer = self.space.squeezed
        self.inner = [self.space.shape[a] for a in self.axes]
        self.count, self.length = prod(self.outer), prod(self.inner)
        self.scope = LoopScope(self.job.builder, self.job.buffers, self.reducer)

    def element(self, row: AffineExpr, position: AffineExpr) -> list[AffineExpr]:
        """Return the index of the element at a position of a row."""
        outer = unflatten(row, self.outer)
        inner = dict(zip(self.axes, unflatten(position, self.inner), strict=True))
        rest = iter(outer)
        return [inner[a] if a in inner else next(rest) for a in range(len(self.space.shape))]

    def reduced(self, row: AffineExpr, sizes: Sequence[int]) -> list[AffineExpr]:
        """Return the index of what a row is reduced to, in a tensor of some sizes."""
        if tuple(sizes) == self.outer:
            return unflatten(row, self.outer)
        rest, zero = iter(unflatten(row, self.outer)), AffineExpr.constant(0)
        return [zero if a in self.axes else next(rest) for a in range(len(self.space.shape))]

    def write_results(self) -> None:
        """Write all results of the rows; reductions are written when they are first read."""
        for output in self.job.outputs:
            sizes = shape(output[0])
            if sizes == self.space.shape:
                self.write_elements(lambda row, at, o=output: self.store_element(o, row, at))
            elif sizes in (self.space.reduced, self.space.squeezed):
                self.write_reduced(
                    lambda row, o=output, n=sizes: store_elements(
                        self.scope, [o], self.reduced(row, n)
                    )
                )
            else:
                raise CompileError(
                    f"a result of shape {list(sizes)} is neither a row's elements nor one per row"
                )

    def store_element(self, output: Output, row: AffineExpr, position: AffineExpr) -> None:
        """Write an element of a result at a position of a row, and its store."""
        store_elements(self.scope, [output], self.element(row, position))

    @abstractmethod
    def write_elements(self, store: Callable[[AffineExpr, AffineExpr], None]) -> None:
        """Write a result that has all elements; ``store`` writes one, of a row at a position."""

    @abstractmethod
    def write_reduced(self, store: Callable[[AffineExpr], None]) -> None:
        """Write a result with an element for each row, which ``store`` writes."""


@dataclass
class RowsOnCores(Rows):
    """A core does a row."""

    row: AffineExpr = ZERO

    def write(self, row: AffineExpr) -> None:
        """Write the results of one row."""
        self.row = row
        self.write_results()

    def write_elements(self, store: Callable[[AffineExpr, AffineExpr], None]) -> None:
        self.scope.parallel_loop(self.length, LoopMap.VECTOR, lambda at: store(self.row, at))

    def write_reduced(self, store: Callable[[AffineExpr], None]) -> None:
        store(self.row)
