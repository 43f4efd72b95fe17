"""What each library answers that is asked whether it computes a group."""

import pytest

from dlc.analysis.dataflow import Cluster
from dlc.arch import Arch
from dlc.errors import CompileError
from dlc.libraries import Library


def check_taken(library: Library, asked: Cluster, chip: Arch) -> None:
    """Assert that a library computes a group, in a time that the bound allows."""
    library.require(asked, chip)
    price = library.price(asked, chip)
    assert 0 < price.bound.time_s <= price.seconds


def check_refused(library: Library, asked: Cluster, chip: Arch, reason: str) -> None:
    """Assert that a library does not compute a group, on this chip or any, and says why."""
    for each in (chip, None):
        found = library.obstacle(asked, each)
        assert found is not None
        assert reason in found
        with pytest.raises(CompileError, match=f"{library.name} does not compute this group"):
            library.require(asked, each)
