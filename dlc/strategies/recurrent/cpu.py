"""``recurrent`` on a CPU: the space of schedules, how they are rated."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, hypot

from dlc.analysis.dataflow import Cluster
from dlc.arch import CpuArch
from dlc.dialects.graph.computed import ComputedOp, ContractionOp
from dlc.ir.tensor import element_bytes, element_type
from dlc.model.upper_bound import cpu_bound
from dlc.model.violation import Resource, Violation
from dlc.strategies._implementation import Implementation
from dlc.strategies._loop_nest import computing_s, moving_s, stack_violation, start_s
from dlc.strategies._rated import Rated
from dlc.strategies.contract.register_tile import RegisterTile
from dlc.strategies.recurrent import work
from dlc.strategies.recurrent.cell_of_loop import cell_of
from dlc.strategies.recurrent.cpu_lowering import lower
from dlc.strategies.recurrent.cpu_schedule import RecurrentOnCpu
from dlc.strategies.recurrent.work import RecurrentWork, loop_of

_VECTORS = (2, 3, 1, 4)
_BYTES = {"f32": 4, "f64": 8}


@dataclass(frozen=True)
class CoreWork:
    """What a ``recurrent`` group does on cores.

    products: of all steps. operations: of a step beside them. step_bytes: what a step reads and
    writes beside weights.
    """

    products: RecurrentWork
    operations: float
    step_bytes: int

    @property
    def compute_bytes(self) -> int:
        """The bytes of a sum."""
        return _BYTES[self.products.compute]

    @property
    def parts(self) -> int:
        """The columns of products that a unit adds up."""
        return self.products.parts

    @property
    def weight_bytes(self) -> int:
        """The bytes of all weights."""
        return self.parts * self.products.units**2 * self.products.element_bytes


def _work_of(cluster: Cluster) -> CoreWork:
    loop = loop_of(cluster)
    assert loop is not None
    products, cell = work.work_of(cluster), cell_of(loop)
    cells = cell.sequences * cell.units
    moved = [element_type(read.value) for read in cell.read]
    moved += [element_type(value) for value in (*loop.initial, *loop.yielded)]
    others = [
        op
        for op in loop.body.block.ops
        if isinstance(op, ComputedOp) and not isinstance(op, ContractionOp)
    ]
    operations = sum(cluster.flow.facts(op).points * cluster.flow.facts(op).cost for op in others)
    return CoreWork(products, float(operations), cells * sum(map(element_bytes, moved)))


def candidates(work: CoreWork, arch: CpuArch) -> Iterator[RecurrentOnCpu]:
    """Yield the register tiles that leave registers for one row of loads and a broadcast."""
    lanes, sequences = arch.vector_bytes // work.compute_bytes, work.products.sequences
    for rows in sorted({ceil(sequences / n) for n in range(1, sequences + 1)}, reverse=True):
        for vectors in _VECTORS:
            if RegisterTile(rows, vectors, lanes).registers > arch.vector_registers:
                continue
            ahead = work.weight_bytes > arch.l2_bytes and rows < sequences
            for cores in (True, False) if arch.cores > 1 else (False,):
                yield RecurrentOnCpu((rows, vectors * lanes), lanes, cores, ahead)


def rate(work: CoreWork, schedule: RecurrentOnCpu, arch: CpuArch) -> Rated:
    """Return the bound and the latency of one schedule: a step is a loop over units, in which
    elementwise operations are loops of their own, while weights and parts of a step are moved.
    """
    own, tile = work.products, schedule.register_tile(work.products.sequences)
    blocks = ceil(own.units / tile.columns)
    cores = min(arch.cores, blocks) if schedule.cores else 1
    step_s = _clocks(work, tile, arch) / cores / arch.clock_hz
    other_s = computing_s(work.operations, cores, arch)
    memory_s = moving_s(work.weight_bytes, cores, arch, again=True)
    memory_s += moving_s(work.step_bytes, cores, arch)
    loops = len(own.phases) * (1 + (own.units % tile.columns > 0))
    begin_s = start_s(cores, arch, loops)
    bytes = own.bytes
    bound = cpu_bound(own.flops, bytes, work.compute_bytes, cores, arch)
    bound = replace(bound, violation=_violation(work, tile, arch))
    latency_s = own.steps * (begin_s + step_s + hypot(other_s, memory_s))
    return Rated(schedule, bound, lambda: latency_s)


def _clocks(work: CoreWork, tile: RegisterTile, arch: CpuArch) -> float:
    """Return the clocks of the products of a step on one core."""
    own, streams = work.products, work.weight_bytes > arch.l2_bytes
    whole, rest = divmod(own.sequences, tile.rows)
    clocks = whole * tile.step_clocks(arch, streams)
    if rest:
        clocks += replace(tile, rows=rest).step_clocks(arch, streams)
    return clocks * ceil(own.units / tile.columns) * own.units * work.parts


_TIMES_ALONE = 3
"""A block of units that is in no loop is written for every other step, for the steps between and
for a last one, with sums of its own each time. Those in a loop take turns with theirs.
"""


def _violation(work: CoreWork, tile: RegisterTile, arch: CpuArch) -> Violation | None:
    if beyond := tile.violation(arch, work.compute_bytes):
        return beyond
    sums = work.products.sequences * work.parts * tile.columns * work.compute_bytes
    if sums > (room := arch.l2_bytes // 8):
        return Violation(
            Resource.MEMORY, f"needs {sums} bytes for sums, an eighth of a core's cache has {room}"
        )
    blocks, rest = divmod(work.products.units, tile.columns)
    alone = rest + (tile.columns if blocks == 1 else 0)
    columns = _TIMES_ALONE * alone + (tile.columns if blocks > 1 else 0)
    return stack_violation(sums // tile.columns * columns)


def _obstacle(cluster: Cluster) -> str | None:
    loop = loop_of(cluster)
    assert loop is not None
    if any(cell_of(loop).room(number) for number in range(len(loop.yielded))):
        return "a step gives a part that is longer than its states"
    return None


IMPLEMENTATION = Implementation(
    RecurrentOnCpu,
    _work_of,
    candidates,
    rate,
    lambda own: work.describe(own.products),
    lower,
    obstacle=_obstacle,
)
