"""Q2: what layers gain that run at the same time."""

from dlc.analyze.advice.facts import Advice, Facts
from dlc.analyze.critical_path import longest_path
from dlc.report.values import microseconds


def ask(facts: Facts) -> Advice | None:
    """Compare the layers one after the other with the way through them that takes longest."""
    sequential_us, parallel_us = facts.alone_us
    gain_us = sequential_us - parallel_us
    if gain_us <= 0:
        return None
    us = {layer["name"]: facts.best_us(layer) for layer in facts.layers}
    longest = longest_path({layer["name"]: layer["needs"] for layer in facts.layers}, us)
    beside = [name for name in us if us[name] and name not in longest]
    text = (
        f"each layer as soon as its inputs are there: {microseconds(parallel_us)} instead of "
        f"{microseconds(sequential_us)}, by {facts.how}"
    )
    command = facts.command() if facts.on_gpu else None  # on a CPU a launch has all cores
    return Advice("Q2", "Run independent layers at the same time", text, gain_us, beside, command)
