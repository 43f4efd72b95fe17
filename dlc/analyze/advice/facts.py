"""What is known of a model when it is asked what to do about it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from dlc import arch
from dlc.analyze.advice.command import Command
from dlc.analyze.profiles.matched import Matched
from dlc.analyze.profiles.objections import objections
from dlc.compiler.options import Options
from dlc.compiler.outcome import Report
from dlc.frontends.onnx.shapes import Shapes
from dlc.report.analyses.bounds import FUSED, LAYERS, LIBRARIES

_FACTORS = {"tf32": "tf32", "fp16": "f16", "bf16": "bf16"}
"""Of products in a precision: their type as the units of a chip name it."""
_TRIED = ("tf32", "fp16")


def other_precisions(chip: arch.Arch, precision: str) -> list[str]:
    """Return the precisions that one is compared with: of fp32, whose products use no tensor cores,
    those that the tensor cores of the chip multiply.
    """
    return [name for name in _TRIED if precision == "fp32" and _has_tensor_cores(chip, name)]


def _has_tensor_cores(chip: arch.Arch, precision: str) -> bool:
    types = chip.tensor_core_types if isinstance(chip, arch.GpuArch) else ()
    return _FACTORS.get(precision) in types


@dataclass(frozen=True)
class Advice:
    """An answer to a question of Benanza. gain_us: what is gained if it is followed. layers: the
    names of those that it is about. command: what does it, ``None`` where no compile does.
    """

    question: str
    title: str
    text: str
    gain_us: float
    layers: Sequence[str] = ()
    command: Command | None = None


@dataclass(frozen=True)
class Facts:
    """report: of the analysis, with what a profile says of it. options, shapes: of the analysis.
    matched: the calls of the profile. at_precision: what our kernels take for the whole model in
    another precision, in microseconds.
    """

    report: Report
    options: Options
    shapes: Shapes
    matched: Matched | None
    at_precision: Callable[[str], float]

    @property
    def bounds(self) -> dict[str, float]:
        """The times of the whole model, by name, in microseconds."""
        return self.report["bounds"]

    @property
    def layers(self) -> Sequence[Report]:
        """What the report says of each layer."""
        return self.report["layers"]

    @property
    def on_gpu(self) -> bool:
        """Whether the chip is a GPU."""
        return isinstance(self.chip, arch.GpuArch)

    @property
    def chip(self) -> arch.Arch:
        """What the model was analysed for."""
        return arch.by_name(self.report["target"])

    def can_use_tensor_cores(self, precision: str) -> bool:
        """Whether the chip has tensor cores for products in a precision."""
        return _has_tensor_cores(self.chip, precision)

    @cached_property
    def is_compared(self) -> bool:
        """Whether there is a profile whose times are of this model, this size and kind of chip."""
        return self.matched is not None and not any(
            objections(self.matched, self.layers, self.chip)
        )

    @property
    def others_us(self) -> float | None:
        """What another system takes for the model on this kind of chip, if a profile says so."""
        if not self.matched or not self.is_compared or self.matched.profile.kind == "dlc-run":
            return None
        return self.matched.profile.total_us

    @property
    def by_libraries(self) -> bool:
        """Whether libraries were asked, too."""
        return LIBRARIES.sequential.key in self.bounds

    @property
    def alone_us(self) -> tuple[float, float]:
        """What the layers take alone at best: one after the other, and each as soon as its inputs
        are there.
        """
        return (LIBRARIES if self.by_libraries else LAYERS).of(self.bounds)

    @cached_property
    def how(self) -> str:
        """Where the times of layers come from; some layers take none."""
        working = [layer for layer in self.layers if self.best_us(layer)]
        if self.by_libraries:
            measured = [layer["library_us"]["measured"] for layer in working]
        else:
            measured = ["dlc" in layer.get("measured_us", {}) for layer in working]
        by = "libraries and our kernels" if self.by_libraries else "our kernels"
        return f"{_words(sum(measured), len(measured))} {'of' if all(measured) else 'for'} {by}"

    @property
    def from_groups(self) -> str:
        """Where the times of our kernels for the whole model come from."""
        groups = self.report["fused"]
        return _words(groups["measured"], groups["kernels"])

    @property
    def how_fused(self) -> str:
        """Where the times of our kernels come from, of the layers alone and of the whole model. A
        measured and an estimated time differ also where nothing is gained.
        """
        own = [layer for layer in self.layers if layer["time_us"]]
        measured = sum("dlc" in layer.get("measured_us", {}) for layer in own)
        alone, together = _words(measured, len(own)), self.from_groups
        if alone == together:
            return f"by {alone}"
        return f"layers by {alone}, kernels by {together}: measure all with --tune"

    def best_us(self, layer: Report) -> float:
        """Return what a layer takes alone at best."""
        return layer["library_us"]["us"] if self.by_libraries else layer["time_us"]

    @cached_property
    def fastest(self) -> tuple[str, float]:
        """The precision in which our kernels take least for the whole model, in microseconds."""
        times = {self.report["precision"]: self.bounds[FUSED.parallel.key]}
        for name in other_precisions(self.chip, self.report["precision"]):
            times[name] = self.at_precision(name)
        return min(times.items(), key=lambda pair: pair[1])

    def command(self, precision: str = "", tune: bool = False) -> Command:
        """Return a compile in a precision, by default that of the analysis.

        Where times of our kernels are measured ones, only a compile that measures has them.
        """
        is_measured = tune or self.report["fused"]["measured"] > 0
        return Command(precision or self.report["precision"], is_measured)

    def line(self, command: Command) -> str | None:
        """Return a command line of ``dlc-compile``, ``None`` where no line says it all."""
        report = self.report
        return command.line(report["model"], report["target"], self.options, self.shapes)


def _words(measured: int, all: int) -> str:
    """Return where times come from of which some were measured."""
    if measured == all:
        return "measured times"
    return "measured times and estimates" if measured else "estimates"
