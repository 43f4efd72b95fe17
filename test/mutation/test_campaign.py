"""Some of the seeded bugs, so that verification stays as sharp as it is."""

import pytest
from campaign import Result, run_campaign
from mutants import ALL, FIXED


@pytest.fixture(scope="module")
def results() -> dict[tuple[str, str], Result]:
    """Run the fixed mutants: the results by name and target."""
    found: dict[tuple[str, str], Result] = {}
    for target, names in FIXED.items():
        mutants = [m for m in ALL if m.name in names]
        for result in run_campaign(mutants, [target], jobs=2):
            found[result.mutant, target] = result
    return found


@pytest.mark.parametrize(
    ("name", "target"), [(name, target) for target, names in FIXED.items() for name in names]
)
def test_verification_catches(
    results: dict[tuple[str, str], Result], name: str, target: str
) -> None:
    result = results[name, target]
    assert result.verdict == "caught", result
