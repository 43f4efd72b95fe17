"""The places of all seeded bugs are there, and models and targets have those names."""

from collections import Counter

import pytest
from campaign import ROOT
from mutant import TARGETS, Mutant
from mutants import ALL
from small_models import small_models


def test_there_are_enough_and_each_has_a_name() -> None:
    assert len(ALL) >= 60
    assert [name for name, count in Counter(m.name for m in ALL).items() if count > 1] == []


def test_models_and_targets_exist() -> None:
    models = {model.name for model in small_models()}
    assert {name for mutant in ALL for name in mutant.models} <= models
    assert {target for mutant in ALL for target in mutant.targets} <= set(TARGETS)


@pytest.mark.parametrize("mutant", ALL, ids=lambda mutant: mutant.name)
def test_its_place_is_there(mutant: Mutant) -> None:
    text = (ROOT / mutant.file).read_text()
    assert mutant.change(text) != text
