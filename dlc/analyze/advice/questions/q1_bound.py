"""Q1: how far a measured run is from what its layers take at best."""

from dlc.analyze.advice.facts import Advice, Facts
from dlc.report.values import microseconds


def ask(facts: Facts) -> Advice | None:
    """Compare the whole of a profile with the bounds (the ratio of Benanza)."""
    measured_us = facts.others_us
    if not measured_us:
        return None
    sequential_us, parallel_us = facts.alone_us
    gain_us = measured_us - (parallel_us if facts.on_gpu else sequential_us)
    if gain_us <= 0:
        return None
    text = (
        f"the profile has {microseconds(measured_us)}; the layers take "
        f"{microseconds(sequential_us)} one after the other "
        f"({_share(sequential_us, measured_us)}) and "
        f"{microseconds(parallel_us)} ({_share(parallel_us, measured_us)}) each as soon as its "
        f"inputs are there, by {facts.how}"
    )
    slower = [
        layer["name"]
        for layer in facts.layers
        if layer.get("profile_us", 0.0) > facts.best_us(layer)
    ]
    command = facts.command(tune=facts.by_libraries)  # which finds the fastest calls
    return Advice("Q1", "Run each layer at its best", text, gain_us, slower, command)


def _share(us: float, of_us: float) -> str:
    return f"{100 * us / of_us:.0f} % of it"
