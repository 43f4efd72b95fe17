"""Which lengths of queries and values attention is one kernel for, as its page says."""

import re

import numpy as np
import pytest

from dlc import arch
from dlc.strategies import attention
from dlc.strategies.attention.gpu import IMPLEMENTATION
from dlc.strategies.attention.work import AttentionWork


def fits(target: str, length: int, keys: int) -> bool:
    work = AttentionWork(12, keys, keys, length, length, "f16", 2, "f32", 1.0, 0, 10**6, 10**6)
    chip = arch.by_name(target)
    assert isinstance(chip, arch.GpuArch)
    return bool(np.isfinite(IMPLEMENTATION.space(work, chip).seconds).any())


@pytest.mark.parametrize("target", ["sm_80", "sm_86", "sm_89", "sm_90a"])
def test_the_page_says_which_heads_fit(target: str) -> None:
    said = re.search(r"heads of (\d+) elements fit on every GPU", attention.__doc__ or "")
    assert said is not None
    length = int(said[1])
    assert fits(target, length, 4096)
    if target == "sm_90a":
        assert "on Hopper those of 192 and 256" in " ".join((attention.__doc__ or "").split())
        assert fits(target, 192, 4096)
        assert fits(target, 256, 4096)
    if target == "sm_80":
        assert not fits(target, length + 16, 4096)
        assert fits(target, length + 16, 32)
