"""Q5: what one kernel for several layers gains."""

from dlc.analyze.advice.facts import Advice, Facts
from dlc.errors import counted
from dlc.report.analyses.bounds import FUSED, JOINED, LAYERS, LIBRARIES
from dlc.report.values import microseconds


def ask(facts: Facts) -> Advice | None:
    """Compare the layers alone with our groups of them, one after the other."""
    bounds = facts.bounds
    gain_us = bounds["fusion_gain_us"]
    if gain_us <= 0:
        return None
    joined = [names for names in facts.report["groups"] if len(names) > 1]
    layers = [*dict.fromkeys(name for names in joined for name in names)]
    text = (
        f"{counted(len(joined), 'kernel')} for {counted(len(layers), 'layer')}: "
        f"{microseconds(bounds[FUSED.sequential.key])} instead of "
        f"{microseconds(bounds[LAYERS.sequential.key])} by our kernels, {facts.how_fused}"
    )
    if facts.by_libraries:
        saved_us = bounds[LIBRARIES.sequential.key] - bounds[JOINED.sequential.key]
        text += f"; calls of libraries that compute several layers save {microseconds(saved_us)}"
    return Advice("Q5", "Fuse layers", text, gain_us, layers, facts.command())
