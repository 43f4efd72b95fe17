"""The order of blocks of causal attention on a CPU."""

from itertools import pairwise

import pytest
from xdsl.ir.affine import AffineExpr

from dlc.strategies.attention.cpu_order import in_turns


def order(blocks: int) -> list[int]:
    """Return the blocks as they come."""
    place = in_turns(AffineExpr.dimension(0), blocks)
    return [place.eval([number], []) for number in range(blocks)]


@pytest.mark.parametrize("blocks", range(1, 130))
def test_each_block_comes_once(blocks: int) -> None:
    assert sorted(order(blocks)) == list(range(blocks))


@pytest.mark.parametrize(
    ("blocks", "heads", "cores"), [(79, 12, 56), (79, 1, 2), (79, 1, 16), (256, 8, 56), (19, 12, 8)]
)
def test_cores_have_as_many_keys(blocks: int, heads: int, cores: int) -> None:
    """Of neighbouring tasks, as ``dlc_spread`` deals them, no core has a fifth more; in
    order it would have up to 1.85 times its share.
    """
    tasks = [1 + block for _ in range(heads) for block in order(blocks)]
    each, more = divmod(len(tasks), cores)
    starts = [core * each + min(core, more) for core in range(cores + 1)]
    most = max(sum(tasks[a:b]) for a, b in pairwise(starts))
    assert most <= 1.2 * sum(tasks) / cores
