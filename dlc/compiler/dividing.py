"""Who divides ops into groups, where it is not only the search that the options name."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp

from dlc import search
from dlc.compiler.options import DEFAULT_SEARCH, Options
from dlc.compiler.targets import Target
from dlc.compiler.tuning_session import TuningSession
from dlc.dialects.fused_group import GroupOp
from dlc.search import Search
from dlc.tuning.division import Recorded, Replayed
from dlc.tuning.evolution import MeasuredEvolution
from dlc.tuning.lock import Lock


class Dividing:
    """The search for one target. search: for ``DlcContext.search``; ``None``: the named one.

    It gives the divisions of a lock, where that has some. ``evolve`` goes by measured times in a
    session. What is found is noted where it may become part of a lock.
    """

    def __init__(
        self,
        options: Options,
        target: Target,
        module: ModuleOp,
        session: TuningSession | None,
        lock: Lock | None,
    ):
        """module: at the level of the graph. lock: whose choices are taken."""
        self._evolution: MeasuredEvolution | None = None
        self.search: Search | None = None
        given = lock.divisions.get(target.name) if lock else None
        self._replayed: Replayed | None = None
        if lock and given:
            self.search = self._replayed = Replayed(given, lock.path)
        elif session and options.search == "evolve":
            self.search = self._evolution = _measured(session, module)
        self._recorded: Recorded | None = None
        name = options.search or DEFAULT_SEARCH
        if options.lock is not None and (self.search or name != DEFAULT_SEARCH):
            named = search.by_name(name)
            self.search = self._recorded = Recorded(self.search or named)

    @property
    def texts(self) -> Sequence[str]:
        """The divisions that a lock should have."""
        return self._recorded.texts if self._recorded else ()

    def finish(self) -> None:
        """Raise CompileError where a lock has divisions that nothing asked for."""
        if self._replayed:
            self._replayed.finish()

    @property
    def summary(self) -> str:
        """A line about what was measured to divide; nothing where nothing was."""
        return self._evolution.text() if self._evolution else ""


def _measured(session: TuningSession, module: ModuleOp) -> MeasuredEvolution:
    def measure(groups: Sequence[GroupOp]) -> Sequence[float]:
        tuner = session.tuner(module)
        if tuner is None:
            return [float("inf")] * len(groups)
        return tuner.best_s(groups, session.search_budget)

    return MeasuredEvolution(measure)
