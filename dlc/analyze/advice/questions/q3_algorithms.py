"""Q3: whether a library chooses its fastest algorithm."""

from dlc.analyze.advice.facts import Advice, Facts
from dlc.compiler.outcome import Report
from dlc.errors import counted
from dlc.report.values import microseconds


def ask(facts: Facts) -> Advice | None:
    """Compare the algorithms that libraries choose with the fastest ones, as measured."""
    gains = {layer["name"]: gain for layer in facts.layers if (gain := _gain(layer))}
    if not gains:
        return None
    libraries = sorted({library for library, _ in gains.values()})
    gain_us = sum(us for _, us in gains.values())
    text = (
        f"for {counted(len(gains), 'layer')} the algorithm that {' and '.join(libraries)} would "
        f"take is not the fastest: {microseconds(gain_us)} together, by measured times"
    )
    title, command = "Measure which algorithm is fastest", facts.command(tune=True)
    return Advice("Q3", title, text, gain_us, [*gains], command)


def _gain(layer: Report) -> tuple[str, float] | None:
    """Return the library that loses most by its choice, and the microseconds."""
    measured = layer.get("measured_us", {}).items()
    each = {name: us[0] - min(us) for name, us in measured if isinstance(us, list) and us}
    found = max(each.items(), key=lambda pair: pair[1], default=("", 0.0))
    return found if found[1] > 0 else None
