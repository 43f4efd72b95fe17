"""What a report says of all layers together: sums over them, and where their times come from."""

from collections.abc import Iterable, Sequence

from dlc.analyze.fused import Fused
from dlc.analyze.layer import Layers
from dlc.analyze.rating import Rating
from dlc.compiler.outcome import Report

_BY_MODEL = "all times come from the model of the chip: no measurements"
_SUMMED = ("macs", "flops", "bytes_read", "bytes_written")


def totals(each: Sequence[Report], layers: Layers) -> Report:
    """Return sums over what a report says of each layer; bytes also as the whole model must move
    them.
    """
    return {
        "layers": len(each),
        **{key: sum(layer[key] for layer in each) for key in _SUMMED},
        "weights": layers.weights,
        "bytes_once": layers.whole.bytes,
    }


def note(ratings: Iterable[Rating], fused: Fused, where: str) -> str:
    """Return how many of the different kernels have a time that was measured, and where. fused: our
    groups, which are told if not all of them have.
    """
    kernels = {key: known for each in ratings for key, known in each.is_measured.items()}
    measured = sum(kernels.values())
    if not measured and not fused.measured:
        return _BY_MODEL
    of = f"{measured} of {len(kernels)} different kernels were measured on {where}"
    if fused.measured < fused.kernels:
        of += f", and {fused.measured} of {fused.kernels} of our fused ones"
    elif measured == len(kernels):
        return of
    return f"{of}; the other times come from the model of the chip"
