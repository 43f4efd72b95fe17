"""Compares a model, however it runs, with the reference on one input after the other."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil, floor, log10
from typing import Any

from dlc.dialects.graph.structure import Array
from dlc.errors import counted
from dlc.option_text import option
from dlc.verification.error_bound import MOST
from dlc.verification.evidence import Silence
from dlc.verification.inputs import ZERO, Feeds
from dlc.verification.judge import Judge
from dlc.verification.value_range import RangeError

Run = Callable[[Feeds], Mapping[str, Array]]
"""Returns the outputs of the compiled model by name."""


@dataclass
class InputsCompared:
    """What came of it. cases: by input on which outputs were compared, the largest error there,
    relative to an output's largest value; beyond: the inputs on which the model has values that the
    precision cannot hold; left_out: those for which there was no time; measured_noise: whether
    errors are those beyond what rounding errors were measured to do; hidden: by input, the share
    of the numbers of each output that rounding errors hide, where it has numbers; silence: the
    outputs that told nothing.
    """

    bound: float
    cases: dict[str, float] = field(default_factory=dict[str, float])
    beyond: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    measured_noise: bool = False
    hidden: dict[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]])
    silence: Silence = field(default_factory=Silence)

    @property
    def worst(self) -> float:
        """The largest error of all inputs."""
        return max(self.cases.values(), default=0.0)

    @property
    def hidden_outputs(self) -> dict[str, float]:
        """The outputs most of whose numbers rounding errors hide on every input but zeros, and
        which share of them at the least.
        """
        shares = [each for name, each in self.hidden.items() if name != ZERO]
        names = {output: None for each in shares for output in each}
        least = {x: min(each[x] for each in shares if x in each) for x in names}
        return {x: share for x, share in least.items() if share > MOST}

    @property
    def _worst_hidden(self) -> dict[str, tuple[float, str]]:
        """By input on which rounding errors hide numbers, the largest share and its output."""
        worst = {
            name: max((share, output) for output, share in each.items())
            for name, each in self.hidden.items()
            if each
        }
        return {name: found for name, found in worst.items() if found[0]}

    def warnings(self) -> list[str]:
        """Return lines for the user: of which outputs rounding errors hide most elements on every
        input, and which outputs told nothing.
        """
        lines = [
            f"rounding errors hide {_percent(share)} of output {name!r} or more on every input: "
            f"verification says nothing of these; give {option('verify-inputs')}"
            for name, share in self.hidden_outputs.items()
        ]
        return [*lines, *self.silence.warnings()]

    def _noise(self) -> str:
        """Return a phrase for the user about rounding errors."""
        if not self.measured_noise:
            return ""
        worst = self._worst_hidden.items()
        shares = [f"{_percent(share)} of {output!r} on {name}" for name, (share, output) in worst]
        hidden = f", which hides {', '.join(shares)} input" if shares else ""
        return f" beyond measured rounding noise{hidden}"

    def text(self) -> str:
        """Return a phrase for the user."""
        noise = self._noise()
        parts = [
            f"{counted(len(self.cases), 'input')} ({', '.join(self.cases)})",
            self.silence.text(f"error {self.worst:.1e}{noise}, bound {self.bound:.1e}"),
        ]
        if self.beyond:
            parts.append(f"beyond the precision: {' and '.join(self.beyond)} input")
        if self.left_out:
            parts.append(f"left out for time: {' and '.join(self.left_out)} input")
        return ", ".join(parts)

    def certificate(self) -> dict[str, Any]:
        """Return what is kept with the artifact: bounds and errors with one digit, rounded up."""
        return {
            "inputs": {name: one_digit(error) for name, error in self.cases.items()},
            "bound": one_digit(self.bound),
            "beyond_measured_noise": self.measured_noise,
            "hidden_by_noise": {name: one_digit(x) for name, (x, _) in self._worst_hidden.items()},
            "beyond_the_precision": self.beyond,
            "left_out_for_time": self.left_out,
            "told_nothing": dict(self.silence.outputs),
        }


def compare(
    run: Run,
    inputs: Iterable[tuple[str, Feeds]],
    given: int,
    judge: Judge,
    seconds: Callable[[int], float],
    budget_seconds: float,
) -> InputsCompared:
    """Compare on the first ``given`` inputs, on one in any case, and on more while there is time;
    on a second one in any case where rounding errors hide most of an output of the first.

    seconds: what an input takes for which the reference runs so often. Inputs on which values do
    not fit into the precision are left out, but for the first ones: then RangeError is raised.
    Raises CompileError as ``Judge.check`` does.
    """
    found = InputsCompared(judge.bound)
    left = budget_seconds
    for number, (name, feeds) in enumerate(inputs):
        enough = found.cases and not (found.hidden_outputs and len(found.cases) == 1)
        if enough and number >= given and left < seconds(judge.runs):
            found.left_out.append(name)
            continue
        try:
            found.cases[name] = judge.check(feeds, run(feeds), name)
            found.hidden[name] = judge.hidden
        except RangeError:
            if not found.cases:  # ordinary inputs must fit
                raise
            found.beyond.append(name)
        left -= seconds(judge.runs)
    found.measured_noise = judge.measured_noise
    found.silence = judge.evidence.silence
    return found


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.005 else "under 1 %"


def one_digit(number: float) -> float:
    """Round up to one significant digit."""
    if number == 0:
        return 0.0
    unit = 10.0 ** floor(log10(number))
    return float(f"{ceil(number / unit) * unit:.0e}")
