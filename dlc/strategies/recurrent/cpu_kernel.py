"""What a ``recurrent`` kernel on a CPU has in memory: packed weights, states."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.contraction import gemm
from dlc.core.affine import Interval
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.graph.structure import Array
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import LoadOp, StoreOp
from dlc.ir.tensor import compute_type, element_type
from dlc.lowering.job import Job
from dlc.lowering.packing import Packing
from dlc.lowering.product import Product, points, split
from dlc.lowering.tile_scope import open_loop
from dlc.strategies.contract.register_tile import RegisterTile
from dlc.strategies.recurrent.cell import Cell, Part
from dlc.strategies.recurrent.cell_scope import CellScope
from dlc.strategies.recurrent.cpu_pitch import pitch
from dlc.strategies.recurrent.cpu_schedule import RecurrentOnCpu

Exprs = Sequence[AffineExpr]


@dataclass
class Weights:
    """The packed columns of one product that units add up, ``[unit block][part][k][unit]``."""

    buffer: SSAValue
    parts: list[Part]


@dataclass
class Kernel:
    """states: the buffer of each, ``[turn][sequence][unit]``. Those that products read have two
    turns, so that nobody writes what others still read. given: the buffer of each value that a
    phase gives the next one, ``[turn][sequence][unit]`` with one turn. kept: the sums of parts that
    later phases read, too, ``[sequence][unit]``, whose units are padded to whole vectors.
    """

    job: Job
    cell: Cell
    schedule: RecurrentOnCpu
    scope: CellScope = field(init=False)
    states: list[SSAValue] = field(default_factory=list[SSAValue])
    given: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    kept: dict[Part, SSAValue] = field(default_factory=dict[Part, SSAValue])
    weights: list[Weights] = field(default_factory=list[Weights])

    def __post_init__(self) -> None:
        self.scope = CellScope(self.job.builder, self.job.buffers)
        self.loop = self.cell.loop
        self.tile: RegisterTile = self.schedule.register_tile(self.cell.sequences)
        self.cores = LoopMap.CORES if self.schedule.cores else LoopMap.SERIAL
        for product in dict.fromkeys(part.product for part in self.cell.parts):
            parts = [part for part in self.cell.parts if part.product is product]
            self.weights.append(Weights(self._packed(product, parts), parts))
        self.scope.buffers = dict(self.job.buffers)
        for number, initial in enumerate(self.loop.initial):
            turns = 2 if number in self.cell.exchanged else 1
            sizes = [turns, self.cell.sequences, pitch(self.cell.units, element_type(initial))]
            self.states.append(self.job.add_scratch(MemRefType(element_type(initial), sizes)))
        for phase in self.cell.phases[1:]:
            for factor in phase.factors:
                type = element_type(factor)
                sizes = [1, self.cell.sequences, pitch(self.cell.units, type)]
                self.given[factor] = self.job.add_scratch(MemRefType(type, sizes))
        lanes = self.tile.lanes
        sums = [self.cell.sequences, -(-self.cell.units // lanes) * lanes]
        for phase in self.cell.phases:
            for part in self.cell.kept(phase):
                type = MemRefType(compute_type(self.cell.exchanged_type), sums)
                self.kept[part] = self.job.add_scratch(type)

    def turn(self, state: int, odd: int) -> AffineExpr:
        """Return where a state stands before a step, by whether that is odd."""
        return AffineExpr.constant(odd if state in self.cell.exchanged else 0)

    def factor(self, value: SSAValue, odd: int) -> tuple[SSAValue, AffineExpr]:
        """Return the buffer of a factor, and where it stands there in a step."""
        if value in self.given:
            return self.given[value], AffineExpr.constant(0)
        state = list[SSAValue](self.cell.states).index(value)
        return self.states[state], self.turn(state, odd)

    def each_cell(self, write: Callable[[Exprs], None]) -> None:
        """Write loops over all sequences and units."""

        def write_row(row: AffineExpr) -> None:
            open_loop(self.scope, self.cell.units, LoopMap.VECTOR, lambda unit: write([row, unit]))

        open_loop(self.scope, self.cell.sequences, LoopMap.SERIAL, write_row)

    def store(self, value: SSAValue, buffer: SSAValue, at: Exprs) -> None:
        """Write a store of one element."""
        flat, values = self.scope.resolve(at)
        self.scope.b.builder.insert(StoreOp(value, buffer, flat, values))

    def load(self, buffer: SSAValue, at: Exprs) -> SSAValue:
        """Write a load of one element."""
        flat, values = self.scope.resolve(at)
        return self.scope.b.insert(LoadOp(buffer, flat, values))

    def _packed(self, product: ContractionOp, parts: list[Part]) -> SSAValue:
        """Return the columns of a product as tiles read them."""
        this, units, columns = Product(product, gemm(product)), self.cell.units, self.tile.columns
        inner = product.operands[1]
        outside = dict[SSAValue, SSAValue](zip(self.cell.shared, self.loop.shared, strict=True))
        outer = outside.get(inner)
        blocks, firsts = -(-units // columns), [part.first for part in parts]
        sizes = blocks, len(parts), units, columns
        packing = Packing(this, points(this.gemm.n))

        def pack(rhs: Array) -> Array:
            whole = packing.pack(rhs)[0, 0]
            own = np.stack([whole[:, first : first + units] for first in firsts])
            padded = np.zeros((len(parts), units, blocks * columns), rhs.dtype)
            padded[:, :, :units] = own
            return padded.reshape(len(parts), units, blocks, columns).transpose(2, 0, 1, 3)

        if outer is not None and outer in self.job.weights and packing.is_permutation:
            return self.job.repack(outer, sizes, pack)
        return self._pack_here(this, firsts, sizes)

    def _pack_here(
        self, product: Product, firsts: Sequence[int], sizes: tuple[int, int, int, int]
    ) -> SSAValue:
        """Write the packing of a factor that is no weight; units behind the last are that one."""
        rhs, scope = product.op.operands[1], self.scope
        for inner, outer in zip(self.cell.shared, self.loop.shared, strict=True):
            if outer in self.job.buffers:
                scope.buffers[inner] = self.job.buffers[outer]
        packed = self.job.add_scratch(MemRefType(compute_type(element_type(rhs)), sizes))
        blocks, _, depth, columns = sizes

        def write(number: int, first: int, outer: AffineExpr) -> None:
            block, k = outer // depth, outer % depth

            def write_row(column: AffineExpr) -> None:
                unit = scope.b.minimum(
                    scope.index_value(block * columns + column),
                    scope.index_value(AffineExpr.constant(self.cell.units - 1)),
                )
                n = scope.dim(unit, Interval(0, self.cell.units - 1)) + first
                at = [*split(n, product.gemm.n), *split(k, product.gemm.k)]
                value = scope.read(rhs, product.rhs_index(product.dims(at)))
                self.store(value, packed, [block, AffineExpr.constant(number), k, column])

            open_loop(scope, columns, LoopMap.VECTOR, write_row)

        for number, first in enumerate(firsts):
            open_loop(
                scope, blocks * depth, self.cores, lambda at, n=number, f=first: write(n, f, at)
            )
        return packed
