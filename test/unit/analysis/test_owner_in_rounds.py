"""What is found to belong to one block, or one cluster, that takes rounds, does: compared with all
places.
"""

from collections.abc import Iterator
from itertools import product

import pytest

from dlc import registry
from dlc.analysis.owner import global_accesses, is_owned
from dlc.arch.scope import Scope
from dlc.core.parser import parse_module
from dlc.dialects.gpu import KernelOp

BLOCKS, CLUSTER, THREADS, ROWS = 4, 2, 2, 10
KERNEL = f"""
gpu.kernel @k(%x: memref<120xf32>) attributes {{
    grid = array<i64: {BLOCKS}, 1, 1>, cluster = array<i64: {CLUSTER}, 1, 1>,
    block = array<i64: {THREADS}, 1, 1>, outputs = 1 : i64}} {{
  %b = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %next = loop.index [%b + 1]
  %n = arith.constant {ROWS} : index
  %first_step = arith.constant FIRST_STEP : index
  %later_step = arith.constant LATER_STEP : index
  %v = arith.constant 0.0 : f32
  scf.for %i = FIRST_START to %n step %first_step {{
    loop.store %v, %x[FIRST_PLACE] : f32 -> memref<120xf32>
  }}
  scf.for %i = LATER_START to %n step %later_step {{
    %w = loop.load %x[LATER_PLACE] : memref<120xf32> -> f32
  }}
  gpu.end
}}
"""
LOOPS = [("%b", 4), ("%b", 8), ("%b", 5), ("%b", 2), ("%next", 8), ("%next", 4)]
PLACES = [
    "%i * 2 + %t",
    "%i * 4 + 3 - %t",
    "%i * 4 + %b",
    "(%i floordiv 2) * 4 + 3 - (%i mod 2) * 2 - %t",
    "(%i floordiv 3) * 8 + %i mod 3 + %t",
    "(9 - %i) * 2 + %t",
]
FOUND = {Scope.BLOCK: 3, Scope.CLUSTER: 4}
"""So many of the places, in one loop and again in the same one, are known to be owned."""


def touched(loop: tuple[str, int], place: str) -> Iterator[tuple[int, int]]:
    """Yield each element that is touched, and the block that does it."""
    for b, t in product(range(BLOCKS), range(THREADS)):
        for i in range(b + (loop[0] == "%next"), ROWS, loop[1]):
            text = place.replace("%", "").replace("mod", "%").replace("floordiv", "//")
            yield eval(text, {}, {"b": b, "t": t, "i": i}), b


def is_exchanged(sides: list[tuple[tuple[str, int], str]], size: int) -> bool:
    """Return whether two groups of ``size`` blocks touch one element."""
    first, later = (set(touched(*side)) for side in sides)
    return any(
        place == other and block // size != who // size
        for place, block in first
        for other, who in later
    )


@pytest.mark.parametrize("by", [Scope.BLOCK, Scope.CLUSTER])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("loop", LOOPS)
def test_what_is_owned_is_not_exchanged(loop: tuple[str, int], place: str, by: Scope) -> None:
    for other in product(LOOPS, PLACES):
        text = KERNEL
        for name, ((start, step), where) in (("FIRST", (loop, place)), ("LATER", other)):
            text = text.replace(f"{name}_START", start).replace(f"{name}_STEP", str(step))
            text = text.replace(f"{name}_PLACE", where)
        (kernel,) = parse_module(text, registry.new_context()).ops
        assert isinstance(kernel, KernelOp)
        store, load = (a for op in kernel.walk() for a in global_accesses(op))
        owned = is_owned(kernel, store, load, by)
        sides = [(loop, place), other]
        exchanged = is_exchanged(sides, CLUSTER if by is Scope.CLUSTER else 1)
        assert not (owned and exchanged), other
        if sides[0] == sides[1] and loop in LOOPS[:2] and place in PLACES[: FOUND[by]]:
            assert owned
