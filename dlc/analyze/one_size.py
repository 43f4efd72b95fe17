"""The analysis of a model whose sizes are all known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

from onnx import NodeProto
from xdsl.dialects.builtin import ModuleOp

from dlc import arch, registry
from dlc.analyze.bounds import bounds_us
from dlc.analyze.critical_path import longest_path
from dlc.analyze.fused import Fused
from dlc.analyze.hardware import least_s
from dlc.analyze.layer import Layer, Layers, read_layers
from dlc.analyze.levels import as_written, by_layer
from dlc.analyze.measuring import Measuring
from dlc.analyze.own_groups import OwnGroups, own_groups
from dlc.analyze.patterns import patterns
from dlc.analyze.rating import Rating, rate
from dlc.analyze.ways import Ways
from dlc.analyze.work import Work
from dlc.compiler.outcome import Report
from dlc.compiler.report import describe_chip
from dlc.core.child import Child
from dlc.core.context import DlcContext
from dlc.core.weights import WeightStore
from dlc.errors import printable
from dlc.frontends.onnx.import_record import ImportRecord
from dlc.frontends.onnx.importer import import_model
from dlc.frontends.onnx.loading import ModelSource
from dlc.frontends.onnx.shapes import Shapes
from dlc.report.analyses.bounds import FUSED

_BY_MODEL = "all times come from the model of the chip: no measurements"


@dataclass
class OneSize:
    """Reads a model and rates its layers, what libraries compute together, and our groups."""

    source: ModelSource
    measuring: Measuring
    shapes: Shapes
    context: DlcContext = field(default_factory=lambda: registry.new_context(WeightStore()))
    nodes: dict[str, NodeProto] = field(default_factory=dict[str, NodeProto])

    def data(self) -> Report:
        """Return the layers, their patterns, totals and bounds."""
        own = partial(own_groups, self._module, self._work.keys(), self.measuring, self.context)
        if self.measuring.budget is not None:  # the device is this process's
            return self._data(own)
        with Child(lambda: lambda _: own()) as beside:
            beside.ask(None)
            return self._data(beside.answer)

    def fused_parallel_us(self) -> float:
        """Return what our groups take, each as soon as its inputs are there, in microseconds."""
        fused = own_groups(self._module, (), self.measuring, self.context).times
        whole_s = self._least_s(self._layers.whole)
        return fused.times.bounds_us(FUSED, whole_s)[FUSED.parallel.key]

    def _data(self, answer: Callable[[], OwnGroups]) -> Report:
        layers = [self._layer(each) for each in self._layers.each]
        own = answer()
        needs = {layer["name"]: layer["needs"] for layer in layers}
        us = {layer["name"]: layer["time_us"] for layer in layers}
        return {
            "rates": self._rates(),
            "totals": self._totals(layers),
            "bounds": self._bounds(own.times),
            "critical_path": longest_path(needs, us),
            "layers": layers,
            "groups": own.layers,
            "fused": {"kernels": own.times.kernels, "measured": own.times.measured},
            "patterns": patterns(layers),
            "note": self._note(),
        }

    @cached_property
    def _module(self) -> ModuleOp:
        options, record = self.measuring.options, ImportRecord()
        options.progress("reading the model")
        module = import_model(
            self.source, self.shapes, self.context, options.constants, record=record
        )
        self.nodes |= {printable(each.place): each.node for each in record.nodes}
        return module

    @cached_property
    def _layers(self) -> Layers:
        precision = self.measuring.options.precision
        return read_layers(as_written(self._module, precision, self.context))

    @cached_property
    def _rating(self) -> Rating:
        measuring = self.measuring
        measuring.options.progress("rating the layers")
        precision = measuring.options.precision
        module = by_layer(self._module, measuring.target, precision, self.context)
        return rate(module, self._layers.each, measuring, self.context)

    def _bounds(self, fused: Fused) -> dict[str, float]:
        """Return the times of the whole model in microseconds. fused: of our groups."""
        least = {name: self._bound_s(name) for name in self._rating.layers.ways}
        whole_s = self._least_s(self._layers.whole)
        return bounds_us(self._rating, least, fused, whole_s, self._has_libraries)

    @property
    def _has_libraries(self) -> bool:
        return bool(self.measuring.options.libraries)

    def _rates(self) -> Report:
        """Return what the chip moves and computes in a second."""
        chip = arch.by_name(self.measuring.target.name)
        said = describe_chip(chip, self.measuring.options.precision)
        return {key: said[key] for key in ("bytes_per_s", "flops_per_s")}

    def _bound_s(self, name: str) -> float:
        """Return the least seconds of a layer; 0 of one that needs no kernel, such as a view."""
        return self._least_s(self._work[name]) if self._rating.layers.ways[name].ours else 0.0

    def _least_s(self, work: Work) -> float:
        return least_s(work, arch.by_name(self.measuring.target.name))

    @cached_property
    def _work(self) -> dict[str, Work]:
        return {layer.name: layer.work for layer in self._layers.each}

    def _layer(self, layer: Layer) -> Report:
        work, ways = layer.work, self._rating.layers.ways[layer.name]
        node = self.nodes.get(layer.name, NodeProto())
        return {
            "name": layer.name,
            "op_type": node.op_type,
            "needs": [each.name for each in self._layers.each if each.name in layer.needs],
            "results": [*node.output],
            "inputs": [list(each) for each in layer.inputs],
            "outputs": [list(each) for each in layer.outputs],
            "macs": work.macs,
            "flops": work.flops,
            "bytes_read": work.bytes_read,
            "bytes_written": work.bytes_written,
            "weights": layer.weights,
            "pattern": layer.key,
            "bound_us": 1e6 * self._bound_s(layer.name),
            **_times_us(ways, self._has_libraries),
        }

    def _totals(self, layers: Sequence[Report]) -> Report:
        """Return sums over layers; bytes also as the whole model must move them."""
        keys = ("macs", "flops", "bytes_read", "bytes_written")
        return {
            "layers": len(layers),
            **{key: sum(each[key] for each in layers) for key in keys},
            "weights": self._layers.weights,
            "bytes_once": self._layers.whole.bytes,
        }

    def _note(self) -> str:
        counts = self._rating.counts
        if not counts.measured:
            return _BY_MODEL
        where = self.measuring.place
        of = f"{counts.measured} of {counts.kernels} different kernels were measured on {where}"
        rest = "; the other times come from the model of the chip"
        return of if counts.measured == counts.kernels else of + rest


def _times_us(ways: Ways, has_libraries: bool) -> Report:
    """Return what a layer takes, in microseconds."""
    found: Report = {
        "time_us": 1e6 * ways.ours,
        "estimate_us": 1e6 * ways.estimate,
        "libraries_us": {name: 1e6 * s for name, s in ways.by_library.items()},
    }
    if has_libraries:
        found["library_us"] = {
            "us": 1e6 * ways.best,
            "by": ",".join(ways.callers) or "dlc",
            "measured": ways.is_best_measured,
        }
    if measured := _measured_us(ways):
        found["measured_us"] = measured
    return found


def _measured_us(ways: Ways) -> Report:
    """Return what was measured: of our kernels, of each algorithm of each library."""
    ours = {"dlc": 1e6 * ways.ours} if ways.is_measured and ways.ours else {}
    if not ways.are_calls_measured:
        return {**ours}
    return {**ours, **{name: [1e6 * s for s in each] for name, each in ways.algorithms.items()}}
