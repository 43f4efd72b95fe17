"""What a schedule says to do where the chip has less than it takes."""

import re
from typing import Any

import pytest

from dlc.model.violation import Resource
from dlc.strategies import Schedule
from dlc.strategies._registry import in_order

_OF_A_GPU = {Resource.THREADS, Resource.REGISTERS}
_WORDS = {"lower", "raise", "or", "and", "give", "a", "use", "of", "false", "other"}
_PARTS = {"nr": "tile"}
"""Parts of a key by its name in the key's meaning."""

SCHEDULES = [
    implementation.schedule
    for strategy in in_order()
    for implementation in strategy.implementations.values()
]


def _example(kind: type[Schedule]) -> Schedule:
    """Return a schedule of a kind, unchecked: keys without a default are 1."""
    values: dict[str, Any] = {name: kind.default_of(name) for name, _ in kind.keys().items()}
    values.update({name: 1 for name, value in values.items() if value is None})
    return kind(**values)


@pytest.mark.parametrize("kind", SCHEDULES, ids=lambda kind: kind.__name__)
def test_remedies_name_keys_of_the_schedule(kind: type[Schedule]) -> None:
    for remedy in _example(kind).remedies.values():
        names = {_PARTS.get(word, word) for word in re.findall(r"\w+", remedy)} - _WORDS
        assert names
        assert names <= set(kind.keys())


@pytest.mark.parametrize(
    "kind",
    [each for each in SCHEDULES if each.target == "gpu"],
    ids=lambda kind: kind.__name__,
)
def test_what_every_block_takes_has_a_remedy(kind: type[Schedule]) -> None:
    assert set(_example(kind).remedies) >= _OF_A_GPU
