"""Spaces of contractions share what they have in common, and stay what they are alone."""

import numpy as np
import pytest
from products import product

from dlc.arch import GPUS, GpuArch
from dlc.model.contraction import estimate_s
from dlc.strategies.contract.families import Families
from dlc.strategies.contract.gpu import estimate, tiles
from dlc.strategies.contract.gpu_cuts import TileKeys, cuts
from dlc.strategies.contract.gpu_space import candidates
from dlc.strategies.contract.gpu_tiles import Tile

KEYS = TileKeys(Tile(64, 64, 2, 2), "mma.m16n8k16", "grouped<4>", "threads", 2, False, (2,))


@pytest.mark.parametrize("arch", GPUS, ids=lambda arch: arch.name)
@pytest.mark.parametrize("sizes", [(3136, 128, 96), (64, 64, 4096), (7, 1000, 2048)])
def test_each_schedule_has_the_estimate_that_it_has_alone(
    arch: GpuArch, sizes: tuple[int, int, int]
) -> None:
    work = product(*sizes)
    space = candidates(work, arch)
    together = estimate(work, space, arch)
    alone = [float(estimate_s(tiles(work, [each], arch), arch)[0]) for each in space]
    assert together.tolist() == pytest.approx(alone)


def test_families_of_parts_are_those_of_the_whole() -> None:
    parts = [cuts(KEYS, 32, slices, (1, 2), (2, 3)) for slices in (1, 4, 8)]
    other = cuts(KEYS._replace(instruction="fma"), 32, 4, (1,), (2,))
    found, plain = Families.joined([*parts, other, Families()]), Families((*parts[0], *other))
    assert list(found) == [schedule for part in (*parts, other) for schedule in part]
    for each, first in zip(found.each, plain.each, strict=True):
        assert each[:3] == first[:3]
        assert [[*found[place].numbers] for place in each.places] == each.numbers.tolist()
    assert np.concatenate([each.places for each in found.each]).tolist() == [*range(len(found))]


def test_reductions_with_slices_for_all_parts_are_cut_alike() -> None:
    many = cuts(KEYS, 32, 2 * 3, (1, 2), (2, 3))
    assert cuts(KEYS, 32, 1000, (1, 2), (2, 3)) is many
    assert {(each.split, each.stages) for each in many} == {(1, 2), (1, 3), (2, 2), (2, 3)}
    assert {each.stages for each in cuts(KEYS, 32, 1, (1,), (2, 3))} == {2}


def test_parts_that_meet_in_a_cluster_are_one_more_way() -> None:
    found = cuts(KEYS, 32, 6, (1, 2, 3), (2,))
    assert [(each.split, each.exchange) for each in found] == [
        (1, False),
        (2, False),
        (2, True),
        (3, False),
    ]
    exchanging = cuts(KEYS._replace(exchanges=True), 32, 6, (1,), (2,))
    assert [(each.interleave, each.exchange) for each in exchanging] == [(2, False), (1, True)]
