"""Times of kernels: measured here, read from a file, or none."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.dataflow import Cluster
from dlc.analysis.outline import outline
from dlc.compiler.options import Options
from dlc.compiler.targets import Target
from dlc.compiler.tuning_session import TuningSession
from dlc.core.context import DlcContext
from dlc.core.measurements import NOTHING, Measurements
from dlc.dialects.fused_group import GroupOp
from dlc.plan import Plan, Planner
from dlc.tuning.budget import Budget
from dlc.tuning.recorded import Recorded
from dlc.tuning.tuned import Tuned

_GENERATED = 1
"""Of our own schedules that which a compile takes is measured, and all algorithms of libraries."""


@dataclass
class Measuring:
    """Knows times of kernels. recorded: those of a file. budget: for measuring what the database
    does not know; ``None``: nothing is measured. remarks: what the user should know.
    """

    target: Target
    options: Options
    recorded: Recorded | None = None
    budget: Budget | None = None
    remarks: list[str] = field(default_factory=list[str])

    @property
    def place(self) -> str:
        """Where measured times come from."""
        return self.recorded.chip if self.recorded else "this machine"

    @classmethod
    def of(cls, target: Target, options: Options, recorded: Recorded | None) -> "Measuring":
        """Return what options wish; the time for measuring begins now."""
        found = cls(target, options, recorded)
        if options.tune_seconds is None:
            return found
        if target.runs_here:
            found.budget = Budget(options.tune_seconds)
        else:
            found._tell(f"nothing is measured for {target.name}, which this machine does not have")
        return found

    def looking_up(self, precision: str) -> "Measuring":
        """Return what knows as much, of another precision, and measures nothing."""
        quiet = Options().progress
        options = replace(self.options, precision=precision, progress=quiet)
        return Measuring(self.target, options, self.recorded)

    def of_clusters(
        self, clusters: Iterable[Cluster], module: ModuleOp, context: DlcContext, planner: Planner
    ) -> Measurements:
        """Return what is known of kernels that compute clusters of a module."""
        if self.budget is None:
            return self.recorded or NOTHING
        plans = [(each, planner.whole(each)) for each in clusters]
        different = {plan.key: each for each, plan in plans if isinstance(plan, Plan)}
        made = [outline(cluster, "g") for cluster in different.values()]
        try:
            return self.of_groups(made, module, context)
        finally:
            for group in made:  # which the values that it reads would know
                group.erase()

    def of_groups(
        self, groups: Sequence[GroupOp], module: ModuleOp, context: DlcContext
    ) -> Measurements:
        """Return what is known of groups that read values of a module."""
        if self.budget is None:
            return self.recorded or NOTHING
        left = self.budget.left()
        options = replace(self.options, tune=True if left is None else left)
        with ExitStack() as kept:
            session = TuningSession(self.target, options, context, kept, self._tell, _GENERATED)
            tuner = session.tuner(module)
            if tuner is None:
                return NOTHING
            tuner.best_s(groups, session.budget)
            self._note(tuner.tuned)
            return tuner.tuned

    def _note(self, tuned: Tuned) -> None:
        tuned.warn_of_noise()
        for fault in tuned.faults:
            self._tell(fault)
        if tuned.stopped:  # by Ctrl-C
            self.budget = Budget(0.0)

    def _tell(self, remark: str) -> None:
        if remark not in self.remarks:
            self.remarks.append(remark)
