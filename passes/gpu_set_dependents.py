"""Decide which kernels begin while the ones before them run, and which of these let them in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, UnitAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from dlc.analysis.buffers import Buffers
from dlc.analysis.entry import launches
from dlc.arch import DEFAULT_TARGET, gpu_by_name
from dlc.core.passes import DlcPass
from dlc.dialects.fused_group import LaunchOp
from dlc.dialects.gpu import KernelOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.space import buffer_type
from dlc.ir.tensor import element_bytes


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
    has, a kernel that no ``main`` launches, and all on chips without ``griddepcontrol``.

    Runs on: ``gpu``, with launches. Leaves: ``gpu``. Order: before ``gpu-insert-launch-waits``.
    """

    arch: str = DEFAULT_TARGET
    early: bool = True

    name = "gpu-set-dependents"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = gpu_by_name(self.arch)
        if not self.early or "griddepcontrol" not in chip.capabilities:
            return
        most = chip.early_launch_bytes
        kernels = {k.sym_name.data: k for k in op.ops if isinstance(k, KernelOp)}
        uses = _uses([main for main in op.ops if isinstance(main, FuncOp)], kernels)
        for kernel, found in uses.items():
            constant = set.intersection(*(use.constant for use in found))
            if kernel.constant_inputs is None and _bytes(kernel, constant) <= most:
                kernel.constant_inputs = DenseArrayBase.from_list(i64, sorted(constant))
        for kernel, found in uses.items():
            if kernel.constant_inputs is not None and any(use.lets_in for use in found):
                kernel.dependents = UnitAttr()


@dataclass(frozen=True)
class _Use:
    """A launch of a kernel: the numbers of its operands that are weights or constants, and the
    kernel of the next launch, if there is one.
    """

    constant: set[int]
    following: KernelOp | None

    @property
    def lets_in(self) -> bool:
        """Whether the next launch may begin early."""
        return self.following is not None and self.following.constant_inputs is not None


def _uses(mains: Sequence[FuncOp], kernels: Mapping[str, KernelOp]) -> dict[KernelOp, list[_Use]]:
    found: dict[KernelOp, list[_Use]] = {}
    for main in mains:
        buffers = Buffers(main.body.block)
        ops = [op for op in launches(main) if op.kernel_name in kernels]
        for op, after in zip(ops, [*ops, None][1:], strict=True):
            following = None if after is None else kernels[after.kernel_name]
            use = _Use(_constants(op, buffers), following)
            found.setdefault(kernels[op.kernel_name], []).append(use)
    return found


def _constants(launch: LaunchOp, buffers: Buffers) -> set[int]:
    owners = [buffers.place(value)[0].owner for value in launch.inputs]
    return {n for n, op in enumerate(owners) if isinstance(op, GraphOp) and op.is_constant}


def _bytes(kernel: KernelOp, constant: set[int]) -> int:
    """Return the bytes of all buffers of a kernel but weights and constants."""
    buffers = enumerate(kernel.body.block.args)
    return sum(_size(buffer) for number, buffer in buffers if number not in constant)


def _size(buffer: SSAValue) -> int:
    type = buffer_type(buffer)
    return prod(type.get_shape()) * element_bytes(type.element_type)
