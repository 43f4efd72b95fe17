"""Finishes the elements of a tile: what the ops after a reduction make of it, and the stores."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.epilogue import Place, epilogue
from dlc.dialects.graph.computed import ComputedOp, Index, ReductionOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import LoadOp, StoreOp
from dlc.lowering.job import Job
from dlc.lowering.scope import LoopScope


class TileScope(LoopScope):
    """A scope for kernels that compute the tensor ``root`` by tiles.

    While ``store`` runs, an element of the root is what ``load`` says, whatever the index.
    Raises NotFusibleError when the ops of the group need more than one element of the root, other
    than totals of its rows.

    held: the tensor that the tile has: the root, or what was put in its place. totals: the buffers
    with those that are known, for the rows of the tile.
    """

    def __init__(self, job: Job, root: SSAValue):
        super().__init__(job.builder, job.buffers, self._total)
        self.root = root
        self.outputs = job.outputs
        body = job.group.body.block.ops
        ops = [op for op in body if isinstance(op, ComputedOp) and not op.is_view]
        after = ops[ops.index(root.owner) :] if isinstance(root.owner, ComputedOp) else ops
        self.places, self.rows = epilogue(root, after)
        self.held = root
        self.totals: dict[ReductionOp, SSAValue] = {}
        self._row: AffineExpr | None = None
        self._loads: dict[SSAValue, Callable[[], SSAValue]] = {}

    def read(
        self, operand: SSAValue, index: Index, guard: Sequence[int] = (), fill: float = 0.0
    ) -> SSAValue:
        if operand in self._loads:
            return self._loads[operand]()
        return super().read(operand, index, guard, fill)

    def store(self, index: Index, load: Callable[[], SSAValue]) -> None:
        """Store the results that come from the root's element at ``index``.

        load: writes the code that gives the element of what is held.
        """
        with self.holding(load):
            for value, buffer in self.outputs:
                self._store(value, buffer, self.places[value], index)

    @contextmanager
    def holding(self, load: Callable[[], SSAValue]) -> Generator[None]:
        """Write what is computed from the element of the held tensor that ``load`` gives."""
        self._loads[self.held] = load
        yield
        del self._loads[self.held]

    @contextmanager
    def in_row(self, row: AffineExpr) -> Generator[None]:
        """Write what is about elements of a row of the tile, of that number."""
        self._row = row
        yield
        self._row = None

    def _total(self, scope: LoopScope, op: ReductionOp, index: Index) -> Sequence[SSAValue] | None:
        """Return the total of the row that is written; ``None`` for any other reduction."""
        if op not in self.totals or self._row is None:
            return None
        flat, values = self.resolve([self._row])
        return [self.b.insert(LoadOp(self.totals[op], flat, values))]

    def read_from(
        self, value: SSAValue, index: Index, source: SSAValue, element: SSAValue
    ) -> SSAValue:
        """Return the element of ``value`` at an index, which is computed from ``element`` of
        ``source``, whatever the index of that.
        """
        self._loads[source] = lambda: element
        found = self.read(value, index)
        del self._loads[source]
        return found

    def _store(self, value: SSAValue, buffer: SSAValue, place: Place, index: Index) -> None:
        at = _substituted(place.index, index)

        def write() -> None:
            element = self.read(value, at)
            flat, values = self.resolve(at)
            self.b.builder.insert(StoreOp(element, buffer, flat, values))

        if place.conditions:
            positions = _substituted([e for e, _ in place.conditions], index)
            self.where_inside(positions, [size for _, size in place.conditions], write)
        else:
            write()


def open_loop(
    scope: LoopScope, size: int, map: LoopMap, write: Callable[[AffineExpr], None]
) -> None:
    """Open a parallel loop, or none for a single iteration."""
    if size == 1:
        write(AffineExpr.constant(0))
    else:
        scope.parallel_loop(size, map, write)


def _substituted(exprs: Sequence[AffineExpr], dims: Index) -> list[AffineExpr]:
    return [e.replace_dims_and_symbols(dims, ()) for e in exprs]
