"""Q2: what kernels gain that run at the same time."""

from dlc.analyze.advice.facts import Advice, Facts
from dlc.analyze.critical_path import longest_path
from dlc.report.analyses.bounds import FUSED
from dlc.report.values import microseconds


def ask(facts: Facts) -> Advice | None:
    """Compare kernels one after the other with the way through them that takes longest.

    Of the layers alone this is told; what a compile gains is what its own kernels gain. On a CPU
    there is nothing to gain: a launch has all cores.
    """
    sequential_us, parallel_us = facts.alone_us
    if not facts.on_gpu or sequential_us <= parallel_us:
        return None
    one_by_one_us, side_by_side_us = FUSED.of(facts.bounds)
    us = {layer["name"]: facts.best_us(layer) for layer in facts.layers}
    longest = longest_path({layer["name"]: layer["needs"] for layer in facts.layers}, us)
    beside = [name for name in us if us[name] and name not in longest]
    text = (
        f"each of our fused kernels as soon as its inputs are there: "
        f"{microseconds(side_by_side_us)} instead of {microseconds(one_by_one_us)}, by "
        f"{facts.from_groups}; the layers alone: {microseconds(parallel_us)} instead of "
        f"{microseconds(sequential_us)}, by {facts.how}"
    )
    gain_us = one_by_one_us - side_by_side_us
    command = facts.command() if gain_us else None
    return Advice("Q2", "Run independent layers at the same time", text, gain_us, beside, command)
