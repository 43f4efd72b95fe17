"""A thread's part of a tile by fused multiply-adds, one for each element."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import WARP_LANES
from dlc.arch.instruction import Instruction
from dlc.arch.memory import ACCESS_BYTES
from dlc.dialects import gpu
from dlc.dialects.loop import ForOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Accumulator, Columns, Held, Operand, Place


@dataclass
class FmaTile(Accumulator):
    """``down`` x ``across`` elements, wherever the task mapping puts them."""

    @property
    def worker(self) -> AffineExpr:
        return self.warp * WARP_LANES + self.lane

    @property
    def row_lanes(self) -> int:
        return self.spread.map.factors[-1].shape[1]  # lanes are the last workers

    @property
    def beside(self) -> int:
        return self.spread.beside // self.row_lanes

    @property
    def number_beside(self) -> AffineExpr:
        return self.warp % self.beside

    @property
    def sizes(self) -> Sequence[int]:
        return self.down, self.across

    def multiply(
        self, instruction: Instruction, lhs: Operand | Held, rhs: Operand, loop: ForOp | None
    ) -> None:
        assert isinstance(lhs, Operand), "threads hold no factor that they multiply for themselves"
        width = gcd(lhs.depth, max(_width(lhs), _width(rhs)))
        a = _Loaded(self, lhs, width, self.down, self.row)
        b = _Loaded(self, rhs, width, self.across, self._place_of(rhs), self.spread.run)

        def write(step: AffineExpr) -> None:
            a.load(step * width)
            b.load(step * width)
            self.nest([width, *self.sizes], lambda at: self._multiply(a, b, at))

        open_loop(self.scope, lhs.depth // width, LoopMap.UNROLL, write)

    def _place_of(self, rhs: Operand) -> Callable[[AffineExpr], AffineExpr]:
        """Return where a column of this thread is in the staged rhs: lines along the reduction are
        in the order of the lanes.
        """
        return self.column if rhs.along_k else lambda j: self.spread.column(self.column(j))

    def _multiply(self, a: "_Loaded", b: "_Loaded", at: Sequence[AffineExpr]) -> None:
        step, i, j = at
        x, y = (self.load(of.buffer, of.at(n, step)) for of, n in ((a, i), (b, j)))
        total = self.load(self.buffer, [i, j])
        self.store(self.scope.b.fma(x, y, total), self.buffer, [i, j])

    def each_row(self, write: Callable[[AffineExpr, Columns], None]) -> None:
        run = self.spread.run

        def write_row(i: Sequence[AffineExpr]) -> None:
            def columns(finish: Callable[..., None]) -> None:
                def write_run(group: AffineExpr) -> None:
                    first = group * run
                    start = self.spread.column(self.column(first))
                    finish(start, run, lambda number: [*i, first + number])

                open_loop(self.scope, self.across // run, LoopMap.UNROLL, write_run)

            write(self.row(i[0]), columns)

        self.nest([self.down], write_row)


@dataclass
class _Loaded:
    """What a thread has in registers of a factor: ``count`` rows of it, ``width`` steps of the
    reduction. place: of a row in the staged tile. run: rows whose places follow each other.
    """

    sums: FmaTile
    staged: Operand
    width: int
    count: int
    place: Callable[[AffineExpr], AffineExpr]
    run: int = 1

    def __post_init__(self) -> None:
        sizes = (self.count, self.width) if self.staged.along_k else (self.width, self.count)
        self.buffer = self.sums.registers(self.staged.element, sizes)

    def at(self, row: AffineExpr, step: AffineExpr) -> Place:
        """Return the place of an element in the registers."""
        return (row, step) if self.staged.along_k else (step, row)

    def load(self, k: AffineExpr) -> None:
        """Write the loads of the steps from ``k`` on, of what stands together at once."""
        zero = AffineExpr.constant(0)
        if self.staged.along_k:
            self.sums.nest([self.count], lambda at: self._load(at[0], zero, k, self.width))
            return
        run = gcd(self.run, ACCESS_BYTES // self.staged.element_bytes)
        sizes = [self.width, self.count // run]
        self.sums.nest(sizes, lambda at: self._load(at[1] * run, at[0], k, run))

    def _load(self, row: AffineExpr, step: AffineExpr, k: AffineExpr, elements: int) -> None:
        source = self.staged.index(self.place(row), k + step)
        target = self.sums.place(self.buffer, self.at(row, step))
        place = self.sums.place(self.staged.buffer, source)
        self.sums.scope.b.builder.insert(gpu.CopyOp(place, target, elements))


def _width(staged: Operand) -> int:
    """Return how many elements along k stand together."""
    return ACCESS_BYTES // staged.element_bytes if staged.along_k else 1
