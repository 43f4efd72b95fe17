"""Choose which launches may run at the same time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, UnitAttr, i64
from xdsl.dialects.func import FuncOp

from dlc.analysis.buffers import Buffers
from dlc.analysis.early_launch import constant_operands, gains_by_beginning_early
from dlc.analysis.launch_graph import LaunchGraph
from dlc.arch import DEFAULT_TARGET, GpuArch, gpu_by_name
from dlc.core.passes import DlcPass
from dlc.dialects.fused_group import LaunchOp
from dlc.dialects.gpu import KernelOp
from dlc.ir.tensor import tensor_bytes
from dlc.plan.launch_room import gains_side_by_side, share


@dataclass(frozen=True)
class FusedGroupOrderLaunchesPass(DlcPass):
    """Launches that do not depend on each other may run at the same time: they get ``after``, the
    launches whose results they read.

    It is decided for each stretch of launches between two that depend on all before them and that
    all behind them depend on. A stretch stays in a line

    - that depends on itself so, or whose kernels fill the chip (``dlc/plan/launch_room.py``);
    - whose results and scratch buffers have more than ``workspace`` bytes together.

    Of the launches of such a stretch those on its longest way, by what each probably takes, get
    ``first``, unless all are on one: where there is no room for all, the others wait.

    A kernel that gains nothing by beginning early, since it is large (``early_launch_bytes``) or
    cooperative, ends a stretch. Where a launch has ``after``, the order stays. All stay in a line
    with ``early=false``, and on chips without ``griddepcontrol``.

    Runs on: launches and kernels of ``gpu``. Leaves: the same. Order: before
    ``gpu-set-dependents``.

    ::

        %a = fused_group.launch @g0(%x)      ->  %a = fused_group.launch @g0(%x)
        %b = fused_group.launch @g1(%a)          %b = fused_group.launch @g1(%a) {after = [1]}
        %c = fused_group.launch @g2(%a)          %c = fused_group.launch @g2(%a) {after = [2]}
        %d = fused_group.launch @g3(%b, %c)      %d = fused_group.launch @g3(%b, %c)
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
    if any(op.kernel_name not in kernels or op.after is not None for op in graph.launches):
        return
    buffers = Buffers(main.body.block)
    used = [kernels[op.kernel_name] for op in graph.launches]
    rows = enumerate(zip(graph.launches, used, strict=True))
    alone = {
        number
        for number, (op, kernel) in rows
        if not gains_by_beginning_early(kernel, constant_operands(op, buffers), chip)
    }
    for stretch in graph.stretches(alone):
        shares = [share(used[number], chip) for number in stretch]
        bytes = sum(_own_bytes(graph.launches[n], used[n]) for n in stretch)
        if bytes <= workspace and gains_side_by_side(shares, graph.longest_within(stretch)):
            _free(graph, stretch)


def _own_bytes(op: LaunchOp, kernel: KernelOp) -> int:
    """Return the bytes of the results and scratch buffers of a launch."""
    return sum(map(tensor_bytes, op.results)) + sum(kernel.scratch_bytes)


def _free(graph: LaunchGraph, stretch: range) -> None:
    """Let the launches of a stretch come after what they read, and after all before it."""
    for number in stretch:
        first = [stretch.start - 1] if stretch.start else []
        before: Sequence[int] = sorted(graph.before[number] & set(stretch)) or first
        distances = [number - other for other in reversed(before)]
        graph.launches[number].after = DenseArrayBase.from_list(i64, distances)
    longest = graph.longest_way(stretch)
    for number in longest if len(longest) < len(stretch) else ():
        graph.launches[number].first = UnitAttr()
