"""Which loops over threads are written out."""

import pytest
from xdsl.dialects.builtin import f32
from xdsl.utils.test_value import create_ssa_value

from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.structure import ForOp
from dlc.lowering.straight import HELD_ELEMENTS, mark_straight

THREADS = 64


@pytest.mark.parametrize(
    ("iterations", "elements", "carries", "straight"),
    [
        (THREADS, 1, False, False),  # a thread has one at most: there are no rounds
        (THREADS, 1, True, True),  # where values are carried, there is a loop
        (THREADS + 1, 1, False, True),
        (THREADS + 1, HELD_ELEMENTS // 2, False, True),
        (THREADS + 1, HELD_ELEMENTS // 2 + 1, False, False),
        (HELD_ELEMENTS * THREADS, 1, False, True),
        (HELD_ELEMENTS * THREADS + 1, 1, False, False),
        (HELD_ELEMENTS * THREADS + 1, 1, True, False),
    ],
)
def test_a_few_elements_of_a_thread_are_straight(
    iterations: int, elements: int, carries: bool, straight: bool
) -> None:
    values = [create_ssa_value(f32)] if carries else []
    kind = LoopKind.REDUCTION if carries else LoopKind.PARALLEL
    loop = ForOp(0, iterations, kind=kind, map=LoopMap.THREAD, iter_args=values)
    mark_straight(loop, THREADS, elements)
    assert (loop.straight is not None) == straight
