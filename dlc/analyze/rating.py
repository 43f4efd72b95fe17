"""What the layers of a model take, each alone, and what a call computes of several of them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from dlc import arch, search
from dlc.analysis.dataflow import Cluster
from dlc.analysis.entry import find_main
from dlc.analyze.joined import joined
from dlc.analyze.kernels import Kernels, divided
from dlc.analyze.layer import Layer
from dlc.analyze.measuring import Measuring
from dlc.analyze.naming import layers_of
from dlc.analyze.times import Times
from dlc.analyze.ways import Ways, total, ways_of
from dlc.compiler.options import DEFAULT_SEARCH
from dlc.core.context import DlcContext
from dlc.plan import Plan, Planner
from dlc.report.analyses.bounds import JOINED, LAYERS, LIBRARIES, Pair

Needs = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Rated:
    """Parts of a model, in an order in which they can run. needs: of each the parts that it waits
    for.
    """

    ways: Mapping[str, Ways]
    needs: Needs

    def times(self, seconds: Callable[[Ways], float]) -> Times:
        """Return the times of all parts, of which each takes ``seconds``."""
        return Times.of(self.needs, {name: seconds(ways) for name, ways in self.ways.items()})


@dataclass(frozen=True)
class Rating:
    """layers: of the model, each alone. together: what calls take that compute several layers, by
    the names of these, and layers that no call joins, in an order in which they can run.
    has_libraries: whether libraries were asked. is_measured: of each different kernel whether it
    has a measured time.
    """

    layers: Rated
    together: Mapping[tuple[str, ...], Ways]
    has_libraries: bool
    is_measured: Mapping[str, bool]

    @cached_property
    def joined(self) -> Rated:
        """Layers that one call computes together are one part, which takes no longer than they do
        alone.
        """
        home = {name: names[0] for names in self.together for name in names}
        ways: dict[str, Ways] = {}
        needs: dict[str, frozenset[str]] = {}
        for names, together in self.together.items():
            apart = total([self.layers.ways[name] for name in names])
            needed = {home[other] for name in names for other in self.layers.needs[name]}
            ways[names[0]] = min(apart, together, key=lambda each: each.best)
            needs[names[0]] = frozenset(needed - {names[0]})
        return Rated(ways, needs)

    def times(self) -> dict[Pair, Times]:
        """Return the times of all layers by who computes them: our kernels, the fastest calls, and
        calls that compute several layers, unless these take longer: a part waits for all that its
        layers wait for.
        """
        found = {LAYERS: self.layers.times(lambda ways: ways.ours)}
        if self.has_libraries:
            found[LIBRARIES] = self.layers.times(lambda ways: ways.best)
            joined = self.joined.times(lambda ways: ways.best)
            found[JOINED] = joined.or_less(found[LIBRARIES])
        return found


def rate(
    module: ModuleOp,
    layers: Sequence[Layer],
    measuring: Measuring,
    context: DlcContext,
    is_asked: Callable[[str], bool] = lambda _: True,
    *,
    has_calls_only: bool = False,
) -> Rating:
    """Return what layers take by what is known of their kernels.

    module: of the ``graph`` level, as it is when it is divided into kernels, but that no op comes
    from two layers. layers: all of it. is_asked: whether one is rated, by its name.
    has_calls_only: whether layers of which no library computes anything are neither measured nor
    counted.
    """
    rater = _Rater(module, layers, measuring, context, is_asked)
    return rater.rating(has_calls_only)


class _Rater:
    def __init__(
        self,
        module: ModuleOp,
        layers: Sequence[Layer],
        measuring: Measuring,
        context: DlcContext,
        is_asked: Callable[[str], bool],
    ):
        self._module, self._measuring, self._context = module, measuring, context
        self._libraries = measuring.options.libraries
        self._chip = arch.by_name(measuring.target.name)
        self._block = find_main(module).body.block
        asked = [layer for layer in layers if is_asked(layer.name)]
        self._needs = {x.name: frozenset(filter(is_asked, x.needs)) for x in asked}
        parts = _parts(self._block, [layer.name for layer in layers])
        self._parts = {name: parts[name] for name in self._needs}

    def rating(self, has_calls_only: bool) -> Rating:
        planner = Planner(self._chip, libraries=self._libraries)
        searched = search.by_name(self._measuring.options.search or DEFAULT_SEARCH)
        alone = divided(self._block, self._parts, planner, searched)
        parts = joined(alone, planner) if self._libraries else []
        apart = _apart(alone, planner) if self._libraries else {}
        each = [*alone.values(), *apart.values(), *(part.kernels for part in parts)]
        if has_calls_only:
            each = [x for x in each if any(_has_calls(cluster, planner) for cluster in x.each)]
        clusters = [cluster for kernels in each for cluster in kernels.each]
        known = self._measuring.of_clusters(clusters, self._module, self._context, planner)
        planner = Planner(self._chip, known, self._libraries)
        ways = {name: ways_of(kernels, planner) for name, kernels in alone.items()}
        for name, kernels in apart.items():
            ways[name] = ways[name].or_calls_of(ways_of(kernels, planner), is_apart=True)
        together = {tuple(part.layers): ways_of(part.kernels, planner) for part in parts}
        found = Rated(ways, self._needs)
        return Rating(found, together, bool(self._libraries), _measured(clusters, planner))


def _parts(block: Block, names: Collection[str]) -> dict[str, set[Operation]]:
    """Return the ops of each layer, in the order of the names."""
    found = {name: set[Operation]() for name in names}
    for op, name in layers_of(block, names.__contains__).items():
        if name in found:
            found[name].add(op)
    return found


def _apart(alone: Mapping[str, Kernels], planner: Planner) -> dict[str, Kernels]:
    """Return kernels of layers in which products are alone, where these are others, and can be."""
    found = {name: kernels.apart() for name, kernels in alone.items()}
    return {
        name: kernels
        for name, kernels in found.items()
        if kernels != alone[name]
        and all(isinstance(planner.whole(each), Plan) for each in kernels.each)
    }


def _has_calls(cluster: Cluster, planner: Planner) -> bool:
    plan = planner.whole(cluster)
    return isinstance(plan, Plan) and any(each.schedule.library for each in plan.candidates)


def _measured(clusters: Sequence[Cluster], planner: Planner) -> dict[str, bool]:
    plans = [plan for each in clusters if isinstance(plan := planner.whole(each), Plan)]
    return {plan.key: _is_measured(plan) for plan in plans}


def _is_measured(plan: Plan) -> bool:
    """Whether a schedule of ours, and a call of each library, have a time."""
    timed = {each.schedule.library for each in plan.candidates if each.measured_s is not None}
    return timed == {each.schedule.library for each in plan.candidates}
