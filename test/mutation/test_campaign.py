"""Some of the seeded bugs, so that verification stays as sharp as it is."""

import pytest
from campaign import run_campaign
from mutants import ALL, FIXED


@pytest.mark.parametrize(
    ("name", "target"), [(name, target) for target, names in FIXED.items() for name in names]
)
def test_verification_catches(name: str, target: str) -> None:
    (mutant,) = (m for m in ALL if m.name == name)
    (result,) = run_campaign([mutant], [target], jobs=1)
    assert result.verdict == "caught", result
