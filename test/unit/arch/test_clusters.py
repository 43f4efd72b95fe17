"""The clusters of chips."""

import pytest

from dlc.arch import GpuArch
from dlc.arch.nvidia import GPUS
from dlc.arch.scope import CLUSTER_BLOCKS


@pytest.mark.parametrize("chip", GPUS, ids=lambda chip: chip.name)
def test_a_chip_says_what_clusters_of_each_size_reach(chip: GpuArch) -> None:
    has_clusters = "cluster" in chip.capabilities
    assert tuple(chip.cluster_sms) == (CLUSTER_BLOCKS if has_clusters else ())
    for blocks, reached in chip.cluster_sms.items():
        assert reached % blocks == 0
        assert blocks <= reached <= chip.sm_count
