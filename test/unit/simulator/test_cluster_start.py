"""What blocks of a cluster know of each other that have begun: their ``mbarrier`` objects, no more.
``gpu.cluster_arrive`` is relaxed.
"""

import numpy as np
import pytest
from lowered import lowered

from dlc.dialects.graph.structure import Array
from dlc.simulator import SimulationError, simulate
from dlc.simulator.launch import Order

SHARED = "#loop.space<shared>"
_X, _S, _O = "memref<2x32xi64>", f"memref<32xi64, {SHARED}>", f"memref<1xi64, {SHARED}>"
_R = "memref<1xi64, #loop.space<register>>"

MADE = f"scf.if %some {{ gpu.mbarrier_init %o[0] {{arrivals = 32 : i64}} : {_O} }}"
ARRIVED = "gpu.cluster_arrive"
STORED = f"loop.store %number, %s[%t] : i64 -> {_S}"
MET = "gpu.cluster_barrier"

KERNEL = f"""
gpu.kernel @k(%y: {_X}) attributes {{
    grid = array<i64: 2, 1, 1>, cluster = array<i64: 2, 1, 1>, block = array<i64: 32, 1, 1>,
    outputs = 1 : i64, shared_bytes = 264 : i64}} {{
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %some = arith.cmpi eq, %t, %zero : index
  %other = loop.index [(%b + 1) mod 2]
  %s = gpu.shared_alloc {{offset = 0 : i64}} : {_S}
  %o = gpu.shared_alloc {{offset = 256 : i64}} : {_O}
  %r = gpu.register_alloc : {_R}
  %place = loop.index [%b * 32 + %t]
  %number = arith.index_cast %place : index to i64
  {MADE}
  {ARRIVED}
  {STORED}
  gpu.cluster_wait
  gpu.mbarrier_arrive %o[0] of %other : {_O}
  gpu.mbarrier_wait %o[0] parity %zero : {_O}
  gpu.cluster_load %s[%t] of %other to %r[0] {{elements = 1 : i64}} : {_S}, {_R}
  gpu.copy %r[0] to %y[%b, %t] {{elements = 1 : i64}} : {_R}, {_X}
  {MET}
  gpu.end
}}"""
"""Each block fetches what the other has stored before it arrived at an object of this one."""

ARRIVAL = f"gpu.mbarrier_arrive %o[0] of %other : {_O}"
WAIT = f"gpu.mbarrier_wait %o[0] parity %zero : {_O}"


def _fetched(text: str, order: Order | None) -> bool:
    numbers = np.arange(64).reshape(2, 32)
    y: Array = np.zeros_like(numbers)
    simulate(lowered(text, "gpu-check-limits{arch=sm_90a}"), "k", [y], warp_order=order)
    return np.array_equal(y, numbers[::-1])


@pytest.mark.parametrize("order", [None, "backward"])
def test_objects_are_known(order: Order | None) -> None:
    assert _fetched(KERNEL, order)


@pytest.mark.parametrize("order", [None, "backward"])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {ARRIVED: STORED, STORED: ARRIVED, ARRIVAL: "", WAIT: ""},
            "cluster_load at .* reads .* a race",
        ),
        ({MADE: ARRIVED, ARRIVED: MADE}, "mbarrier_arrive at .* reads .* a race"),
    ],
    ids=["elements", "object made later"],
)
def test_nothing_else_is_known(changes: dict[str, str], message: str, order: Order | None) -> None:
    lines = [changes.get(line.strip(), line) for line in KERNEL.splitlines()]
    with pytest.raises(SimulationError, match=message):
        _fetched("\n".join(lines), order)
