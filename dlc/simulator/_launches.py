"""The launches before the one that is simulated: who has waited for their end."""

from collections.abc import Mapping

import numpy as np
from xdsl.ir import Operation

from dlc.dialects import gpu
from dlc.simulator._faults import Site
from dlc.simulator._machine import Compiler, Machine, Step, nothing
from dlc.simulator._threads import Active, Batch


def _wait(machine: Machine, op: gpu.GriddepcontrolWaitOp) -> Step:
    def run(active: Active) -> None:
        machine.batch.waited[active.index] = True

    return run


def _launch_dependents(machine: Machine, op: gpu.GriddepcontrolLaunchDependentsOp) -> Step:
    return nothing


def check_waited(batch: Batch) -> None:
    """Fail if a thread has come to its end and has not waited."""
    if not batch.waited.all():
        end = batch.kernel.body.block.last_op
        assert end is not None
        message = "has not waited for the launches before its own"
        Site(end).fail(batch, int(np.argmin(batch.waited)), message)


COMPILERS: Mapping[type[Operation], Compiler] = {
    gpu.GriddepcontrolWaitOp: _wait,
    gpu.GriddepcontrolLaunchDependentsOp: _launch_dependents,
}
