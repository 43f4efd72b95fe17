"""The order in which blocks of attention take tiles: each once, those with the most keys first."""

from dataclasses import replace
from itertools import pairwise

import pytest
from xdsl.ir.affine import AffineExpr

from dlc.arch.nvidia import A100, H200
from dlc.strategies.attention.gpu import candidates
from dlc.strategies.attention.tile_order import TileOrder, order_of, together_in
from dlc.strategies.attention.work import AttentionWork

WORK = AttentionWork(12, 1024, 1024, 64, 64, "f16", 2, "f32", 1.0, 1, 600000, 200000)


@pytest.mark.parametrize(
    ("products", "tiles", "together"), [(6, 5, 0), (6, 5, 1), (6, 5, 2), (6, 5, 6), (1, 1, 1)]
)
def test_each_tile_comes_once(products: int, tiles: int, together: int) -> None:
    order, count = TileOrder(tiles, together), products * tiles
    place = order.place(AffineExpr.dimension(0), lambda _, index: index)
    found = [tuple(each.eval([number], []) for each in place) for number in range(count)]
    assert sorted(found) == [(p, t) for p in range(products) for t in range(tiles)]
    of_group = tiles * max(1, together)
    for first in range(0, count, of_group):
        some = [tile for _, tile in found[first : first + of_group]]
        assert all((a >= b) if together else (a <= b) for a, b in pairwise(some))
        assert len({product for product, _ in found[first : first + of_group]}) == max(1, together)


@pytest.mark.parametrize("text", ["last<0>", "last<-1>", "last<>", "rows", "last<12", "last<2>s"])
def test_other_texts_are_no_orders(text: str) -> None:
    assert together_in(text) is None
    assert [together_in(order_of(n)) for n in (0, 1, 12)] == [0, 1, 12]


def test_tiles_of_as_many_keys_come_product_by_product() -> None:
    assert {each.order for each in candidates(WORK, H200)} == {"products"}


@pytest.mark.parametrize(
    ("batch", "keys", "order"),
    [
        (12, 1024, "last<12>"),
        (768, 197, "last<128>"),
        (7, 1 << 20, "last<1>"),
        (192, 512, "last<192>"),
        (64, 1024, "last<32>"),
        (16, 512, "last<1>"),
    ],
)
def test_those_with_the_most_keys_come_first(batch: int, keys: int, order: str) -> None:
    """In turns of as many products as have their keys in a sixth of the L2: of 12 all, which take
    256 KB each; 173 of 768 would, with 197 keys of 256 bytes, and 128 divide them. All 192 of 512
    keys, which would be in three turns and are in half of the L2, not all 64 in two turns. Of 16
    products each tile has an SM.
    """
    work = replace(WORK, batch=batch, keys=keys, rows=keys, last_seen=0)
    tall = [each for each in candidates(work, H200) if each.rows == 64 and not each.producers]
    assert {each.order for each in tall} == {order}
    assert all(each.together <= batch for each in candidates(work, A100))
