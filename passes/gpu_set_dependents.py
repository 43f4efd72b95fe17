"""Decide which kernels begin while the ones before them run, and which of these let them in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseArrayBase,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import FuncOp

from dlc.analysis.buffers import Buffers
from dlc.analysis.early_launch import constant_operands, gains_by_beginning_early
from dlc.analysis.entry import launches
from dlc.arch import DEFAULT_TARGET, gpu_by_name
from dlc.core.passes import DlcPass
from dlc.dialects.fused_group import LaunchOp
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
    - A kernel that runs ``beside`` the launch before it is ``independent``: nobody writes any of
      its inputs meanwhile. Where it is launched without that, too, it becomes two kernels.

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
        _split_independent([launch for main in mains for launch in launches(main)], kernels)
        uses = _uses(mains, kernels)
        for kernel, found in uses.items():
            constant = set.intersection(*(use.constant for use in found))
            begins_early = gains_by_beginning_early(kernel, constant, chip)
            if kernel.independent is not None:
                constant, begins_early = set(range(len(kernel.input_buffers))), True
            if kernel.constant_inputs is None and begins_early:
                kernel.constant_inputs = DenseArrayBase.from_list(i64, sorted(constant))
        for kernel, found in uses.items():
            if kernel.constant_inputs is not None and any(use.lets_in for use in found):
                kernel.dependents = UnitAttr()


def _split_independent(ops: Sequence[LaunchOp], kernels: dict[str, KernelOp]) -> None:
    """Make the kernels of launches beside others independent; other launches keep theirs."""
    waiting = {op.kernel_name for op in ops if op.beside is None}
    copies: dict[KernelOp, KernelOp] = {}
    for op in ops:
        kernel = kernels.get(op.kernel_name)
        if op.beside is None or kernel is None or not _is_open(kernel):
            continue
        if op.kernel_name in waiting:
            if kernel not in copies:
                copies[kernel] = _copy(kernel, kernels)
            kernel = copies[kernel]
            op.group = StringAttr(op.group_name)
            op.kernel = SymbolRefAttr(kernel.sym_name.data)
        kernel.independent = UnitAttr()


def _is_open(kernel: KernelOp) -> bool:
    """Return whether a kernel does not say when it begins."""
    return kernel.constant_inputs is None and kernel.cooperative is None


def _copy(kernel: KernelOp, kernels: dict[str, KernelOp]) -> KernelOp:
    """Return a copy of a kernel, behind it, with a name of its own."""
    name = f"{kernel.sym_name.data}_beside"
    while name in kernels:
        name += "_"
    kernels[name] = copy = kernel.clone()
    copy.sym_name = StringAttr(name)
    block = kernel.parent_block()
    assert block is not None
    block.insert_op_after(copy, kernel)
    return copy


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
            use = _Use(constant_operands(op, buffers), following)
            found.setdefault(kernels[op.kernel_name], []).append(use)
    return found
