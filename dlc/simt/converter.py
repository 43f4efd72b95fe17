"""A kernel of mapped loops as the program of one thread.

Loops over workers become the positions of the thread; other loops stay, as ``scf.for``. Everything
that is not of the ``loop`` level's structure is copied as it is.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.rewriter import InsertPoint

from dlc.core.affine import Interval, Ranges, simplify
from dlc.core.locations import operation_text
from dlc.dialects import gpu
from dlc.dialects.loop.attributes import CombineScope, LoopMap
from dlc.dialects.loop.memory import AllocOp, IndexOp, StoreOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.dialects.loop.stage import TileOp
from dlc.dialects.loop.structure import CombineOp, EndOp, ForOp, KernelOp, YieldOp
from dlc.errors import CompileError
from dlc.ir.space import Space, buffer_type, space_of
from dlc.simt.combine import Parts, combine_over_block, combine_over_warp
from dlc.simt.workers import WARP_LANES, WORKERS, Position, Workers, extent, threads_of

UNROLLED = (LoopMap.UNROLL, LoopMap.VECTOR)
"""Mappings of loops that one thread runs without a loop."""


class SimtConverter:
    """Converts one kernel; ``convert`` returns the new one.

    thread_limit: the most threads that a block can have.
    """

    def __init__(self, kernel: KernelOp, thread_limit: int):
        self.kernel = kernel
        self.blocks = extent(kernel.body.block, LoopMap.GRID)
        self.threads = kernel.block_threads or threads_of(kernel.body.block, thread_limit)
        self.block = Block(arg_types=kernel.body.block.arg_types)
        self.b = ScalarBuilder(Builder(InsertPoint.at_end(self.block)))
        self.values: dict[SSAValue, SSAValue] = {}
        self.dims: list[SSAValue] = []
        self.ranges: list[Interval] = []
        self.at = Workers.of(self.blocks, self.threads)

    def convert(self) -> gpu.KernelOp:
        """Return the kernel at the ``gpu`` level; raises CompileError for a loop it cannot map."""
        for old, new in zip(self.kernel.body.block.args, self.block.args, strict=True):
            new.name_hint = old.name_hint
            self.values[old] = new
        self._dim(self.b.insert(gpu.BlockIdOp()), self.blocks)
        self._dim(self.b.insert(gpu.ThreadIdOp()), self.threads)
        self.convert_ops(self.kernel.body.block)
        self.b.builder.insert(gpu.EndOp())
        kernel = gpu.KernelOp(
            self.kernel.sym_name.data,
            Region(self.block),
            grid=[self.blocks],
            block=[self.threads],
            outputs=self.kernel.outputs.value.data,
            scratch=self.kernel.scratch_bytes,
        )
        kernel.attributes.update(self.kernel.attributes)
        kernel.location = self.kernel.location
        return kernel

    # Positions -----------------------------------------------------------------------------------

    def _dim(self, value: SSAValue, count: int) -> AffineExpr:
        self.dims.append(value)
        self.ranges.append(Interval(0, count - 1))
        return AffineExpr.dimension(len(self.dims) - 1)

    def _index(self, expr: AffineExpr) -> SSAValue:
        """Return an expression of the dims as an index value."""
        expr = simplify(expr, Ranges(self.ranges))
        match expr:
            case AffineConstantExpr():
                return self.b.constant(expr.value, IndexType())
            case AffineDimExpr():
                return self.dims[expr.position]
            case _:
                return self.b.insert(IndexOp(expr, self.dims))

    @contextmanager
    def _writing(self, block: Block) -> Generator[None]:
        builder = self.b.builder
        before = builder.insertion_point
        builder.insertion_point = InsertPoint.at_end(block)
        yield
        builder.insertion_point = before

    @contextmanager
    def _where(self, condition: SSAValue) -> Generator[None]:
        """Write code for the threads for which an ``i1`` holds."""
        taken = scf.IfOp(condition, [], Region(Block()))
        self.b.builder.insert(taken)
        with self._writing(taken.true_region.block):
            yield
            self.b.builder.insert(scf.YieldOp())

    # Operations ----------------------------------------------------------------------------------

    def convert_ops(self, block: Block) -> None:
        """Write all operations of a block but the end of a loop or kernel."""
        for op in block.ops:
            match op:
                case ForOp():
                    self._loop(op)
                case StoreOp():
                    self._store(op)
                case AllocOp():
                    self._alloc(op)
                case CombineOp():
                    self._combine(op)
                case TileOp():
                    raise CompileError(
                        "is for all threads together; give each its part with loop-assign-stages "
                        "and loop-select-instruction first",
                        at=operation_text(op),
                    )
                case YieldOp() | EndOp():
                    pass  # what holds the block writes its end
                case _:
                    self._copy(op)

    def _copy(self, op: Operation) -> None:
        """Copy an operation; what it contains is converted."""
        new = op.clone_without_regions(self.values)
        self.b.builder.insert(new)
        for old_region, new_region in zip(op.regions, new.regions, strict=True):
            for old in old_region.blocks:
                block = Block(arg_types=old.arg_types)
                new_region.add_block(block)
                self.values.update(zip(old.args, block.args, strict=True))
                with self._writing(block):
                    self.convert_ops(old)

    def _store(self, op: StoreOp) -> None:
        """Copy a store; where no loop shares it out, one thread of the block does it."""
        idle = self.at.idle(space_of(op.buffer))
        if not idle:
            self._copy(op)
            return
        zero = self.b.constant(0, IndexType())
        condition = self.b.constant(True, i1)
        for expr in idle:
            mine = self.b.compare("eq", self._index(expr), zero)
            condition = self.b.logical("and", condition, mine)
        with self._where(condition):
            self._copy(op)

    def _alloc(self, op: AllocOp) -> None:
        type = buffer_type(op.buffer)
        match space_of(type):
            case Space.SHARED:
                new = gpu.SharedAllocOp(type)
                self.block.insert_op_before(new, self.dims[0].owner)  # pyright: ignore[reportArgumentType]
            case Space.REGISTER:
                new = gpu.RegisterAllocOp(type)
                self.b.builder.insert(new)
            case Space.GLOBAL:
                raise CompileError(
                    "a kernel cannot allocate global memory; ask for scratch", at=operation_text(op)
                )
        new.location = op.location
        self.values[op.buffer] = new.output

    def _combine(self, op: CombineOp) -> None:
        parts = [self.values[v] for v in op.parts]

        def combine(left: Parts, right: Parts) -> Parts:
            body = op.body.block
            self.values.update(zip(body.args, [*left, *right], strict=True))
            self.convert_ops(body)
            assert isinstance(body.last_op, YieldOp)
            return [self.values[v] for v in body.last_op.arguments]

        if op.over.data is CombineScope.WARP:
            totals = combine_over_warp(self.b, parts, combine, WARP_LANES)
        else:
            totals = combine_over_block(
                self.b, parts, combine, self.dims[1], self.threads, self.block
            )
        self.values.update(zip(op.totals, totals, strict=True))

    # Loops ---------------------------------------------------------------------------------------

    def _loop(self, op: ForOp) -> None:
        map = op.map.data
        if map in WORKERS:
            self._worker_loop(op)
        elif map is LoopMap.CORES:
            raise CompileError(
                "a loop over cores is for a CPU; schedule the group with threads",
                at=operation_text(op),
            )
        elif len(op.range) == 1:
            self._only_iteration(op)
        else:
            bounds = [self.b.constant(n, IndexType()) for n in _bounds(op)]
            self._serial_loop(op, bounds, lambda i: i, unroll=map in UNROLLED)

    def _serial_loop(
        self,
        op: ForOp,
        bounds: Sequence[SSAValue],
        induction: Callable[[SSAValue], SSAValue],
        unroll: bool = False,
    ) -> None:
        """Write a loop of one thread; ``induction`` gives the old variable from the new one."""
        initial = [self.values[v] for v in op.iter_args]
        body = Block(arg_types=[IndexType(), *(v.type for v in initial)])
        low, high, step = bounds
        loop = scf.ForOp(low, high, step, initial, Region(body))
        loop.location = op.location
        if unroll:
            gpu.UNROLL.mark(loop)
        self.b.builder.insert(loop)
        with self._writing(body):
            self.values[op.induction] = induction(body.args[0])
            self.values.update(zip(op.carried_arguments, body.args[1:], strict=True))
            self.convert_ops(op.body.block)
            assert isinstance(op.body.block.last_op, YieldOp)
            yielded = [self.values[v] for v in op.body.block.last_op.arguments]
            self.b.builder.insert(scf.YieldOp(*yielded))
        self.values.update(zip(op.carried, loop.results, strict=True))

    def _only_iteration(self, op: ForOp) -> None:
        self.values[op.induction] = self.b.constant(op.range.start, IndexType())
        initial = [self.values[v] for v in op.iter_args]
        self.values.update(zip(op.carried_arguments, initial, strict=True))
        self.convert_ops(op.body.block)
        assert isinstance(op.body.block.last_op, YieldOp)
        yielded = [self.values[v] for v in op.body.block.last_op.arguments]
        self.values.update(zip(op.carried, yielded, strict=True))

    def _worker_loop(self, op: ForOp) -> None:
        """Give each worker its iteration: none to some if there are more workers than iterations,
        several in rounds if there are fewer.
        """
        map = op.map.data
        if map not in self.at.positions:
            raise CompileError(
                f"the loops over {map} are nested in loops that have used all of them",
                at=operation_text(op),
            )
        inner = extent(op.body.block, map)
        total = len(op.range) * inner
        position, count = self.at.positions[map]
        if op.iter_args or total > count:
            self._rounds(op, inner, total)
            return
        if total == count:
            self._iteration(op, position, inner)
            return
        _check_all_reach(op, total, count)
        size = self.b.constant(total, IndexType())
        with self._where(self.b.compare("lt", self._index(position), size)):
            self._iteration(op, position, inner)

    def _iteration(self, op: ForOp, position: AffineExpr, inner: int) -> None:
        """Write the body for the worker at ``position``; loops within it share out ``inner``."""
        map, outside = op.map.data, self.at
        self.at = outside.inside(map, Position(position % inner, inner))
        self.values[op.induction] = self._induction(op, position, inner)
        self.convert_ops(op.body.block)
        self.at = outside

    def _induction(self, op: ForOp, position: AffineExpr, inner: int) -> SSAValue:
        return self._index((position // inner) * op.range.step + op.range.start)

    def _rounds(self, op: ForOp, inner: int, total: int) -> None:
        """Write a loop of this worker over its iterations, ``count`` apart."""
        map, outside = op.map.data, self.at
        position, count = outside.positions[map]
        _check_all_reach(op, total, count)
        bounds = [
            self._index(position),
            self.b.constant(total, IndexType()),
            self.b.constant(count, IndexType()),
        ]

        def induction(value: SSAValue) -> SSAValue:
            at = self._dim(value, total)
            self.at = outside.inside(map, Position(at % inner, inner))
            return self._induction(op, at, inner)

        self._serial_loop(op, bounds, induction)
        self.at = outside


def _bounds(op: ForOp) -> tuple[int, int, int]:
    return op.range.start, op.range.stop, op.range.step


def _check_all_reach(op: ForOp, total: int, count: int) -> None:
    """Raise CompileError when a combination is in a loop that not all of its threads go through.

    Blocks do not meet; whole warps go through a loop over warps, or over a multiple of 32 threads.
    """
    map = op.map.data
    whole_warps = map is LoopMap.WARP or (map is LoopMap.THREAD and total % WARP_LANES == 0)
    for inner in op.body.walk():
        if not isinstance(inner, CombineOp) or map is LoopMap.GRID:
            continue
        if inner.over.data is CombineScope.BLOCK or not whole_warps:
            raise CompileError(
                f"a combination over a {inner.over.data} is inside a loop of {total} iterations "
                f"over the {map} numbers 0 to {count - 1}, which not all of them reach",
                at=operation_text(inner),
            )
