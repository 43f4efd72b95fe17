"""What is found to belong to one block, or to one thread, does: compared with all places."""

from itertools import product

import numpy as np
import pytest

from dlc import registry
from dlc.analysis.owner import global_accesses, is_owned
from dlc.arch.scope import Scope
from dlc.core.parser import parse_module
from dlc.dialects.gpu import KernelOp

ROUNDS = 3
KERNEL = """
gpu.kernel @k(%x: memref<SIZESxf32>) attributes {
    grid = array<i64: 3, 2, 1>, block = array<i64: 2, 2, 1>, outputs = 1 : i64} {
  %b = gpu.block_id x : index
  %c = gpu.block_id y : index
  %t = gpu.thread_id x : index
  %u = gpu.thread_id y : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 3 : index
  %v = arith.constant 0.0 : f32
  scf.for %i = %zero to %n step %one {
    loop.store %v, %x[FIRST] : f32 -> memref<SIZESxf32>
    %w = loop.load %x[LATER] : memref<SIZESxf32> -> f32
  }
  gpu.end
}
"""
PLACES = [
    ("72", "(%c * 3 + %b) * 12 + (%u * 2 + %t) * 3 + %i"),
    ("72", "(%c * 3 + %b) * 12 + 11 - (%u * 2 + %t) * 3 - %i"),
    ("72", "71 - (%c * 3 + %b) * 12 - (%u * 2 + %t) * 3 - %i"),
    ("72", "%i * 24 + (%c * 3 + %b) * 4 + %u * 2 + %t"),
    ("72", "(%b * 2 + %c) * 12 + %i * 4 + %t * 2 + %u"),
    ("72", "(%c * 3 + %b) * 11 + (%u * 2 + %t) * 3 + %i"),
    ("72", "((%c * 3 + %b) * 12 + (%u * 2 + %t) * 3 + %i) mod 36"),
    ("72", "%b * 12 + %i * 4 + %t * 2 + %u"),
    ("6x12", "%c * 3 + %b, (%u * 2 + %t) * 3 + %i"),
    ("6x12", "(%c * 3 + %b + 1) mod 6, (%u * 2 + %t) * 3 + %i"),
    ("6x12", "%b * 2 + %c, %i * 4 + %u * 2 + %t"),
    ("6x12", "%c * 3 + %b, (%i + %t) * 3 + %u"),
    ("6x12", "%i, (%c * 3 + %b) * 2 + %t"),
]
NAMES = ("b", "c", "t", "u", "i")
SIZES = (3, 2, 2, 2, ROUNDS)


def touched(indices: str, sizes: str) -> dict[int, set[tuple[int, int]]]:
    """Return for each element the blocks and threads that touch it."""
    rows = [int(size) for size in sizes.split("x")]
    found: dict[int, set[tuple[int, int]]] = {}
    for values in product(*map(range, SIZES)):
        at: dict[str, int] = dict(zip(NAMES, values, strict=True))
        text = indices.replace("%", "").replace("mod", "%").replace("floordiv", "//")
        place = eval(f"({text},)", {}, at)
        who = at["c"] * 3 + at["b"], at["u"] * 2 + at["t"]
        found.setdefault(int(np.ravel_multi_index(place, rows)), set()).add(who)
    return found


def is_exchanged(first: str, later: str, sizes: str, by: Scope) -> bool:
    """Return whether two blocks, or two threads of a block, touch one element."""
    left, right = touched(first, sizes), touched(later, sizes)
    return any(
        block != other if by is Scope.BLOCK else block == other and thread != one
        for place in left.keys() & right.keys()
        for block, thread in left[place]
        for other, one in right[place]
    )


@pytest.mark.parametrize("by", [Scope.BLOCK, Scope.THREAD])
@pytest.mark.parametrize("first", PLACES)
def test_what_is_owned_is_not_exchanged(first: tuple[str, str], by: Scope) -> None:
    sizes, place = first
    for _, later in (other for other in PLACES if other[0] == sizes):
        text = KERNEL.replace("SIZES", sizes).replace("FIRST", place).replace("LATER", later)
        (kernel,) = parse_module(text, registry.new_context()).ops
        assert isinstance(kernel, KernelOp)
        store, load = (a for op in kernel.walk() for a in global_accesses(op))
        owned = is_owned(kernel, store, load, by)
        assert not (owned and is_exchanged(place, later, sizes, by)), (place, later)
        if place == later and PLACES.index(first) in (0, 1, 2, 8):
            assert owned
