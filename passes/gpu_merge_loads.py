"""Load once what a thread would load several times."""

from collections.abc import Hashable, Mapping

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from dlc.analysis.late_load import late_load
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp


class GpuMergeLoadsPass(DlcPass):
    """Equal loads of an input become the first of them, whose registers keep it.

    Only of inputs that launches before the kernel's own may write: the text does not say that they
    are constant, and its compiler loads them again behind whatever may write to memory. Of the
    others it merges loads by itself, as far as registers suffice.

    Stays: a load of another place or size, into registers that something else writes too, or in a
    branch or loop that does not hold the other.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: after ``gpu-set-dependents``.

    ::

        gpu.copy %x[%t * 8] to %a[0]     ->  gpu.copy %x[%t * 8] to %a[0]
        ... %a ...                           ... %a ...
        gpu.copy %x[%t * 8] to %b[0]         ... %a ...
        ... %b ...
    """

    name = "gpu-merge-loads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                _merge(kernel, kernel.body.block, {})


def _merge(kernel: KernelOp, block: Block, known: Mapping[Hashable, SSAValue]) -> None:
    """Merge the loads of a block with those before it, which are known by what they load."""
    found = dict(known)
    for op in tuple(block.ops):
        load = late_load(kernel, op)
        if load is not None:
            key = (load.what, load.value.type)
            if key in found:
                load.value.replace_all_uses_with(found[key])
                load.erase()
            else:
                found[key] = load.value
        for inner in _blocks(op) if load is None else ():
            _merge(kernel, inner, found)


def _blocks(op: Operation) -> list[Block]:
    return [block for region in op.regions for block in region.blocks]
