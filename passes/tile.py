"""Choose how each group is lowered, and say how fast that can be."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dlc import arch
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.epilogue import NotFusibleError
from dlc.core.context import dlc_context
from dlc.core.locations import operation_text
from dlc.dialects.fused_group import GroupOp
from dlc.errors import CompileError
from dlc.plan import NoPlan, Planner, fitting, write
from dlc.strategies import Rated


@dataclass(frozen=True)
class TilePass(ModulePass):
    """Writes ``schedule`` and ``bound`` on every group, by the plan for ``arch``. A schedule
    that is already there, written by ``fuse`` or edited, stays: it is checked, and gets its bound.

    ``bound`` has six numbers. ``time_us`` is the least time in microseconds that the group can
    take on the chip, ``estimate_us`` what it probably takes. The other four are fractions between 0
    and 1:

    - ``global``: of the arithmetic peak, what the bandwidth of global memory allows.
    - ``shared``: of the arithmetic peak, what the bandwidth of shared memory allows.
    - ``waves``: of the SMs, how many have work, on average over the launch.
    - ``limits``: always 1. A schedule that needs more than the chip has (threads, registers,
      shared memory) is an error and gets no bound.

    ``libraries`` may compute groups, too: the schedule of such a group names one (``library``) and
    is else that of the kernel which runs where the library is missing.

    Runs on: ``fused_group``. Leaves: ``fused_group``. Order: after ``fuse``.
    """

    name = "tile"
    libraries: tuple[str, ...] = ()
    arch: str = arch.DEFAULT_TARGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip, known = arch.by_name(self.arch), dlc_context(ctx).measurements
        planner = Planner(chip, known, self.libraries)
        for group in op.walk():
            if isinstance(group, GroupOp):
                _tile(group, planner)


def _tile(group: GroupOp, planner: Planner) -> None:
    flow = Dataflow(group.body.block)
    cluster = Cluster(flow, tuple(flow.ops))
    try:
        if group.schedule is not None:
            rated = planner.rated(cluster, group.schedule)
        else:
            rated = _chosen(group, cluster, planner)
    except NotFusibleError as reason:
        raise CompileError(
            f"these ops cannot share a kernel: {reason}", at=operation_text(group)
        ) from None
    except CompileError as error:
        error.place(operation_text(group))
        raise
    write(rated, group)


def _chosen(group: GroupOp, cluster: Cluster, planner: Planner) -> Rated:
    """Return the best schedule; raises NotFusibleError where there is none."""
    found = planner.plan(cluster)
    if isinstance(found, NoPlan):
        raise NotFusibleError(found.reason)
    return fitting(found, group).rated
