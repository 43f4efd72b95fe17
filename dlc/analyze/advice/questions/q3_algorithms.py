"""Q3: whether a library chooses its fastest algorithm."""

from collections.abc import Iterator

from dlc.analyze.advice.facts import Advice, Facts
from dlc.compiler.outcome import Report
from dlc.errors import counted
from dlc.report.values import microseconds


def ask(facts: Facts) -> Advice | None:
    """Compare the algorithms that libraries choose with the fastest ones, as measured.

    What libraries lose is told. A compile gains it only where a call is faster than our kernel.
    """
    lost = {layer["name"]: loss for layer in facts.layers if (loss := _loss(layer))}
    if not lost:
        return None
    libraries = sorted({library for library, _ in lost.values()})
    gain_us = sum(_gain_us(layer) for layer in facts.layers if layer["name"] in lost)
    text = (
        f"for {counted(len(lost), 'layer')} the algorithm that {' and '.join(libraries)} would "
        f"take is not the fastest: {microseconds(sum(us for _, us in lost.values()))} together, "
        f"{microseconds(gain_us)} of it where our kernels take longer, by measured times"
    )
    command = facts.command(tune=True) if gain_us else None
    return Advice("Q3", "Measure which algorithm is fastest", text, gain_us, [*lost], command)


def _loss(layer: Report) -> tuple[str, float] | None:
    """Return the library that loses most by its choice, and the microseconds."""
    each = {name: us[0] - min(us) for name, us in _algorithms(layer)}
    found = max(each.items(), key=lambda pair: pair[1], default=("", 0.0))
    return found if found[1] > 0 else None


def _gain_us(layer: Report) -> float:
    """Return what the fastest call gains over what is taken without measuring algorithms."""
    us = [us for _, us in _algorithms(layer)]
    taken_us = min(layer["time_us"], *(each[0] for each in us))
    return taken_us - min(taken_us, *map(min, us))


def _algorithms(layer: Report) -> Iterator[tuple[str, list[float]]]:
    """Yield each library with the microseconds of its algorithms, what it chooses first."""
    for name, us in layer.get("measured_us", {}).items():
        if isinstance(us, list) and us:
            yield name, us
