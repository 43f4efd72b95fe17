"""What the simulator finds wrong where blocks hand each other values."""

import numpy as np
import pytest
from cluster_cases import ORDERS
from lowered import lowered
from published import (
    AWAIT,
    COPY,
    FIRST,
    NEXT,
    STAGED,
    STEPPED,
    THREADS,
    UNITS,
    halves,
    numbers,
    staged,
    stepped,
)

from dlc.dialects.graph.structure import Array
from dlc.simulator import SimulationError, simulate
from dlc.simulator.launch import Order

_STORE = "gpu.copy %r[0] to %y[{place}] {{elements = 1 : i64}} : {types}"
_TYPES = "memref<1xf32, #loop.space<register>>, memref<6x128xf32>"


def _simulate(text: str, order: Order | None, x: Array, like: Array) -> None:
    simulate(lowered(text, ""), "k", [x, np.zeros_like(like)], warp_order=order)


def _fails(text: str, order: Order | None, message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        _simulate(text, order, numbers(), stepped(numbers()))


STEPS = {
    "a value of this step": (
        {"%k - 1, (": "%k, ("},
        "await at .* waits for ever: element 128 of %y is published by nobody",
    ),
    "a step that is not published": ({NEXT: ""}, "waits for ever: element 128 of %y is published"),
    "blocks that do not publish at first": (
        {
            FIRST: f"scf.if %some {{ {FIRST} }}",
            "%one =": "%some = arith.cmpi slt, %b, %two : index\n  %one =",
            "%u = loop": "%two = arith.constant 2 : index\n  %u = loop",
        },
        r"waits for ever: element \d+ of %y is published by nobody",
    ),
    "a place twice": (
        {NEXT: NEXT.replace("%k, %u", "0, %u")},
        "publish at .* is published: others may",
    ),
    "a place of several threads": (
        {FIRST: FIRST.replace("0, %u", "0, %b")},
        "publish at .* (is published|together with another thread)",
    ),
    "a plain store": (
        {FIRST: _STORE.format(place="0, %u", types=_TYPES)},
        "await at .* awaits element .*, which a plain store has written: a race",
    ),
    "a plain store after": (
        {FIRST: FIRST + "\n" + _STORE.format(place="0, %u", types=_TYPES)},
        "copy at .* writes element .*, which is published: a race",
    ),
    "a plain store before": (
        {FIRST: _STORE.format(place="0, %u", types=_TYPES) + "\n" + FIRST},
        "publish at .* which a plain store has written: others may take that",
    ),
    "a plain load": (
        {AWAIT: AWAIT.replace("await", "copy")},
        "copy at .* reads element .*, which (block . has written|nothing was written to)",
    ),
    "registers without a value": (
        {COPY: ""},
        "publish at .* reads register element 0, which nothing was written to",
    ),
    "outside": (
        {NEXT: NEXT.replace("%k, %u", "%k, %u + 1")},
        "publish at .* is outside: index 128",
    ),
    "a vector at no multiple of it": (
        {"mod 128]": "mod 128 + 2]", "%u * 4": "%t mod 2 * 4"},
        "await at .* moves 16 bytes at byte 8 of %y, which is no multiple of 16",
    ),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", STEPS)
def test_faults(name: str, order: Order | None) -> None:
    changes, message = STEPS[name]
    text = STEPPED
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    _fails(text, order, message)


def test_who_waits_is_named() -> None:
    _fails(
        STEPPED.replace(NEXT, ""),
        None,
        r"block \(0, 0, 0\), thread \(0, 0, 0\) waits for ever: element 128 of %y is published by "
        r"nobody; blocks 1, 2, 3 wait at gpu.await",
    )


PIECED = {
    "a piece of this step": (
        {"stride = array<i64: 0, 128>": "stride = array<i64: 1, 0>"},
        r"await at .* waits for ever: element \d+ of %y is published by nobody",
    ),
    "a piece outside": (
        {"stride = array<i64: 0, 128>": "stride = array<i64: 0, 132>"},
        "await at .* is outside: index 256, axis 1 of size 256",
    ),
    "no barrier before the row is read": (
        {"gpu.barrier\n    %v0": "%v0"},
        "load at .* (reads .* a race|reads .* which nothing was written to)",
    ),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", PIECED)
def test_faults_of_pieces(name: str, order: Order | None) -> None:
    changes, message = PIECED[name]
    text = STAGED
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(SimulationError, match=message):
        _simulate(text, order, halves(), staged(halves()))


@pytest.mark.parametrize("order", ORDERS)
def test_some_blocks_run_with_what_the_others_publish(order: Order | None) -> None:
    x, y = numbers(), stepped(numbers())
    own = np.isin(np.arange(UNITS) // THREADS, [1, 3])
    given = np.where(own, np.float32(100), y)
    simulate(lowered(STEPPED, ""), "k", [x, given], blocks=[1, 3], warp_order=order)
    np.testing.assert_array_equal(given, y)


def test_they_wait_for_each_other_too() -> None:
    text = STEPPED.replace("%k - 1, (", "%k, (")
    with pytest.raises(SimulationError, match=r"waits for ever: element \d+ of %y is published by"):
        simulate(lowered(text, ""), "k", [numbers(), stepped(numbers())], blocks=[1, 3])


def test_a_value_that_nobody_in_the_grid_publishes_is_not_given() -> None:
    text = STEPPED.replace("outputs = 1 : i64,", "outputs = 1 : i64, scratch = array<i64: 3072>,")
    text = text.replace("%y: ", "%z: memref<128xf32>, %y: ").replace("i64: 1>}", "i64: 2>}")
    store = "gpu.copy %r[0] to %z[%u] {elements = 1 : i64} : memref<1xf32, #loop.space<register>>"
    text = text.replace("  gpu.end", f"{store}, memref<128xf32>\n  gpu.end")
    x, z, y = numbers(), np.zeros(UNITS, np.float32), stepped(numbers())
    simulate(lowered(text, ""), "k", [x, z, y.copy()], blocks=[2])
    np.testing.assert_array_equal(z[2 * THREADS : 3 * THREADS], y[-1, 2 * THREADS : 3 * THREADS])
    some = (
        "%three = arith.constant 3 : index\n  %some = arith.cmpi ne, %b, %three : index\n  %one ="
    )
    unpublished = text.replace(NEXT, f"scf.if %some {{ {NEXT} }}").replace("%one =", some)
    with pytest.raises(SimulationError, match=r"element \d+ of %y is published by nobody"):
        simulate(lowered(unpublished, ""), "k", [x, z, y.copy()], blocks=[2])
