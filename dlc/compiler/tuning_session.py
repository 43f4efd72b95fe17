"""The tuner of one target, as long as its module is lowered."""

from collections.abc import Callable
from contextlib import ExitStack

from xdsl.dialects.builtin import ModuleOp

from dlc import arch
from dlc.compiler import measuring
from dlc.compiler.options import Options
from dlc.compiler.targets import Target
from dlc.core.context import DlcContext
from dlc.errors import CompileError
from dlc.plan import Planner
from dlc.tuning.budget import Budget
from dlc.tuning.database import Database, default_path
from dlc.tuning.tuned import Tuned
from dlc.tuning.tuner import Tuner

_SEARCH = 0.8
"""The part of the time in which divisions are compared; the rest is for what these have not."""


class TuningSession:
    """Opens the device when something is to be measured first; what was measured stays known.

    budget: for all measuring. search_budget: for comparing divisions.
    """

    def __init__(
        self,
        target: Target,
        options: Options,
        context: DlcContext,
        kept: ExitStack,
        remark: Callable[[str], None],
        generated: int | None = None,
    ):
        """kept: gives the device back. remark: is told what the user should know. generated: as of
        ``Tuner``.
        """
        self._target, self._options, self._context = target, options, context
        self._kept, self._remark = kept, remark
        self._generated = generated
        seconds = options.tune_seconds
        assert seconds is not None
        self.budget = Budget(seconds)
        self.search_budget = self.budget.part(_SEARCH)
        self._tuner: Tuner | None = None
        self._is_broken = False

    def tuner(self, module: ModuleOp) -> Tuner | None:
        """Return the tuner of a module; ``None`` where the device cannot be used, which is told."""
        if self._tuner is None and not self._is_broken:
            try:
                self._tuner = self._open(module)
            except CompileError as error:
                self._is_broken = True
                self._remark(f"nothing is measured: {error}")
        return self._tuner

    def _open(self, module: ModuleOp) -> Tuner:
        target, options = self._target, self._options
        measurer = measuring.measurer(target, module, options, self._context, self._kept)
        planner = Planner(arch.by_name(target.name), Tuned(), options.libraries)
        return Tuner(
            measurer,
            planner,
            self._database(),
            self.budget,
            options.show_detail,
            generated=self._generated,
        )

    def _database(self) -> Database | None:
        try:
            return self._kept.enter_context(Database(default_path()))
        except CompileError as error:
            self._remark(f"{error}; what is measured now is not kept")
            return None
