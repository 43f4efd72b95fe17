"""Whether the outputs of a model tell anything: NaN alone, or one number alone, hide a fault."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.entry import find_main, output_names, returned
from dlc.analysis.evaluation import known_values
from dlc.dialects.graph.structure import Array
from dlc.ir.tensor import is_empty
from dlc.option_text import option


@dataclass(frozen=True)
class Silence:
    """By name, the outputs that told nothing on any input, and what they were everywhere. is_all:
    whether none but these depend on the inputs, or there are none at all.
    """

    outputs: Mapping[str, str] = field(default_factory=dict[str, str])
    is_all: bool = False

    def text(self, error: str) -> str:
        """Return a phrase for the user. error: one about the error that was met."""
        if not self.outputs:
            return "nothing compared: the model has no outputs" if self.is_all else error
        return f"nothing compared: {self._facts}" if self.is_all else f"{error}, but {self._facts}"

    def warnings(self) -> list[str]:
        """Return a line for the user, none where all outputs told something."""
        advice = f"verification says nothing of that; give {option('verify-inputs')}"
        return [f"{self._facts}: {advice}"] if self.outputs else []

    @property
    def _facts(self) -> str:
        same = [f"output {name!r} was {what} everywhere" for name, what in self.outputs.items()]
        return f"{', '.join(same)} on every input"


class Evidence:
    """What the outputs of ``module`` that depend on inputs were so far."""

    def __init__(self, module: ModuleOp):
        main = find_main(module)
        results = returned(main.body.block)
        named = zip(output_names(main), results, strict=True)
        known = known_values(module)
        self._has_outputs = bool(results)
        self._seen = {n: _Seen() for n, x in named if x not in known and not is_empty(x)}

    def add(self, outputs: Mapping[str, Array]) -> None:
        """Count the outputs of a run."""
        for name in self._seen.keys() & outputs.keys():
            self._seen[name].add(outputs[name])

    @property
    def silence(self) -> Silence:
        """The outputs that have told nothing so far."""
        found = {name: seen.same for name, seen in self._seen.items() if seen.same}
        is_all = len(found) == len(self._seen) if found else not self._has_outputs
        return Silence(found, is_all)


class _Seen:
    """The elements of one output: how many, how many of them numbers, and between which ends."""

    def __init__(self) -> None:
        self.elements = 0
        self.least, self.largest = np.inf, -np.inf

    def add(self, array: Array) -> None:
        """Count an array."""
        numbers = array.astype(np.float64)
        numbers = numbers[np.isfinite(numbers)]
        self.elements += array.size
        if numbers.size:
            self.least = min(self.least, float(numbers.min()))
            self.largest = max(self.largest, float(numbers.max()))

    @property
    def same(self) -> str:
        """What all elements were; empty where they differ, or there is one alone."""
        if self.least > self.largest:
            return "NaN or infinite" if self.elements else ""
        return f"{self.least:g}" if self.least == self.largest and self.elements > 1 else ""
