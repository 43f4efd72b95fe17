"""A factor's tile in shared memory, and the copies that bring it there slice by slice.

A tile is *lines* of neighbouring elements: rows of the product with the reduction along the line,
or slices of the reduction with rows along the line, whichever the factor has next to each other in
memory. Threads take chunks of a line, round by round.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.contraction import GemmLoop
from dlc.core.affine import linear_index, stride
from dlc.dialects import gpu
from dlc.dialects._space import Space, SpaceAttr
from dlc.dialects._tensor import compute_type, element_bytes, element_type, shape
from dlc.dialects.graph._structure import apply_map
from dlc.dialects.loop._attributes import LoopMap
from dlc.dialects.loop._memory import AllocOp, StoreOp
from dlc.lowering._product import At, Product, split
from dlc.lowering._scope import LoopScope
from dlc.lowering._tile_scope import open_loop

COPY_BYTES = (16, 8, 4)
"""What one asynchronous copy moves, widest first (PTX ISA, "cp.async")."""
UNROLLED_ROUNDS = 16
"""Up to this many rounds a thread keeps the positions of its chunks in registers."""


@dataclass(frozen=True)
class Factor:
    """One factor of a product.

    number: 0 for the lhs (rows are M), 1 for the rhs (rows are N). guarded: the axes along which
    an index may be outside the tensor.
    """

    product: Product
    number: int
    buffer: SSAValue | None

    @property
    def value(self) -> SSAValue:
        """The tensor."""
        return self.product.op.operands[self.number]

    @property
    def rows(self) -> Sequence[GemmLoop]:
        """The loops of the rows."""
        gemm = self.product.gemm
        return gemm.n if self.number else gemm.m

    @property
    def guarded(self) -> Sequence[int]:
        """The axes along which an index may be outside."""
        return () if self.number else self.product.op.lhs_guard

    def index(self, at: At) -> list[AffineExpr]:
        """Return the index of the element at values of the loops."""
        dims = self.product.dims(at)
        return apply_map(self.product.op.indexing_maps()[self.number], dims)

    def step(self, loop: GemmLoop) -> int | None:
        """Return by how many elements a step of a loop moves; ``None`` where that varies."""
        by = stride(self._position, loop.dim, self.product.ranges)
        return None if by is None else by * loop.step

    def runs(self, loops: Sequence[GemmLoop]) -> list[list[GemmLoop]]:
        """Return the loops of a nest; neighbours that walk through the tensor as one loop, and
        that no guard looks at, stand together.
        """
        runs: list[list[GemmLoop]] = []
        for loop in loops:
            outer = self.step(runs[-1][-1]) if runs and self._is_free(runs[-1][-1]) else None
            inner = self.step(loop) if self._is_free(loop) else None
            if inner is not None and outer == inner * loop.size:
                runs[-1].append(loop)
            else:
                runs.append([loop])
        return runs

    def chunk(self, loops: Sequence[GemmLoop]) -> int:
        """Return how many elements along the innermost loop one copy moves; 0 for no copy."""
        if self.buffer is None:
            return 0
        bytes_each = element_bytes(element_type(self.value))
        counts = [n // bytes_each for n in COPY_BYTES if n >= bytes_each]
        return next((n for n in counts if n == 1 or self._is_run(loops, n)), 0)

    def is_along(self, loops: Sequence[GemmLoop]) -> bool:
        """Return whether neighbours along the innermost loop are neighbours in the tensor."""
        return bool(loops) and loops[-1].step == self.step(loops[-1]) == 1

    def _is_run(self, loops: Sequence[GemmLoop], count: int) -> bool:
        """Return whether each ``count`` elements along the innermost loop stand together, at a
        multiple of ``count``, and are inside the tensor together.
        """
        if not self.is_along(loops) or not self._is_free(loops[-1]):
            return False
        gemm = self.product.gemm
        others = [x for x in (*gemm.batch, *self.rows, *gemm.k) if x is not loops[-1]]
        steps = [self.step(x) for x in others]
        start = self._position.eval([0] * gemm.dim_count, [])
        return all(n is not None and n % count == 0 for n in (loops[-1].size, start, *steps))

    @property
    def _position(self) -> AffineExpr:
        map = self.product.op.indexing_maps()[self.number]
        return linear_index(map.results, shape(self.value))

    def _is_free(self, loop: GemmLoop) -> bool:
        """Return whether no guarded axis depends on a loop."""
        map = self.product.op.indexing_maps()[self.number]
        guarded = [map.results[a] for a in self.guarded]
        return all(loop.dim not in expr.used_dims() for expr in guarded)


@dataclass
class Staged:
    """The tiles of a factor: ``stages`` of ``rows`` x ``depth`` elements.

    batch: the values of the batch loops. first_row: the first row of the block's tile. whole:
    whether the slices are all within the reduction. along_k: whether the lines are along it.
    is_copied: whether asynchronous copies bring the tile; else it goes through registers.
    """

    scope: LoopScope
    factor: Factor
    batch: At
    first_row: AffineExpr
    rows: int
    depth: int
    stages: int
    threads: int
    thread: AffineExpr
    whole: bool
    along_k: bool = field(init=False)
    chunk: int = field(init=False)
    is_copied: bool = field(init=False)
    buffer: SSAValue = field(init=False)

    def __post_init__(self) -> None:
        gemm = self.factor.product.gemm
        by_depth, by_rows = (self.factor.chunk(loops) for loops in (gemm.k, self.factor.rows))
        if by_depth == by_rows:
            self.along_k = self.factor.is_along(gemm.k) or not self.factor.is_along(
                self.factor.rows
            )
        else:
            self.along_k = by_depth > by_rows
        self.is_copied = max(by_depth, by_rows) > 0
        self.chunk = max(by_depth, by_rows, 1)
        self.lines, self.length = (
            (self.rows, self.depth) if self.along_k else (self.depth, self.rows)
        )
        while self.length % self.chunk:
            self.chunk //= 2
        self.is_copied = self.is_copied and self.chunk * self.element_bytes >= COPY_BYTES[-1]
        self.chunks_per_line = self.length // self.chunk
        self.chunks = self.lines * self.chunks_per_line
        whole_lines = self.threads % self.chunks_per_line == 0 and self.chunks % self.threads == 0
        self.rounds = -(-self.chunks // self.threads)
        self.is_unrolled = whole_lines and self.rounds <= UNROLLED_ROUNDS and self.is_copied
        self.group = self.lines // self.rounds if self.is_unrolled else self.lines
        self.buffer = self._allocate()
        self._places = self._hoisted() if self.is_unrolled else []

    @property
    def element_bytes(self) -> int:
        """The bytes of one element."""
        return element_bytes(element_type(self.factor.value))

    def index(self, stage: AffineExpr, row: AffineExpr, k: AffineExpr) -> list[AffineExpr]:
        """Return the index in the shared buffer of an element of the tile."""
        line, at = (row, k) if self.along_k else (k, row)
        return [stage, line // self.group, line % self.group, at]

    def fill(self, stage: AffineExpr, slice: AffineExpr) -> None:
        """Write the copies of slice number ``slice`` of the reduction into a stage."""
        if self.is_unrolled:
            depth = None
            for line, at, rows, inside in self._places:
                k = slice * self.depth + (at if self.along_k else line)
                if depth is None or not self.along_k:
                    depth = self._decoded(k, self.factor.product.gemm.k)
                self._copy(stage, line, at, [*rows, *depth], self._and(inside, self._below_k(k)))
        else:
            self._fill_in_rounds(stage, slice)

    # Set-up --------------------------------------------------------------------------------------

    def _allocate(self) -> SSAValue:
        sizes = [self.stages, self.lines // self.group, self.group, self.length]
        element = element_type(self.factor.value)
        type = MemRefType(element, sizes, memory_space=SpaceAttr(Space.SHARED))
        return self.scope.b.insert(AllocOp(type))

    def _chunk_at(self, number: AffineExpr) -> tuple[AffineExpr, AffineExpr]:
        """Return the line of a chunk and the place of its first element in the line."""
        return number // self.chunks_per_line, (number % self.chunks_per_line) * self.chunk

    def _hoisted(self) -> list[tuple[AffineExpr, AffineExpr, At, SSAValue | None]]:
        """Compute what does not depend on the slice: each chunk's place, row and whether the row
        exists.
        """
        places: list[tuple[AffineExpr, AffineExpr, At, SSAValue | None]] = []
        for number in range(self.rounds):
            line, at = self._chunk_at(self.thread + number * self.threads)
            row = self.first_row + (line if self.along_k else at)
            if number and not self.along_k:
                rows, inside = places[0][2:]
            else:
                rows, inside = self._decoded(row, self.factor.rows), self._below_rows(row)
            places.append((line, at, rows, inside))
        return places

    def _decoded(self, position: AffineExpr, loops: Sequence[GemmLoop]) -> At:
        """Return the loops' values at a position of their nest, divided out only where they do not
        walk through the tensor as one.
        """
        return decoded(self.scope, position, self.factor.runs(loops))

    # Conditions ----------------------------------------------------------------------------------

    def _below_rows(self, row: AffineExpr) -> SSAValue | None:
        return self._below(row, prod(loop.size for loop in self.factor.rows))

    def _below_k(self, k: AffineExpr) -> SSAValue | None:
        size = self.factor.product.gemm.k_size
        return None if self.whole else self._below(k, size)

    def _below(self, position: AffineExpr, size: int) -> SSAValue | None:
        return below(self.scope, position, size)

    def _and(self, *conditions: SSAValue | None) -> SSAValue | None:
        result: SSAValue | None = None
        for condition in conditions:
            if condition is not None:
                both = result is not None
                result = self.scope.b.logical("and", result, condition) if both else condition  # pyright: ignore
        return result

    def _guard(self, index: Sequence[AffineExpr]) -> SSAValue | None:
        sizes = shape(self.factor.value)
        axes = [a for a in self.factor.guarded if not self.scope.is_inside(index[a], sizes[a])]
        return self.scope.inside(index, sizes, axes) if axes else None

    # Copies --------------------------------------------------------------------------------------

    def _copy(
        self,
        stage: AffineExpr,
        line: AffineExpr,
        at: AffineExpr,
        loops: At,
        inside: SSAValue | None,
    ) -> None:
        index = self.factor.index([*self.batch, *loops])
        inside = self._and(inside, self._guard(index))
        place = [stage, line // self.group, line % self.group, at]
        if self.is_copied:
            assert self.factor.buffer is not None
            source, values = self.scope.resolve(index)
            target, _ = self.scope.resolve(place)
            self.scope.b.builder.insert(
                gpu.CpAsyncOp(
                    (self.factor.buffer, source, values),
                    (self.buffer, target, values),
                    self.chunk * self.element_bytes,
                    inside,
                )
            )
            return
        value = self._element(index, inside)
        target, values = self.scope.resolve(place)
        self.scope.b.builder.insert(StoreOp(value, self.buffer, target, values))

    def _element(self, index: Sequence[AffineExpr], inside: SSAValue | None) -> SSAValue:
        """Write an element that a thread brings itself; zero where it is not inside."""
        scope = self.scope
        if inside is None:
            return scope.read(self.factor.value, index)
        zero = scope.b.constant(0, compute_type(element_type(self.factor.value)))
        read = scope.b.branch(
            inside, lambda: [scope.read(self.factor.value, index)], lambda: [zero]
        )
        return read[0]

    def _fill_in_rounds(self, stage: AffineExpr, slice: AffineExpr) -> None:
        whole = self.chunks % self.threads == 0

        def write_chunk(number: AffineExpr) -> None:
            line, at = self._chunk_at(number)
            row, k = (line, at) if self.along_k else (at, line)
            row, k = self.first_row + row, slice * self.depth + k
            loops = [
                *self._decoded(row, self.factor.rows),
                *self._decoded(k, self.factor.product.gemm.k),
            ]
            inside = self._and(self._below_rows(row), self._below_k(k))
            self._copy(stage, line, at, loops, inside)

        def write_round(round: AffineExpr) -> None:
            number = round * self.threads + self.thread
            if whole:
                write_chunk(number)
            else:
                self.scope.where_below(number, self.chunks, lambda: write_chunk(number))

        together = next(n for n in (8, 4, 2, 1) if self.rounds % n == 0)
        open_loop(
            self.scope,
            self.rounds // together,
            LoopMap.SERIAL,
            lambda outer: open_loop(
                self.scope,
                together,
                LoopMap.UNROLL,
                lambda inner: write_round(outer * together + inner),
            ),
        )


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


def below(scope: LoopScope, position: AffineExpr, size: int) -> SSAValue | None:
    """Write whether a position is below ``size``; ``None`` where it always is."""
    high = scope.interval(position).high
    if high is not None and high < size:
        return None
    return scope.b.compare("lt", scope.index_value(position), scope.b.constant(size, IndexType()))
