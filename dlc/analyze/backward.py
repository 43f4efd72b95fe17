"""The gradients of layers: layers of a step of the model's training."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from dlc.analyze.hardware import least_s
from dlc.analyze.layer import Layer, Layers, read_layers
from dlc.analyze.levels import as_trained, by_layer
from dlc.analyze.measuring import Measuring
from dlc.analyze.numbers import numbers
from dlc.analyze.rating import Rating, rate
from dlc.analyze.training_step import training_step
from dlc.arch import Arch
from dlc.compiler.outcome import Report
from dlc.core.context import DlcContext
from dlc.errors import CompileError
from dlc.option_text import option
from dlc.passes.graph_append_gradients import INPUT, WEIGHT, gradient_name
from dlc.report.analyses.bounds import TRAINED, TRAINING_HARDWARE


@dataclass(frozen=True)
class Backward:
    """step: all layers of a step. gradients: those that compute gradients, by name. rating: of
    these. without_rule: the ops of a layer whose gradients nobody knows, in words, by its name.
    """

    step: Layers
    gradients: Mapping[str, Layer]
    rating: Rating
    without_rule: Mapping[str, Sequence[str]]

    def of(self, name: str, chip: Arch) -> Report:
        """Return what a report says of the gradients of a layer, and whose each is: of its input,
        or of its weight.
        """
        names = {whose: gradient_name(whose, name) for whose in (INPUT, WEIGHT)}
        ways, has_libraries = self.rating.layers.ways, self.rating.has_libraries
        found: Report = {
            "backward": [
                {"of": whose, **numbers(self.gradients[each], ways[each], chip, has_libraries)}
                for whose, each in names.items()
                if each in self.gradients
            ]
        }
        if without := self.without_rule.get(name):
            found["without_rule"] = without
        return found

    def training_us(self, forward: Rating, chip: Arch) -> dict[str, float]:
        """Return the times of all gradients, and of a step of training, in microseconds: gradients
        begin when all results are there. forward: of the layers.
        """
        whole_s, gradients = least_s(self.step.whole, chip), self.rating.times()
        us = {TRAINING_HARDWARE.key: 1e6 * whole_s}
        for pair, times in forward.times().items():
            trained = TRAINED[pair]
            us[trained.backward.key] = 1e6 * gradients[pair].sequential_s
            us |= times.then(gradients[pair]).bounds_us(trained.training, whole_s)
        return us


def backward(module: ModuleOp, measuring: Measuring, context: DlcContext) -> Backward:
    """Return the gradients of the layers of a module as it was imported.

    Raises CompileError where the model has no weights.
    """
    measuring.options.progress("rating the gradients")
    precision = measuring.options.precision
    step, missing = training_step(module, precision, context)
    layers = read_layers(as_trained(step, precision, context))
    asked = {gradient_name(of, x.name) for x in layers.each for of in (INPUT, WEIGHT)}
    found = {layer.name: layer for layer in layers.each if layer.name in asked}
    without: dict[str, list[str]] = {}
    for each in missing:
        without.setdefault(each.node, []).append(each.what)
    if not found and not without:
        raise CompileError(
            "the model has no weights of floats, so nothing is trained; leave out "
            f"{option('backward')}"
        )
    module = by_layer(step, measuring.target, precision, context)
    rating = rate(module, layers.each, measuring, context, found.__contains__)
    return Backward(layers, found, rating, without)
