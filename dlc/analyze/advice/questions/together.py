"""All of it together, which is not the sum: what one answer gains, another cannot gain again."""

from dlc.analyze.advice.facts import Advice, Facts
from dlc.report.analyses.bounds import FUSED, LAYERS
from dlc.report.values import microseconds


def ask(facts: Facts) -> Advice | None:
    """Compare what runs today, or the layers one after the other, with our kernels in the best
    precision, each as soon as its inputs are there.
    """
    before_us = facts.others_us or facts.bounds[LAYERS.sequential.key]
    precision, after_us = facts.fastest
    way = "each as soon as its inputs are there"
    if not facts.on_gpu:
        after_us, way = facts.bounds[FUSED.sequential.key], "one after the other"
    gain_us = before_us - after_us
    if gain_us <= 0:
        return None
    what = "what the profile has" if facts.others_us else "our kernels layer by layer"
    text = (
        f"{microseconds(after_us)} instead of {microseconds(before_us)}: our fused kernels in "
        f"{precision}, {way}, instead of {what}; {facts.how_fused}"
    )
    layers = [layer["name"] for layer in facts.layers]
    return Advice("joint", "Do all of it", text, gain_us, layers, facts.command(precision))
