"""A kernel of mapped loops as the program of one thread.

Loops over workers become the positions of the thread (``thread_loops.py``). Everything that is not
of the ``loop`` level's structure is copied as it is.
"""

from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i1, i64
from xdsl.ir import Block, Operation, Region

from dlc.core.locations import operation_text
from dlc.dialects import gpu
from dlc.dialects.loop.attributes import CombineScope, LoopMap
from dlc.dialects.loop.barrier import BarrierOp
from dlc.dialects.loop.combination import ArrivalsOp, CombineOp, CombiningOp, MeetOp, PrefixOp
from dlc.dialects.loop.kernel import EndOp, KernelOp
from dlc.dialects.loop.memory import AllocOp, StoreOp
from dlc.dialects.loop.roles import RolesOp
from dlc.dialects.loop.stage import TileOp
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.errors import CompileError
from dlc.ir.formation import Formation
from dlc.ir.space import Space, buffer_type, space_of
from dlc.simt.cluster_start import ClusterStart
from dlc.simt.combine import Combine, Parts, combine_over_team
from dlc.simt.combine_cluster import combine_over_cluster
from dlc.simt.prefix import prefix_over_team
from dlc.simt.stage_barriers import StageBarriers
from dlc.simt.thread_loops import LoopConverter
from dlc.simt.thread_program import ThreadProgram
from dlc.simt.workers import extent, threads_of


