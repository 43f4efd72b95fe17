"""Q6: what tensor cores gain."""

from collections.abc import Sequence

from dlc.analyze.advice.facts import Advice, Facts
from dlc.analyze.profiles.kernel_names import on_tensor_cores
from dlc.compiler.outcome import Report
from dlc.errors import counted
from dlc.report.analyses.bounds import FUSED
from dlc.report.values import microseconds


def ask(facts: Facts) -> Advice | None:
    """Compare with a precision whose products they compute, or with kernels without them."""
    if not facts.on_gpu:
        return None
    products = [layer for layer in facts.layers if layer["macs"]]
    without = [layer for layer in products if _without(layer)]
    seen = _seen(products, without)
    precision = facts.report["precision"]
    if precision == "fp32":
        return _other_precision(facts, products, seen)
    if not seen or not facts.is_compared or not facts.can_use_tensor_cores(precision):
        return None
    return _other_kernels(facts, without, seen)


def _other_precision(facts: Facts, products: Sequence[Report], seen: str) -> Advice | None:
    name, us = facts.fastest
    own_us = facts.bounds[FUSED.parallel.key]
    if us >= own_us or not products:
        return None
    text = (
        f"in {name} {counted(len(products), 'layer')} with products can use them: "
        f"{microseconds(us)} instead of {microseconds(own_us)} for the whole model, by our fused "
        f"kernels{seen}; accuracy: see docs/precision.md"
    )
    layers = [layer["name"] for layer in products]
    return Advice("Q6", "Use tensor cores", text, own_us - us, layers, facts.command(name))


def _other_kernels(facts: Facts, without: Sequence[Report], seen: str) -> Advice | None:
    gains = {each["name"]: _own_us(facts, each) - facts.best_us(each) for each in without}
    gain_us = sum(us for us in gains.values() if us > 0)
    if gain_us <= 0:
        return None
    text = (
        f"kernels that use them gain {microseconds(gain_us)} for these layers, by {facts.how}{seen}"
    )
    layers = [name for name, us in gains.items() if us > 0]
    return Advice("Q6", "Use tensor cores", text, gain_us, layers, facts.command())


def _without(layer: Report) -> bool:
    """Whether the names of all kernels that say something say that they use no tensor cores."""
    said = {on_tensor_cores(name) for name in layer.get("profile_kernels", ())}
    return False in said and True not in said


def _own_us(facts: Facts, layer: Report) -> float:
    """Return what of a layer's time is of kernels without them: others stay as they are."""
    rows = facts.matched.rows_of(facts.layers.index(layer)) if facts.matched else []
    kernels = [kernel for row in rows for kernel in row.kernels]
    own_us = sum(kernel.us for kernel in kernels if on_tensor_cores(kernel.name) is False)
    all_us = sum(kernel.us for kernel in kernels)
    return layer["profile_us"] * own_us / all_us if all_us else 0.0


def _seen(products: Sequence[Report], without: Sequence[Report]) -> str:
    known = [layer for layer in products if "profile_kernels" in layer]
    if not known:
        return ""
    return f"; in the profile {len(without)} of {counted(len(known), 'layer')} use none"
