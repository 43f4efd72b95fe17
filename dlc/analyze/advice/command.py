"""The command that compiles a model as it was analysed."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dlc.compiler.options import Options
from dlc.compiler.targets import can_compile
from dlc.core.weights import Array
from dlc.frontends.onnx.shapes import Shapes

_MOST_NUMBERS = 16
"""Of a constant on a command line."""


@dataclass(frozen=True)
class Command:
    """Options of a compile that advice chooses; all others are those of the analysis."""

    precision: str
    tune: bool = False

    def line(self, model: str | None, target: str, options: Options, shapes: Shapes) -> str | None:
        """Return the command line of ``dlc-compile``. model: the file that was analysed. target,
        options, shapes: of the analysis.

        ``None`` where the model is no file, nothing is compiled for the chip, or a value that is
        compiled in would not fit on a line.
        """
        constants = options.constants or {}
        if model is None or not can_compile(target) or not all(map(_fits, constants.values())):
            return None
        words = ["dlc-compile", model, "-o", f"{Path(model).stem}.so"]
        words += ["--target", target, "--precision", self.precision]
        words += _inputs(shapes, constants)
        words += ["--search", options.search] if options.search else []
        words += ["--libraries", ",".join(options.libraries)] if options.libraries else []
        return shlex.join([*words, *(["--tune"] if self.tune else [])])


def _fits(array: Array) -> bool:
    return array.ndim <= 1 and 0 < array.size <= _MOST_NUMBERS


def _inputs(shapes: Shapes, constants: Mapping[str, Array]) -> Iterator[str]:
    for name, given in shapes.items():
        sizes = [given] if isinstance(given, int) else given
        yield from ("--shape", f"{name}={','.join(map(str, sizes))}")
    for name, array in constants.items():
        yield from ("--constant", f"{name}={','.join(map(str, array.reshape(-1).tolist()))}")
