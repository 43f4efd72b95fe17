"""Decide which kernels begin while the ones before them run, and which of these let them in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, UnitAttr, i64
from xdsl.dialects.func import FuncOp

from dlc.analysis.buffers import Buffers
from dlc.analysis.early_launch import constant_operands, gains_by_beginning_early
from dlc.analysis.launch_order import LaunchOrder
from dlc.arch import DEFAULT_TARGET, gpu_by_name
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp


@dataclass(frozen=True)
class GpuSetDependentsPass(DlcPass):
    """A small kernel that ``main`` launches gets ``constant_inputs``: it may begin before the
    launches before it have ended. Those that are launched before such a one, and wait themselves,
    get ``dependents``: they let it begin then.

    - A kernel is small whose buffers but weights and constants have at most 4 MiB (the chip's
      ``early_launch_bytes``). It gains the time in which a launch begins, and loses that its inputs
      are not constant: the compiler orders each load of them.
    - ``constant_inputs`` are the inputs that are weights or constants at every launch.

    With ``early=false`` all launches begin one after the other. Stays: an attribute that a kernel
    has, a cooperative kernel, one that no ``main`` launches, and all on chips without
    ``griddepcontrol``.

    Runs on: ``gpu``, with launches. Leaves: ``gpu``. Order: before ``gpu-insert-launch-waits``.
    """

    arch: str = DEFAULT_TARGET
    early: bool = True

    name = "gpu-set-dependents"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = gpu_by_name(self.arch)
        if not self.early or "griddepcontrol" not in chip.capabilities:
            return
        kernels = {k.sym_name.data: k for k in op.ops if isinstance(k, KernelOp)}
        mains = [main for main in op.ops if isinstance(main, FuncOp)]
        uses = _uses(mains, kernels)
        for kernel, found in uses.items():
            constant = set.intersection(*(use.constant for use in found))
            begins_early = gains_by_beginning_early(kernel, constant, chip)
            if kernel.constant_inputs is None and begins_early:
                kernel.constant_inputs = DenseArrayBase.from_list(i64, sorted(constant))
        for kernel, found in uses.items():
            if kernel.constant_inputs is not None and any(use.lets_in for use in found):
                kernel.dependents = UnitAttr()


@dataclass(frozen=True)
class _Use:
    """A launch of a kernel: the numbers of its operands that are weights or constants, and the
    kernels of the launches that come next after it.
    """

    constant: set[int]
    following: Sequence[KernelOp]

    @property
    def lets_in(self) -> bool:
        """Whether a launch after it may begin early."""
        return any(kernel.constant_inputs is not None for kernel in self.following)


def _uses(mains: Sequence[FuncOp], kernels: Mapping[str, KernelOp]) -> dict[KernelOp, list[_Use]]:
    found: dict[KernelOp, list[_Use]] = {}
    for main in mains:
        buffers, order = Buffers(main.body.block), LaunchOrder(main)
        following: list[list[KernelOp]] = [[] for _ in order.launches]
        for op, before in zip(order.launches, order.edges, strict=True):
            for other in before if op.kernel_name in kernels else ():
                following[other].append(kernels[op.kernel_name])
        for op, after in zip(order.launches, following, strict=True):
            if op.kernel_name in kernels:
                use = _Use(constant_operands(op, buffers), after)
                found.setdefault(kernels[op.kernel_name], []).append(use)
    return found
