"""Runs one kernel over its grid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd, prod

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from dlc.analysis.owner import exchanged_buffers
from dlc.arch.scope import Scope
from dlc.dialects.gpu import KernelOp
from dlc.errors import CompileError
from dlc.ir.access import MemoryOp
from dlc.ir.order import OrderingOp
from dlc.ir.parts import written
from dlc.ir.space import Space, buffer_type, space_of
from dlc.ir.tensor import element_bytes, numpy_dtype
from dlc.simulator._banks import BankCounter
from dlc.simulator._buffer import Array
from dlc.simulator._clocks import Clocks
from dlc.simulator._copies import Copies
from dlc.simulator._faults import fail_at_end
from dlc.simulator._flow import Flow, runs_in_lockstep
from dlc.simulator._global import GlobalBuffer, Grid
from dlc.simulator._launches import check_waited
from dlc.simulator._machine import Machine, Step, nothing
from dlc.simulator._operations import compilers
from dlc.simulator._products import Products
from dlc.simulator._published import FilledBuffer
from dlc.simulator._registers import Registers
from dlc.simulator._remote import RemoteTouches, cluster_of, whole_clusters
from dlc.simulator._scheduler import Order, Scheduler
from dlc.simulator._shared import SharedMemory
from dlc.simulator._stores import Stores
from dlc.simulator._threads import Batch, Integers
from dlc.simulator._tokens import Tokens
from dlc.simulator.coverage import Coverage

BATCH_THREADS = 8192
"""Threads that run in lockstep: enough to hide the cost of a numpy call."""
BATCH_SHARED_BYTES = 1 << 22
SHADOW_READS = 1 << 24
"""Places of shared memory times threads that may read them, where tokens order threads."""


@dataclass
class SimulationReport:
    """What a launch did. wavefronts: those of shared memory, and how many no layout can avoid,
    where they were to be counted.

    written: which elements of each output have a value, in row-major order.
    """

    kernel: str
    blocks: int
    threads: int
    wavefronts: int = 0
    wavefronts_without_conflicts: int = 0
    written: Sequence[Array] = ()

    @property
    def bank_conflicts(self) -> int:
        """The wavefronts that conflicts over banks add."""
        return self.wavefronts - self.wavefronts_without_conflicts


def simulate(
    module: ModuleOp,
    kernel_name: str,
    arrays: Sequence[Array] | Mapping[str, Array],
    *,
    block_order: Order = "forward",
    blocks: Sequence[int] | None = None,
    blocks_at_once: int | None = None,
    checks: bool = True,
    conflicts: bool = False,
    warp_order: Order | None = None,
) -> SimulationReport:
    """Run ``gpu.kernel @kernel_name``; the output arrays, contiguous, are written in place.

    arrays: one per buffer, in order or by the arguments' names in the text; scratch buffers may be
    left out. Inputs have values; the others have none until the kernel writes them.
    block_order: how blocks follow each other; a number is the seed of a random order. blocks: those
    that run, in order, if not all do; of those that share a counter or meet at a barrier, all.
    Where not all blocks of a cooperative kernel run, the arrays of ``filled`` buffers hold what the
    others publish.
    blocks_at_once: how many run in lockstep, chosen by size when absent; of a cooperative kernel
    all do. checks: look for undefined data and races too, which takes most of the time. conflicts:
    count the wavefronts of shared memory. warp_order: let each warp go its own way, and which of
    those that can go on has its turn; without it, warps run in lockstep as far as they can.

    Raises SimulationError for a fault of the kernel, CompileError when the arrays do not fit.
    """
    kernel = find_kernel(module, kernel_name)
    buffers = _buffers(kernel, arrays, checks, blocks)
    launch = _Launch(kernel, buffers, checks, conflicts, warp_order)
    size = kernel.cluster_blocks
    _check_all_run(kernel, blocks)
    if kernel.cooperative is not None:
        blocks_at_once = prod(kernel.grid_size) if blocks is None else len(blocks)
    per_batch = max((blocks_at_once or launch.blocks_at_once) // size, 1) * size
    order = _order(block_order, prod(kernel.grid_size)) if blocks is None else np.array(blocks)
    order = whole_clusters(kernel, order)
    with np.errstate(all="ignore"):
        for start in range(0, len(order), per_batch):
            launch.run(order[start : start + per_batch])
    launch.check_end(blocks)
    launch.report.written = [buffer.is_defined() for buffer in launch.outputs]
    return launch.report


def _check_all_run(kernel: KernelOp, blocks: Sequence[int] | None) -> None:
    """Raise CompileError where blocks are left out that others wait for."""
    ops = (op for op in kernel.walk() if isinstance(op, OrderingOp))
    few = blocks is not None and sorted(blocks) != list(range(prod(kernel.grid_size)))
    if few and any(op.is_barrier(Scope.GRID) for op in ops):
        raise CompileError(f"all blocks of @{kernel.sym_name.data} wait for each other; run all")


def find_kernel(module: ModuleOp, name: str) -> KernelOp:
    """Return ``gpu.kernel @name``; raises CompileError when the module has none."""
    for op in module.ops:
        if isinstance(op, KernelOp) and op.sym_name.data == name:
            return op
    raise CompileError(f"the module has no gpu.kernel @{name}")


def _order(order: Order, blocks: int) -> Integers:
    if order == "forward":
        return np.arange(blocks)
    if order == "backward":
        return np.arange(blocks)[::-1]
    return np.random.default_rng(order).permutation(blocks)


class _Launch:
    """A kernel compiled to steps, with its buffers."""

    def __init__(
        self,
        kernel: KernelOp,
        buffers: Sequence[GlobalBuffer],
        checks: bool,
        conflicts: bool,
        warp_order: Order | None,
    ):
        self.kernel = kernel
        self.conflicts = conflicts
        self.buffers = buffers
        self.machine = Machine(kernel, compilers(), checks)
        for argument, buffer in zip(kernel.body.block.args, buffers, strict=True):
            self.machine.values[self.machine.slot(argument)] = buffer
        self.warp_order: Order | None = warp_order
        lockstep = warp_order is None and runs_in_lockstep(kernel)
        self.flow = None if lockstep else Flow(self.machine)
        self.step: Step = self.machine.block(kernel.body.block) if lockstep else nothing
        self._known = list(self.machine.values)  # constants, and the launch's buffers
        self.granule = _granule(kernel)
        self.shared_bytes = 0 if kernel.shared_bytes is None else kernel.shared_bytes.value.data
        has_fences = any(map(_releases_to_the_grid, kernel.walk()))
        blocks = prod(kernel.grid_size)
        self.machine.grid = Grid(cluster_of(kernel, np.arange(blocks)), kernel.threads, has_fences)
        self.report = SimulationReport(kernel.sym_name.data, blocks, kernel.threads)

    @property
    def blocks_at_once(self) -> int:
        """How many blocks are worth running in lockstep."""
        by_threads = BATCH_THREADS // self.kernel.threads
        by_bytes = BATCH_SHARED_BYTES // max(self.shared_bytes, 1)
        if self.flow is not None:
            cells = self.shared_bytes // self.granule + 1
            readers = self.kernel.threads * self.kernel.cluster_blocks
            by_threads = min(by_threads, SHADOW_READS // (cells * readers))
        return max(min(by_threads, by_bytes), 1)

    @property
    def outputs(self) -> Sequence[GlobalBuffer]:
        """The buffers of the results."""
        return self.buffers[len(self.kernel.input_buffers) :][: self.kernel.outputs.value.data]

    def run(self, blocks: Integers) -> None:
        """Run some blocks to their end."""
        machine = self.machine
        machine.batch = Batch(self.kernel, blocks)
        checks = machine.checks
        banks = BankCounter() if self.conflicts else None
        if self.flow is not None:
            machine.batch.clocks = _clocks(machine.batch)
            machine.tokens = Tokens(machine.batch, machine.batch.clocks)
            machine.held = Registers(machine.batch)
        machine.shared = SharedMemory(machine.batch, self.shared_bytes, self.granule, checks, banks)
        machine.copies = Copies(machine.batch)
        machine.products = Products(machine.batch)
        machine.touches = RemoteTouches(machine.batch)
        machine.stores = Stores(machine.batch)
        machine.registers.clear()
        machine.values[:] = self._known  # what threads of the batch before held is none of this one
        for buffer in (*self.buffers, *machine.counters):
            buffer.enter(machine.batch, machine.grid)
        if self.flow is not None:
            Scheduler(machine, self.flow, self.warp_order).run()
        else:
            self.step(machine.batch.everyone)
        check_waited(machine.batch)
        machine.products.check_end()
        machine.touches.check_end()
        machine.stores.check_end()
        if banks is not None:
            self.report.wavefronts += banks.wavefronts
            self.report.wavefronts_without_conflicts += banks.without_conflicts

    def check_end(self, blocks: Sequence[int] | None) -> None:
        """Fail if what ``blocks`` write of an output, or all of it, was not written, or a counter
        is not zero again.
        """
        if blocks is None:
            wanted = [written(self.kernel, x) for x in self.kernel.output_buffers]
        else:
            wanted = Coverage(self.kernel).written(blocks)
        for buffer, expected in zip(self.outputs, wanted, strict=True):
            missing = expected & ~buffer.is_defined()
            if missing.any():
                at = int(np.argmax(missing))
                fail_at_end(self.kernel, f"element {at} of output {buffer.name} was never written")
        for buffer in self.machine.counters:
            if buffer.data.any():
                at = int(np.argmax(buffer.data != 0))
                fail_at_end(self.kernel, f"counter {at} is not zero again")


def _clocks(batch: Batch) -> Clocks:
    """Return what the threads of each cluster, or of each block, know of each other."""
    unit = batch.threads_of(Scope.CLUSTER)
    return Clocks(batch.cluster_rank * batch.threads_per_block + batch.thread, unit)


def _releases_to_the_grid(op: Operation) -> bool:
    """Return whether other blocks may learn at ``op`` that this thread's accesses are done."""
    token = op.releases if isinstance(op, OrderingOp) else None
    return token is not None and token.scope is Scope.GRID


