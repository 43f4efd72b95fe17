"""The analysis of a model whose sizes are all known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

from onnx import NodeProto
from xdsl.dialects.builtin import ModuleOp

from dlc import arch, registry
from dlc.analyze.backward import Backward, backward
from dlc.analyze.bounds import bounds_us
from dlc.analyze.critical_path import longest_path
from dlc.analyze.fused import Fused
from dlc.analyze.hardware import least_s
from dlc.analyze.layer import Layer, Layers, read_layers
from dlc.analyze.layouts import in_either
from dlc.analyze.levels import as_written, by_layer
from dlc.analyze.measuring import Measuring
from dlc.analyze.numbers import bound_s, numbers
from dlc.analyze.own_groups import OwnGroups, own_groups
from dlc.analyze.patterns import patterns
from dlc.analyze.rating import Rating, rate
from dlc.analyze.totals import note, totals
from dlc.analyze.work import Work
from dlc.arch import Arch
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


@dataclass
class OneSize:
    """Reads a model and rates its layers, what libraries compute together, and our groups.

    with_backward: whether it rates the gradients of the layers, too.
    """

    source: ModelSource
    measuring: Measuring
    shapes: Shapes
    with_backward: bool = False
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
        ratings = [self._rating, *([self._backward.rating] if self._backward else [])]
        return {
            "rates": self._rates(),
            "totals": totals(layers, self._layers),
            "bounds": self._bounds(own.times),
            "critical_path": longest_path(needs, us),
            "layers": layers,
            "groups": own.layers,
            "fused": {"kernels": own.times.kernels, "measured": own.times.measured},
            "patterns": patterns(layers),
            "note": note(ratings, own.times, self.measuring.place),
        }

    @cached_property
    def _chip(self) -> Arch:
        return arch.by_name(self.measuring.target.name)

    @property
    def _libraries(self) -> Sequence[str]:
        return self.measuring.options.libraries

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
        given = self._module, measuring.target, precision, self.context
        others = self._layers.each, measuring, self.context
        own = rate(by_layer(*given), *others)
        if not self._libraries:
            return own
        written = by_layer(*given, chooses_layout=False)
        return in_either(own, rate(written, *others, has_calls_only=True))

    @cached_property
    def _backward(self) -> Backward | None:
        if not self.with_backward:
            return None
        return backward(self._module, self.measuring, self.context)

    def _bounds(self, fused: Fused) -> dict[str, float]:
        """Return the times of the whole model in microseconds. fused: of our groups."""
        layers, chip = self._rating.layers, self._chip
        each = {layer.name: layer for layer in self._layers.each}
        least = {name: bound_s(each[name], ways, chip) for name, ways in layers.ways.items()}
        trained = self._backward.training_us(self._rating, chip) if self._backward else {}
        return bounds_us(self._rating, least, fused, self._least_s(self._layers.whole), trained)

    def _rates(self) -> Report:
        """Return what the chip moves and computes in a second."""
        said = describe_chip(self._chip, self.measuring.options.precision)
        return {key: said[key] for key in ("bytes_per_s", "flops_per_s")}

    def _least_s(self, work: Work) -> float:
        return least_s(work, self._chip)

    @cached_property
    def _work(self) -> dict[str, Work]:
        return {layer.name: layer.work for layer in self._layers.each}

    def _layer(self, layer: Layer) -> Report:
        ways = self._rating.layers.ways[layer.name]
        node = self.nodes.get(layer.name, NodeProto())
        return {
            "name": layer.name,
            "op_type": node.op_type,
            "needs": [each.name for each in self._layers.each if each.name in layer.needs],
            "results": [*node.output],
            "inputs": [list(each) for each in layer.inputs],
            "outputs": [list(each) for each in layer.outputs],
            **numbers(layer, ways, self._chip, bool(self._libraries)),
            **(self._backward.of(layer.name, self._chip) if self._backward else {}),
        }
