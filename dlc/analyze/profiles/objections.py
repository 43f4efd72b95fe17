"""Why the times of a profile cannot be compared with those of a model on a chip."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from dlc.analyze.profiles.matched import Matched
from dlc.analyze.profiles.names import Layer
from dlc.arch import Arch
from dlc.option_text import option

_LITTLE = 0.5
"""Of the time of a profile, in layers of the model."""


def objections(matched: Matched, layers: Sequence[Layer], chip: Arch) -> Iterator[str]:
    """Yield in words what speaks against a comparison; nothing where the times can be compared.

    layers: those that were matched.
    """
    profile = matched.profile
    if obstacle := profile.obstacle(chip):
        yield f"{obstacle}, so what it takes is not compared with this chip"
    if _has_several_runs(matched):
        yield (
            "it may hold several runs of the model, whose times are added up: calls of layers come "
            "again in no layer; record one run"
        )
    elif any("backward" in row.name.lower() for row in matched.unmatched):
        yield (
            "it is of training, of which only the calls of the layers themselves are found; record "
            "the model in eval(), without gradients"
        )
    elif matched.matched_us < _LITTLE * profile.total_us:
        yield "most of its time is in no layer of this model: is it the profile of another one?"
    if batches := _batches(matched, layers):
        seen, here = batches
        yield f"the profile is of batch {seen}, this is batch {here}: give {option('batch')} {seen}"


def _has_several_runs(matched: Matched) -> bool:
    """Whether most calls of layers come again in no layer, and the format does not know runs."""
    pairs = zip(matched.profile.rows, matched.layers, strict=True)
    own = [row.name for row, of in pairs if of]
    others = {row.name for row in matched.unmatched}
    return not matched.profile.of_one_run and 2 * sum(x in others for x in own) > len(own)


def _batches(matched: Matched, layers: Sequence[Layer]) -> tuple[int, int] | None:
    """Return the batch sizes of a profile and of a model, ``None`` where they may be the same.

    They differ where most calls read more or less along the first axis, all by the same factor:
    behind a reshape that axis may have more in it than the batch.
    """
    pairs: Counter[tuple[int, int]] = Counter()
    known = 0
    for row, places in zip(matched.profile.rows, matched.layers, strict=True):
        read = layers[places[0]]["inputs"] if places else ()
        if row.inputs and read:
            known += 1
            pairs.update(_first_sizes(row.inputs[0], read[0]))
    factors: Counter[Fraction] = Counter()
    for (seen, here), count in pairs.items():
        factors[Fraction(seen, here)] += count
    for factor, count in factors.most_common(1):
        if 2 * count > known:
            fitting = [pair for pair, _ in pairs.most_common() if Fraction(*pair) == factor]
            return fitting[0]
    return None


def _first_sizes(seen: Sequence[int], here: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the sizes of two shapes along the first axis, where they differ there alone."""
    if seen and here and [*seen[1:]] == [*here[1:]] and seen[0] != here[0] and here[0]:
        yield seen[0], here[0]