def _granule(kernel: KernelOp) -> int:
    """Return the bytes that divide every access to shared memory."""
    widths = [
        access.elements * element_bytes(access.type.element_type)
        for op in kernel.walk()
        if isinstance(op, MemoryOp)
        for access in op.accesses()
        if space_of(access.buffer) is Space.SHARED
    ]
    return reduce(gcd, widths, 16)


def _buffers(
    kernel: KernelOp,
    arrays: Sequence[Array] | Mapping[str, Array],
    checks: bool,
    blocks: Sequence[int] | None,
) -> list[GlobalBuffer]:
    arguments = kernel.body.block.args
    given = _in_order(kernel, arrays)
    required = len(arguments) - len(kernel.scratch_buffers)
    if not required <= len(given) <= len(arguments) or any(x is None for x in given[:required]):
        raise CompileError(
            f"@{kernel.sym_name.data} has {required} buffers and {len(arguments) - required} for "
            f"scratch, {len(given)} arrays are given"
        )
    given += [None] * (len(arguments) - len(given))
    exchanged, others = exchanged_buffers(kernel), _published_by_others(kernel, blocks)
    return [
        _buffer(kernel, argument, array, checks, argument in exchanged, others.get(argument))
        for argument, array in zip(arguments, given, strict=True)
    ]


