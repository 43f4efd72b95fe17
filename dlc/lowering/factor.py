"""A factor of a product: which of its elements a tile holds, and which way the tile lies.

A tile is *lines* of neighbouring elements: rows of the product with the reduction along the line,
or slices of the reduction with rows along the line, whichever the factor has next to each other in
memory.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from xdsl.builder import Builder
from xdsl.dialects.builtin import IndexType, MemRefType, UnitAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint

from dlc.analysis.contraction import GemmLoop
from dlc.analysis.factor_copy import mapped_bytes, source
from dlc.analysis.staged_copy import COPY_BYTES, computed_elements, copy_elements
from dlc.analysis.tensor_stage import is_box
from dlc.arch.matrix_descriptor import ROW_BYTES, TRANSPOSED_BYTES, fits_lines
from dlc.core.affine import linear_index, simplify, stride
from dlc.core.task_map import TaskMap, repeat, spatial
from dlc.dialects.gpu import CvtTf32Op
from dlc.dialects.gpu.alloc import SwizzleAttr
from dlc.dialects.graph.computed import apply_map
from dlc.dialects.loop import AllocOp, ForOp, StageOp, TaskMapAttr, YieldOp
from dlc.errors import CompileError
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_bytes, element_type, shape
from dlc.lowering.joined_branches import join_branches
from dlc.lowering.product import At, Product, points, split
from dlc.lowering.scope import LoopScope

_LONGEST = max(ROW_BYTES)


@dataclass(frozen=True)
class Staged:
    """A buffer for a tile and what brings it.

    along_k: whether lines are along the reduction. bytes: of a copy; 0 where there are none.
    """

    alloc: AllocOp
    stage: StageOp
    along_k: bool
    bytes: int

    def insert(self, scope: LoopScope, name: str, loop: ForOp | None = None) -> None:
        """Insert what brings the tile; its buffer before the loop, if there is one."""
        self.alloc.buffer.name_hint = name
        if loop is None:
            scope.b.builder.insert(self.alloc)
        else:
            Builder(InsertPoint.before(loop)).insert(self.alloc)
        scope.b.builder.insert(self.stage)


@dataclass(frozen=True)
class Factor:
    """One factor of a product.

    number: 0 for the lhs (rows are M), 1 for the rhs (rows are N). batch: the values of the batch
    loops. first_row: the first row of the block's tile. rows: of the tile. depth: of a slice of one
    product; of the lhs, a tile has those of all products beside each other. threads: of the block.
    is_whole: whether all slices are within the reduction. order: from a row of the staged tile, and
    whether its lines are along the reduction, to the row of the block's tile. in_place: whether
    instructions read the tile where it is in shared memory: then it lies in swizzled rows of bytes,
    and its lines are along the reduction unless its elements have 16 bits. rounds: whether elements
    are rounded to tf32 on the way. tensor: whether tensor copies bring the tile, where it is a box
    of a tensor.
    """

    scope: LoopScope
    product: Product
    number: int
    batch: At
    first_row: AffineExpr
    rows: int
    depth: int
    threads: int
    is_whole: bool
    order: Callable[[AffineExpr, bool], AffineExpr]
    in_place: bool = False
    rounds: bool = False
    tensor: bool = False

    @property
    def value(self) -> SSAValue:
        """The tensor."""
        return self.product.op.operands[self.number]

    @property
    def loops(self) -> Sequence[GemmLoop]:
        """The loops of the rows."""
        gemm = self.product.gemm
        return gemm.n if self.number else gemm.m

    def stage(self, first: AffineExpr) -> "Staged":
        """Return the tile of the slice from ``first`` on; its ops are not inserted yet.

        The way round is the one that copies more at a time.
        """
        if self.in_place and not self._may_lie_along_rows:
            return self._lines(True, first)
        along_k = self._is_along(self.product.gemm.k) or not self._is_along(self.loops)
        best = self._lines(along_k, first)
        if best.bytes < COPY_BYTES[0] and self._source is not None:
            other = self._lines(not along_k, first)
            best, worse = (other, best) if other.bytes > best.bytes else (best, other)
            worse.stage.erase()
            worse.alloc.erase()
        return best

    def _lines(self, along_k: bool, first: AffineExpr) -> "Staged":
        length = self.depth * (1 if self.number else points(self.product.gemm.beside))
        sizes = (self.rows, length) if along_k else (length, self.rows)
        element, alloc = element_type(self.value), self._alloc(sizes)
        block = Block(arg_types=[IndexType(), IndexType()])
        block.args[0].name_hint, block.args[1].name_hint = "line", "place"
        with self.scope.region(block, sizes) as (line, place):
            row, k = (line, place) if along_k else (place, line)
            row = self.first_row + self.order(row, along_k)
            element_value = self._element(row, first + k % self.depth, k // self.depth)
            self.scope.b.builder.insert(YieldOp(join_branches(element_value)))
        stage = StageOp((alloc.buffer, (), ()), repeat(*sizes), Region(block))
        copied = copy_elements(stage, sizes[1])
        together = copied or computed_elements(stage)
        stage.map = TaskMapAttr(copy_map(sizes, together, self.threads))
        if self.tensor and is_box(stage):
            stage.tensor = UnitAttr()
        elif self.tensor and self.number and self._is_mapped(along_k, sizes[1]):
            # Pixels of the lhs may be none, whatever the schedule says: threads bring those.
            raise CompileError(
                "tensor copies cannot bring the rhs in this order: a tile is no box of the "
                "tensor; use interleave = 1, or a smaller tile"
            )
        return Staged(alloc, stage, along_k, copied * element_bytes(element))

    def _is_mapped(self, along_k: bool, length: int) -> bool:
        """Return whether estimates count on tensor copies for lines of ``length`` elements: where
        these cannot bring them, it is an error.
        """
        bytes = mapped_bytes(self.product.op, self.number, self.scope.buffers.__contains__)
        line = min(_LONGEST, length * element_bytes(element_type(self.value)))
        return along_k and bytes > 0 and bytes % line == 0

    def _alloc(self, sizes: tuple[int, int]) -> AllocOp:
        """Return a buffer for a tile; what instructions read lies in groups of short lines."""
        element, space = element_type(self.value), SpaceAttr(Space.SHARED)
        lines, length = sizes
        size = element_bytes(element)
        if not self.in_place:
            swizzled = self.tensor and length * size in ROW_BYTES
            swizzle = SwizzleAttr.of_lines(length * size) if swizzled else None
            return AllocOp(MemRefType(element, sizes, memory_space=space), swizzle)
        swizzle = SwizzleAttr.of_lines(min(length * size, _LONGEST))
        together = _LONGEST // size
        grouped = sizes if length <= together else (length // together, lines, together)
        return AllocOp(MemRefType(element, grouped, memory_space=space), swizzle)

    @property
    def _may_lie_along_rows(self) -> bool:
        """Whether instructions that read a tile in place take it with its lines along the rows."""
        bytes = element_bytes(element_type(self.value))
        row_bytes = self.rows * bytes
        return bytes == TRANSPOSED_BYTES and fits_lines(row_bytes)

    def _element(self, row: AffineExpr, k: AffineExpr, product: AffineExpr) -> SSAValue:
        """Write the element at a row and a place of the reduction; zero where there is none.

        product: which of those beside each other the place belongs to.
        """
        scope, gemm = self.scope, self.product.gemm
        loops = [
            *self.batch,
            *(() if self.number else split(product, gemm.beside)),
            *decoded(scope, row, self._runs(self.loops)),
            *decoded(scope, k, self._runs(gemm.k)),
        ]
        index = apply_map(self.product.op.indexing_maps()[self.number], self.product.dims(loops))

        def read() -> list[SSAValue]:
            value = scope.read(self.value, index, self._guarded)
            return [scope.b.insert(CvtTf32Op(value)) if self.rounds else value]

        inside = self._below(row, prod(loop.size for loop in self.loops))
        if not self.is_whole:
            inside = self._both(inside, self._below(k, gemm.k_size))
        if inside is None:
            return read()[0]
        zero = [scope.b.constant(0, compute_type(element_type(self.value)))]
        return scope.b.branch(inside, read, lambda: zero)[0]

    def _below(self, position: AffineExpr, size: int) -> SSAValue | None:
        """Write whether a position is below ``size``; ``None`` where it always is."""
        high = self.scope.interval(position).high
        if high is not None and high < size:
            return None
        b = self.scope.b
        return b.compare("lt", self.scope.index_value(position), b.constant(size, IndexType()))

    def _both(self, x: SSAValue | None, y: SSAValue | None) -> SSAValue | None:
        return self.scope.b.logical("and", x, y) if x is not None and y is not None else x or y

    # How the factor lies in memory ---------------------------------------------------------------

    @property
    def _guarded(self) -> Sequence[int]:
        """The axes along which an index may be outside."""
        return () if self.number else self.product.op.lhs_guard

    @cached_property
    def _source(self) -> tuple[SSAValue, Sequence[AffineExpr]] | None:
        """The tensor in memory that the elements are read from, and where; ``None`` where they are
        computed.
        """
        map = self.product.op.indexing_maps()[self.number]
        return source(self.value, map.results, self.scope.buffers.__contains__)

    @cached_property
    def _position(self) -> AffineExpr:
        map = self.product.op.indexing_maps()[self.number]
        tensor, index = self._source or (self.value, map.results)
        return simplify(linear_index(index, shape(tensor)), self.product.ranges)

    def _step(self, loop: GemmLoop) -> int | None:
        """Return by how many elements a step of a loop moves; ``None`` where that varies."""
        by = stride(self._position, loop.dim, self.product.ranges)
        return None if by is None else by * loop.step

    def _is_along(self, loops: Sequence[GemmLoop]) -> bool:
        """Return whether neighbours along the innermost loop are neighbours in the tensor."""
        return bool(loops) and loops[-1].step == self._step(loops[-1]) == 1

    def _is_free(self, loop: GemmLoop) -> bool:
        """Return whether no guarded axis depends on a loop."""
        map = self.product.op.indexing_maps()[self.number]
        return all(loop.dim not in map.results[axis].used_dims() for axis in self._guarded)

    def _runs(self, loops: Sequence[GemmLoop]) -> list[list[GemmLoop]]:
        """Return the loops of a nest; neighbours that walk through the tensor as one loop, and
        that no guard looks at, stand together.
        """
        runs: list[list[GemmLoop]] = []
        for loop in loops:
            outer = self._step(runs[-1][-1]) if runs and self._is_free(runs[-1][-1]) else None
            inner = self._step(loop) if self._is_free(loop) else None
            if inner is not None and outer == inner * loop.size:
                runs[-1].append(loop)
            else:
                runs.append([loop])
        return runs


def copy_map(sizes: Sequence[int], chunk: int, threads: int) -> TaskMap:
    """Return who brings a tile of lines: neighbouring threads neighbouring chunks of a line, in
    rounds over the lines.
    """
    lines, chunks = sizes[0], sizes[1] // chunk
    columns = min(chunks, threads)
    rows = min(lines, threads // columns)
    map = spatial(rows, columns)
    rounds = -(-lines // rows), -(-chunks // columns)
    if rounds != (1, 1):
        map = repeat(*rounds) * map
    return map * repeat(1, chunk) if chunk > 1 else map


def decoded(scope: LoopScope, position: AffineExpr, runs: Sequence[Sequence[GemmLoop]]) -> At:
    """Return the values of loops at a position of their nest.

    Each run's own position is computed once, as a value; the loops within are expressions of it.
    """
    if len(runs) < 2:
        return [pair for run in runs for pair in split(position, run)]
    result: list[tuple[GemmLoop, AffineExpr]] = []
    inner = prod(loop.size for run in runs for loop in run)
    for number, run in enumerate(runs):
        size = prod(loop.size for loop in run)
        inner //= size
        at = position // inner if inner > 1 else position
        at = at % size if number else at
        result += split(scope.dim(scope.index_value(at), scope.interval(at)), run)
    return result
