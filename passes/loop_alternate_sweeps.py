"""Read weights that a core's cache cannot hold from both ends by turns."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr, UnitAttr
from xdsl.rewriter import InsertPoint, Rewriter

from dlc import arch
from dlc.analysis.entry import find_main, launches
from dlc.core.passes import DlcPass
from dlc.dialects.fused_group import LaunchOp
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.kernel import KernelOp
from dlc.dialects.loop.structure import ForOp
from dlc.ir.tensor import tensor_bytes

Weights = tuple[str, ...]


@dataclass(frozen=True)
class LoopAlternateSweepsPass(DlcPass):
    """Where a kernel runs again and again on the same weights, as in steps of a recurrent layer,
    every other launch runs a copy of it whose cores go through their tiles ``backward``. So each
    begins with the weights that the launch before has read last, which are still in the core's own
    cache. In the other order a cache that is smaller than the weights never holds what comes next.

    It is done for weights of more bytes than the cache that a core of ``arch`` has for itself, and
    where no other launch between reads as many.

    Runs on: ``loop`` kernels for a CPU and their launches. Leaves: the same. Order: after
    ``fused-group-unroll-steps``.
    """

    name = "loop-alternate-sweeps"

    arch: str = arch.DEFAULT_TARGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = arch.by_name(self.arch)
        if isinstance(chip, arch.CpuArch):
            _Sweeps(op, chip.l2_bytes).run()


class _Sweeps:
    """turned: the copies so far, by kernel; ``None`` for one that has no loop to turn."""

    def __init__(self, module: ModuleOp, cache_bytes: int):
        self.module = module
        self.cache_bytes = cache_bytes
        self.kernels = {op.sym_name.data: op for op in module.ops if isinstance(op, KernelOp)}
        self.turned: dict[str, KernelOp | None] = {}

    def run(self) -> None:
        before: tuple[str, Weights] | None = None
        is_backward = False
        for launch in launches(find_main(self.module)):
            if weights := self._large(launch):
                this = launch.kernel_name, weights
                is_backward = this == before and not is_backward
                before = this
                if is_backward:
                    self._turn(launch)

    def _large(self, launch: LaunchOp) -> Weights:
        """Return the weights that a launch reads, none if they fit into the cache."""
        read = [x.owner for x in launch.inputs if isinstance(x.owner, WeightOp)]
        if sum(tensor_bytes(op.output) for op in read) <= self.cache_bytes:
            return ()
        return tuple(op.symbol.string_value() for op in read)

    def _turn(self, launch: LaunchOp) -> None:
        name = launch.kernel_name
        if name not in self.turned:
            self.turned[name] = self._copy(self.kernels[name])
        copy = self.turned[name]
        if copy is not None:
            launch.group = StringAttr(launch.group_name)
            launch.kernel = SymbolRefAttr(copy.sym_name.data)

    def _copy(self, kernel: KernelOp) -> KernelOp | None:
        copy = kernel.clone()
        loops = _sweeps(copy)
        if not loops:
            return None
        for loop in loops:
            loop.backward = UnitAttr()
        copy.sym_name = StringAttr(self._name(f"{kernel.sym_name.data}_backward"))
        Rewriter.insert_op(copy, InsertPoint.after(kernel))
        return copy

    def _name(self, name: str) -> str:
        return name if name not in self.kernels else self._name(f"{name}_")


def _sweeps(kernel: KernelOp) -> Sequence[ForOp]:
    """Return the loops whose iterations, loops themselves, are spread over cores."""
    loops = [op for op in kernel.body.block.ops if isinstance(op, ForOp)]
    return [
        loop
        for loop in loops
        if loop.map.data is LoopMap.CORES
        and loop.kind.data is LoopKind.PARALLEL
        and any(isinstance(op, ForOp) for op in loop.body.walk())
    ]
