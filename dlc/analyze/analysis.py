"""``analyze``: a model in, what it has to do and how fast that can be out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from dlc import arch, registry
from dlc.analyze.alone import Alone, layers_alone
from dlc.analyze.batch import with_batch
from dlc.analyze.bounds import bounds_us
from dlc.analyze.fused import read_fused
from dlc.analyze.hardware import least_s
from dlc.analyze.layer import Layer, Layers, read_layers
from dlc.analyze.levels import as_written, by_layer, fused
from dlc.analyze.patterns import patterns
from dlc.compiler.ir_files import is_ir
from dlc.compiler.options import DEFAULT_SEARCH, Options
from dlc.compiler.outcome import Report
from dlc.compiler.targets import Target, check_libraries, parse_chip
from dlc.core.blas_threads import one_blas_thread
from dlc.core.context import DlcContext
from dlc.core.garbage import rare_collections
from dlc.core.weights import WeightStore
from dlc.errors import CompileError, printable
from dlc.frontends.onnx.import_record import ImportRecord
from dlc.frontends.onnx.importer import import_model
from dlc.frontends.onnx.loading import ModelSource
from dlc.frontends.onnx.shapes import Shapes
from dlc.plan import Planner

NOTE = "all times come from the model of the chip: no measurements"


def analyze(source: ModelSource, options: Options, batches: Sequence[int] = ()) -> Report:
    """Return the layers of a model, their work, and bounds of their time (docs/analyze.md lists the
    keys).

    batches: batch sizes; the report is that of the first one, and has those of all under
    ``batches`` where there are several. Of ``options``, those count that decide what is computed
    and how it is divided into kernels. Raises CompileError.
    """
    options.check()
    if is_ir(source):
        raise CompileError("an analysis is of an ONNX model, this is IR", at=str(source))
    target = parse_chip(options.target)
    check_libraries(options.libraries, [target])
    with rare_collections(), one_blas_thread():
        each = [*_of_batches(source, options, target, batches)]
    return {**each[0], "batches": each} if len(each) > 1 else each[0]


def _of_batches(
    source: ModelSource, options: Options, target: Target, batches: Sequence[int]
) -> Iterator[Report]:
    shapes = options.shapes or {}
    constants = list(options.constants or {})
    sizes = [(n, with_batch(source, shapes, n, constants)) for n in batches]  # all, before work
    for batch, given in sizes or [(None, shapes)]:
        found = _Analysis(source, options, target, given)
        yield {
            "model": None if not isinstance(source, str | Path) else str(source),
            "target": target.name,
            "chip": arch.by_name(target.name).name,
            "precision": options.precision,
            "batch": batch,
            "note": NOTE,
            **found.data(),
        }


@dataclass
class _Analysis:
    source: ModelSource
    options: Options
    target: Target
    shapes: Shapes
    context: DlcContext = field(default_factory=lambda: registry.new_context(WeightStore()))
    kinds: dict[str, str] = field(default_factory=dict[str, str])

    def data(self) -> Report:
        """Return the layers, their patterns, totals and bounds."""
        alone = self._alone
        layers = [self._layer(each, alone.get(each.name, Alone())) for each in self._layers.each]
        return {
            "totals": self._totals(layers),
            "bounds": self._bounds(),
            "layers": layers,
            "patterns": patterns(layers),
        }

    @cached_property
    def _chip(self) -> arch.Arch:
        return arch.by_name(self.target.name)

    @cached_property
    def _module(self) -> ModuleOp:
        self.options.progress("reading the model")
        options, record = self.options, ImportRecord()
        module = import_model(
            self.source, self.shapes, self.context, options.constants, record=record
        )
        self.kinds |= {printable(each.place): each.node.op_type for each in record.nodes}
        return module

    @cached_property
    def _layers(self) -> Layers:
        return read_layers(as_written(self._module, self.options.precision, self.context))

    @cached_property
    def _alone(self) -> dict[str, Alone]:
        names = {each.name for each in self._layers.each}
        options = self.options
        self.options.progress("rating the layers")
        module = by_layer(self._module, self.target, options.precision, self.context)
        planner = Planner(self._chip, libraries=options.libraries)
        searched = options.search or DEFAULT_SEARCH
        return layers_alone(module, names.__contains__, planner, searched)

    def _bounds(self) -> Report:
        seconds = {name: each.seconds for name, each in self._alone.items()}
        self.options.progress("rating the whole model")
        groups = fused(self._module, self.target, self.options, self.context)
        whole_s = least_s(self._layers.whole, self._chip)
        return bounds_us(self._layers.each, seconds, self._least, whole_s, read_fused(groups))

    @cached_property
    def _least(self) -> dict[str, float]:
        """The least seconds of each layer; 0 of one that needs no kernel, such as a view."""
        return {
            each.name: least_s(each.work, self._chip) if self._alone[each.name].seconds else 0.0
            for each in self._layers.each
            if each.name in self._alone
        }

    def _layer(self, layer: Layer, alone: Alone) -> Report:
        work = layer.work
        return {
            "name": layer.name,
            "op_type": self.kinds.get(layer.name, ""),
            "inputs": [list(each) for each in layer.inputs],
            "outputs": [list(each) for each in layer.outputs],
            "macs": work.macs,
            "flops": work.flops,
            "bytes_read": work.bytes_read,
            "bytes_written": work.bytes_written,
            "weights": layer.weights,
            "pattern": layer.key,
            "bound_us": 1e6 * self._least.get(layer.name, 0.0),
            "estimate_us": 1e6 * alone.seconds,
            "libraries_us": {name: 1e6 * s for name, s in alone.by_library.items()},
        }

    def _totals(self, layers: Sequence[Report]) -> Report:
        """Return sums over layers; bytes also as the whole model must move them."""
        keys = ("macs", "flops", "bytes_read", "bytes_written")
        whole = self._layers.whole
        return {
            "layers": len(layers),
            **{key: sum(each[key] for each in layers) for key in keys},
            "weights": self._layers.weights,
            "bytes_once": whole.bytes,
        }