class SimtConverter:
    """Converts one kernel; ``convert`` returns the new one.

    thread_limit: the most threads that a block can have. Raises CompileError where the kernel asks
    for more.
    """

    def __init__(self, kernel: KernelOp, thread_limit: int):
        body = kernel.body.block
        threads = kernel.block_threads or threads_of(body, thread_limit)
        if threads > thread_limit:
            raise CompileError(
                f"needs {threads} threads per block, the chip has {thread_limit}; use fewer warps",
                at=operation_text(kernel),
            )
        self.kernel = kernel
        blocks = kernel.grid_blocks or extent(body, LoopMap.GRID)
        self.program = ThreadProgram(kernel, blocks, threads)
        self.b = self.program.b
        self.values = self.program.values
        self.loops = LoopConverter(self.program, self.convert_ops)
        self.cluster = ClusterStart(self.program)
        self.barriers = StageBarriers(self.program, kernel)
        self.moves_registers = False

    def convert(self) -> gpu.KernelOp:
        """Return the kernel at the ``gpu`` level; raises CompileError for a loop it cannot map."""
        self.convert_ops(self.kernel.body.block)
        self.b.builder.insert(gpu.EndOp())
        kernel = gpu.KernelOp(
            self.kernel.sym_name.data,
            Region(self.program.block),
            grid=[self.program.blocks],
            block=[self.program.threads],
            outputs=self.kernel.outputs.value.data,
            scratch=self.kernel.scratch_bytes,
        )
        if self.moves_registers:  # each thread has the most that one block on an SM leaves it
            kernel.resident_blocks = IntegerAttr(1, i64)
        if self.kernel.cluster is not None:
            kernel.cluster = DenseArrayBase.from_list(i64, [self.kernel.cluster_blocks, 1, 1])
        kernel.cooperative, kernel.filled = self.kernel.cooperative, self.kernel.filled
        kernel.parts, kernel.call = self.kernel.parts, self.kernel.call
        kernel.attributes.update(self.kernel.attributes)
        kernel.location = self.kernel.location
        return kernel

    def convert_ops(self, block: Block) -> None:
        """Write all operations of a block but the end of a loop or kernel."""
        for op in block.ops:
            match op:
                case ForOp():
                    self.loops.convert(op)
                case StoreOp():
                    self._store(op)
                case AllocOp():
                    self._alloc(op)
                case CombiningOp() | MeetOp() | BarrierOp():
                    self._together(op)
                case ArrivalsOp():
                    self._arrivals(op)
                case RolesOp():
                    self._roles(op)
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
                with self.program.writing(block):
                    self.convert_ops(old)

    def _roles(self, op: RolesOp, number: int = 0, first: int = 0) -> None:
        """Write the regions of roles from ``number`` on, whose first thread is ``first``: each but
        the last under the condition that the thread is one of its.
        """
        size = op.sizes[number]
        if number == len(op.sizes) - 1:
            self._role(op, number, first)
            return
        branches = Region(Block()), Region(Block())
        mine = self.b.compare("lt", self.values[op.thread], self.program.constant(first + size))
        self.b.builder.insert(scf.IfOp(mine, [], *branches))
        with self.program.writing(branches[0].block):
            self._role(op, number, first)
            self.b.builder.insert(scf.YieldOp())
        with self.program.writing(branches[1].block):
            self._roles(op, number + 1, first + size)
            self.b.builder.insert(scf.YieldOp())

    def _role(self, op: RolesOp, number: int, first: int) -> None:
        if op.registers is not None:
            self.b.builder.insert(gpu.SetRegistersOp(op.register_counts[number]))
            self.moves_registers = True
        body, size = op.bodies[number].block, op.sizes[number]
        thread = self.program.dim(self.values[op.thread], self.program.threads)
        mine = thread % size if first % size == 0 else thread - first  # both are; one is below size
        self.values[body.args[0]] = self.program.index(mine if first else thread)
        self.convert_ops(body)

    def _store(self, op: StoreOp) -> None:
        """Copy a store; where no loop shares it out, one thread of the block does it."""
        idle = self.program.at.idle(space_of(op.buffer))
        if not idle:
            self._copy(op)
            return
        zero = self.program.constant(0)
        condition = self.b.constant(True, i1)
        for expr in idle:
            mine = self.b.compare("eq", self.program.index(expr), zero)
            condition = self.b.logical("and", condition, mine)
        with self.program.where(condition):
            self._copy(op)

    def _alloc(self, op: AllocOp) -> None:
        type = buffer_type(op.buffer)
        match space_of(type):
            case Space.SHARED:
                new = self.program.shared_buffer(type, op.swizzle)
            case Space.REGISTER:
                new = gpu.RegisterAllocOp(type)
                self.b.builder.insert(new)
            case Space.GLOBAL:
                raise CompileError(
                    "a kernel cannot allocate global memory; ask for scratch", at=operation_text(op)
                )
        new.location = op.location
        self.values[op.buffer] = new.output

    def _team(self, op: CombiningOp) -> Formation:
        match op.over.data:
            case CombineScope.BLOCK | CombineScope.CLUSTER:
                return Formation(self.program.threads, 1)
            case CombineScope.TEAM:
                if self.program.at.team is None:
                    raise CompileError("is in no loop with teams", at=operation_text(op))
                return self.program.at.team

    def _together(self, op: CombiningOp | MeetOp | BarrierOp) -> None:
        """Write what threads do together."""
        match op:
            case MeetOp():
                self.cluster.meet(op)
            case BarrierOp():
                self.barriers.write(op, self.moves_registers)
            case CombineOp():
                self._combine(op)
            case PrefixOp():
                self._prefix(op)
            case _:
                raise CompileError("is for no thread", at=operation_text(op))

    def _arrivals(self, op: ArrivalsOp) -> None:
        self.cluster.check_arrivals(op)
        self.values[op.object], *_ = self.cluster.arrivals()

    def _combine(self, op: CombineOp) -> None:
        combine, parts = self._combining(op), [self.values[v] for v in op.parts]
        totals = combine_over_team(self.program, parts, combine, self._team(op))
        blocks = self.kernel.cluster_blocks
        if op.over.data is CombineScope.CLUSTER and blocks > 1:
            self.cluster.check_arrivals(op)
            totals = combine_over_cluster(self.program, self.cluster, totals, combine, blocks)
        self.values.update(zip(op.totals, totals, strict=True))

    def _prefix(self, op: PrefixOp) -> None:
        values, nothing = ([self.values[v] for v in some] for some in (op.values, op.nothing))
        team = self._team(op)
        found = prefix_over_team(self.program, values, nothing, self._combining(op), team)
        self.values.update(zip(op.totals, found, strict=True))

    def _combining(self, op: CombiningOp) -> Combine:
        """Return what writes the combination of two lanes' values."""

        def combine(left: Parts, right: Parts) -> Parts:
            body = op.body.block
            self.values.update(zip(body.args, [*left, *right], strict=True))
            self.convert_ops(body)
            assert isinstance(body.last_op, YieldOp)
            return [self.values[v] for v in body.last_op.arguments]

        return combine
