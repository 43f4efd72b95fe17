"""The program of one thread of a kernel while it is written."""

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.rewriter import InsertPoint

from dlc.core.affine import Interval, Ranges, simplify
from dlc.dialects import gpu
from dlc.dialects.loop.kernel import KernelOp
from dlc.dialects.loop.memory import IndexOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.simt.workers import Workers


class ThreadProgram:
    """Writes what a thread runs, and knows its place among the workers.

    blocks, threads: how many there are. block: the body of the new kernel. values: what the values
    of the old kernel became. at: among whom the code being written is still shared out.
    """

    def __init__(self, kernel: KernelOp, blocks: int, threads: int):
        self.blocks = blocks
        self.threads = threads
        self.block = Block(arg_types=kernel.body.block.arg_types)
        self.b = ScalarBuilder(Builder(InsertPoint.at_end(self.block)))
        self.values = dict[SSAValue, SSAValue](
            zip(kernel.body.block.args, self.block.args, strict=True)
        )
        for old, new in self.values.items():
            new.name_hint = old.name_hint
        self._dims: list[SSAValue] = []
        self._ranges: list[Interval] = []
        self._first = gpu.BlockIdOp()
        self.dim(self.b.insert(self._first), blocks)
        self.thread = self.b.insert(gpu.ThreadIdOp())
        self.dim(self.thread, threads)
        self.at = Workers.of(blocks, threads)

    def dim(self, value: SSAValue, count: int) -> AffineExpr:
        """Return the dim that stands for a value from 0 to ``count - 1``."""
        self._dims.append(value)
        self._ranges.append(Interval(0, count - 1))
        return AffineExpr.dimension(len(self._dims) - 1)

    def index(self, expr: AffineExpr) -> SSAValue:
        """Return an expression of the dims as an index value."""
        expr = simplify(expr, Ranges(self._ranges))
        match expr:
            case AffineConstantExpr():
                return self.constant(expr.value)
            case AffineDimExpr():
                return self._dims[expr.position]
            case _:
                return self.b.insert(IndexOp(expr, self._dims))

    def constant(self, number: int) -> SSAValue:
        """Return a number as an index value."""
        return self.b.constant(number, IndexType())

    def shared_buffer(
        self, type: MemRefType[Attribute], swizzle: gpu.SwizzleAttr | None = None
    ) -> gpu.SharedAllocOp:
        """Allocate a shared buffer before all else, so that all code of the block can use it."""
        new = gpu.SharedAllocOp(type)
        new.swizzle = swizzle
        self.block.insert_op_before(new, self._first)
        return new

    @contextmanager
    def writing(self, block: Block) -> Generator[None]:
        """Write at the end of another block."""
        with self.writing_at(InsertPoint.at_end(block)):
            yield

    @contextmanager
    def writing_at(self, point: InsertPoint) -> Generator[None]:
        """Write at another place."""
        builder = self.b.builder
        before = builder.insertion_point
        builder.insertion_point = point
        yield
        builder.insertion_point = before

    @contextmanager
    def where(self, condition: SSAValue) -> Generator[None]:
        """Write code for the threads for which an ``i1`` holds."""
        taken = scf.IfOp(condition, [], Region(Block()))
        self.b.builder.insert(taken)
        with self.writing(taken.true_region.block):
            yield
            self.b.builder.insert(scf.YieldOp())