def _published_by_others(
    kernel: KernelOp, blocks: Sequence[int] | None
) -> Mapping[SSAValue, Array]:
    """Return which elements of each filled buffer blocks publish that do not run."""
    if blocks is None or kernel.filled is None:
        return {}
    coverage = Coverage(kernel)
    every, own = coverage.published(), coverage.published(blocks)
    return {buffer: every[buffer] & ~own[buffer] for buffer in every}


def _in_order(
    kernel: KernelOp, arrays: Sequence[Array] | Mapping[str, Array]
) -> list[Array | None]:
    if not isinstance(arrays, Mapping):
        return list(arrays)
    names = [_name(argument) for argument in kernel.body.block.args]
    if unknown := arrays.keys() - set(names):
        raise CompileError(f"there is no buffer {min(unknown)}; they are {', '.join(names)}")
    return [arrays.get(name) for name in names]


def _name(argument: BlockArgument) -> str:
    return argument.name_hint or str(argument.index)


def _buffer(
    kernel: KernelOp,
    argument: BlockArgument,
    array: Array | None,
    checks: bool,
    exchanged: bool,
    others: Array | None,
) -> GlobalBuffer:
    name, is_input = _name(argument), argument in kernel.input_buffers
    type = buffer_type(argument)
    dtype, sizes = numpy_dtype(type.element_type), type.get_shape()
    array = np.zeros(sizes, dtype) if array is None else array
    if array.dtype != dtype or array.shape != sizes or not array.flags.c_contiguous:
        raise CompileError(
            f"buffer {name} is a contiguous {type}, not {array.dtype} of shape {array.shape}"
        )
    if argument in kernel.filled_buffers:
        return FilledBuffer(f"%{name}", array, checks, exchanged, others)
    constant = argument in kernel.early_buffers
    return GlobalBuffer(f"%{name}", array, not is_input, is_input, checks, exchanged, constant)
