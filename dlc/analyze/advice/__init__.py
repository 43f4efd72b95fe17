"""What can be done about a model's time: the questions of Benanza, and what to do (dlc.analyze)."""

import pkgutil
from dataclasses import asdict
from importlib import import_module

from dlc.analyze.advice import questions
from dlc.analyze.advice.facts import Advice, Facts
from dlc.compiler.outcome import Report
from dlc.report.analyses.bounds import LAYERS

__all__ = ["Advice", "Facts", "advise"]

_LEAST_SHARE = 0.005
"""Of what the model takes; estimates are rounded."""


def advise(facts: Facts) -> list[Report]:
    """Return what can be done, what gains most first.

    Each file of ``questions`` asks one question with its ``ask``, which returns ``None`` where
    there is nothing to do. What would gain next to nothing is left out; a remark gains 0.
    """
    names = sorted(module.name for module in pkgutil.iter_modules(questions.__path__))
    modules = [import_module(f"{questions.__name__}.{name}") for name in names]
    found: list[Advice] = [advice for each in modules if (advice := each.ask(facts))]
    least_us = _LEAST_SHARE * (facts.others_us or facts.bounds[LAYERS.sequential.key])
    found = [each for each in found if not each.gain_us or each.gain_us >= least_us]
    ordered = sorted(found, key=lambda advice: -advice.gain_us)
    return [_data(advice, facts) for advice in ordered]


def _data(advice: Advice, facts: Facts) -> Report:
    """Return advice as a report has it: its command as data, and as a line."""
    command = advice.command
    return {
        **asdict(advice),
        "layers": [*advice.layers],
        "options": command and asdict(command),
        "command": command and facts.line(command),
    }
