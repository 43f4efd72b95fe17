"""Choose the order of launches, and which of them run beside each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dlc.analysis.buffers import Buffers
from dlc.analysis.early_launch import constant_operands, gains_by_beginning_early
from dlc.analysis.launch_graph import LaunchGraph
from dlc.arch import DEFAULT_TARGET, GpuArch, gpu_by_name
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp
from dlc.plan.launch_room import fit_together, share


@dataclass(frozen=True)
class FusedGroupOrderLaunchesPass(DlcPass):
    """Launches that do not depend on each other, and have room on the chip together, come one after
    the other in ``main``; all but the first of them get ``beside``.

    Of the launches that may come next, the one goes first that has most launches behind it; then
    those beside it that fit. So the longest way through the model is not held up.

    A launch stays for itself that does not fit; whose kernel would not begin early, since it is
    large (``early_launch_bytes``), cooperative, or says so itself. A stretch of launches stays as
    it is where the new order would take more memory than all of the old one, and more than
    ``workspace`` bytes. All stay with ``early=false``, and on chips without ``griddepcontrol``.

    Runs on: launches and kernels of ``gpu``. Leaves: the same. Order: before
    ``gpu-set-dependents``.

    ::

        %a = fused_group.launch @g0(%x)   ->  %a = fused_group.launch @g0(%x)
        %b = fused_group.launch @g1(%a)       %c = fused_group.launch @g2(%x) {beside}
        %c = fused_group.launch @g2(%x)       %b = fused_group.launch @g1(%a)
    """

    arch: str = DEFAULT_TARGET
    workspace: int = 64 << 20
    early: bool = True

    name = "fused-group-order-launches"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = gpu_by_name(self.arch)
        if not self.early or "griddepcontrol" not in chip.capabilities:
            return
        kernels = {k.sym_name.data: k for k in op.ops if isinstance(k, KernelOp)}
        for main in op.ops:
            if isinstance(main, FuncOp):
                _order(main, kernels, chip, self.workspace)


def _order(main: FuncOp, kernels: Mapping[str, KernelOp], chip: GpuArch, workspace: int) -> None:
    graph = LaunchGraph(main)
    if any(op.kernel_name not in kernels or op.beside is not None for op in graph.launches):
        return
    search = _Search(graph, [kernels[op.kernel_name] for op in graph.launches], chip)
    sets = search.sets(main, workspace)
    for numbers in sets:
        for number in numbers[1:]:
            graph.launches[number].beside = UnitAttr()
    if any(len(numbers) > 1 for numbers in sets):
        _move(main, [graph.launches[number] for numbers in sets for number in numbers])


class _Search:
    """Puts launches that may run beside each other in sets."""

    def __init__(self, graph: LaunchGraph, kernels: Sequence[KernelOp], chip: GpuArch):
        self._graph = graph
        self._kernels = kernels
        self._chip = chip
        self._shares = [share(kernel, chip) for kernel in kernels]

    def sets(self, main: FuncOp, workspace: int) -> list[list[int]]:
        """Return all launches, in sets."""
        graph, buffers = self._graph, Buffers(main.body.block)
        self._early = [self._begins_early(n, buffers) for n in range(len(graph.launches))]
        scratch = [sum(kernel.scratch_bytes) for kernel in self._kernels]
        sets = [[number] for number in range(len(graph.launches))]
        most = max(workspace, graph.live_bytes(sets, scratch))
        for region in graph.regions():
            found = list(self._sets_of(region))
            if len(found) == len(region):
                continue
            start = next(n for n, numbers in enumerate(sets) if numbers == [region.start])
            changed = [*sets[:start], *found, *sets[start + len(region) :]]
            if graph.live_bytes(changed, scratch) <= most:
                sets = changed
        return sets

    def _begins_early(self, number: int, buffers: Buffers) -> bool:
        kernel, launch = self._kernels[number], self._graph.launches[number]
        constant = constant_operands(launch, buffers)
        is_open = kernel.constant_inputs is None
        return is_open and gains_by_beginning_early(kernel, constant, self._chip)

    def _sets_of(self, region: range) -> Iterator[list[int]]:
        """Yield the launches of a stretch in sets: first what has most behind it."""
        heights, before = self._graph.heights, self._graph.before
        left = set(region)
        while left:
            ready = [number for number in left if not before[number] & left]
            ready.sort(key=lambda number: (-heights[number], number))
            chosen = ready[:1]
            for number in ready[1:]:
                both = [*chosen, number]
                fits = fit_together(self._shares[n] for n in both)
                if fits and all(self._early[n] for n in both):
                    chosen = both
            left -= set(chosen)
            yield chosen


def _move(main: FuncOp, launches: Sequence[Operation]) -> None:
    """Bring launches into an order, each behind what it reads."""
    block = main.body.block
    end = block.last_op
    assert end is not None
    ops = list(block.ops)
    moved = dict[Operation, None]()
    for launch in launches:
        for op in _needed(launch, moved):
            moved[op] = None
    for op in (*moved, *(op for op in ops if op not in moved)):
        if op is not end:
            op.detach()
            block.insert_op_before(op, end)


def _needed(op: Operation, known: Mapping[Operation, None]) -> Iterator[Operation]:
    """Yield the operations that an operation reads and that are not known, then itself."""
    if op in known:
        return
    found = dict.fromkeys(
        needed
        for value in op.operands
        if isinstance(value.owner, Operation)
        for needed in _needed(value.owner, known)
    )
    yield from found
    yield op
