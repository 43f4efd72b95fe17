"""What the layers of a model take, each alone, and what a call computes of several of them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from dlc import arch, search
from dlc.analysis.dataflow import Cluster
from dlc.analysis.entry import find_main
from dlc.analyze.joined import Part, joined
from dlc.analyze.kernels import divided
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
    """layers: of the model, each alone. joined: layers that one call computes together are one
    part, which takes no longer than they do alone. has_libraries: whether libraries were asked.
    is_measured: of each different kernel whether it has a measured time.
    """

    layers: Rated
    joined: Rated
    has_libraries: bool
    is_measured: Mapping[str, bool]

    def times(self) -> dict[Pair, Times]:
        """Return the times of all layers by who computes them: our kernels, the fastest calls, and
        calls that compute several layers.
        """
        found = {LAYERS: self.layers.times(lambda ways: ways.ours)}
        if self.has_libraries:
            found[LIBRARIES] = self.layers.times(lambda ways: ways.best)
            found[JOINED] = self.joined.times(lambda ways: ways.best)
        return found


def rate(
    module: ModuleOp,
    layers: Sequence[Layer],
    measuring: Measuring,
    context: DlcContext,
    is_asked: Callable[[str], bool] = lambda _: True,
) -> Rating:
    """Return what layers take by what is known of their kernels.

    module: of the ``graph`` level, as it is when it is divided into kernels, but that no op comes
    from two layers. layers: all of it. is_asked: whether one is rated, by its name.
    """
    return _Rater(module, layers, measuring, context, is_asked).rating()


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

    def rating(self) -> Rating:
        planner = Planner(self._chip, libraries=self._libraries)
        searched = search.by_name(self._measuring.options.search or DEFAULT_SEARCH)
        alone = divided(self._block, self._parts, planner, searched)
        parts = joined(alone, planner) if self._libraries else []
        each = (*alone.values(), *(part.kernels for part in parts))
        clusters = [cluster for kernels in each for cluster in kernels.each]
        known = self._measuring.of_clusters(clusters, self._module, self._context, planner)
        planner = Planner(self._chip, known, self._libraries)
        ways = {name: ways_of(kernels, planner) for name, kernels in alone.items()}
        return Rating(
            Rated(ways, self._needs),
            self._joined(parts, ways, planner),
            bool(self._libraries),
            _measured(clusters, planner),
        )

    def _joined(self, parts: Sequence[Part], alone: Mapping[str, Ways], planner: Planner) -> Rated:
        home = {name: part.layers[0] for part in parts for name in part.layers}
        ways: dict[str, Ways] = {}
        needs: dict[str, frozenset[str]] = {}
        for part in parts:
            apart = total([alone[name] for name in part.layers])
            together = ways_of(part.kernels, planner)
            needed = {home[other] for name in part.layers for other in self._needs[name]}
            ways[part.layers[0]] = min(apart, together, key=lambda each: each.best)
            needs[part.layers[0]] = frozenset(needed - {part.layers[0]})
        return Rated(ways, needs)


def _parts(block: Block, names: Collection[str]) -> dict[str, set[Operation]]:
    """Return the ops of each layer, in the order of the names."""
    found = {name: set[Operation]() for name in names}
    for op, name in layers_of(block, names.__contains__).items():
        if name in found:
            found[name].add(op)
    return found


def _measured(clusters: Sequence[Cluster], planner: Planner) -> dict[str, bool]:
    plans = [plan for each in clusters if isinstance(plan := planner.whole(each), Plan)]
    return {plan.key: _is_measured(plan) for plan in plans}


def _is_measured(plan: Plan) -> bool:
    return any(each.measured_s is not None for each in plan.candidates)
