"""Warps with different tasks wait for each other by tokens, in the simulator and on the GPU.

On an H200 (compute-sanitizer 2025.3) racecheck finds nothing in the right kernels but ``elected``,
where it takes one lane's arrival for its own only and reports hazards; it finds the missing wait of
``numbered``, and that of ``copied`` where two slices fill the two slots. What waits for ever hangs
there.
"""

import re

import numpy as np
import pytest
from launch import Gpu
from lowered import lowered
from warp_roles import (
    AWAITED,
    BLOCKS,
    BOXED,
    COPIED,
    ELECTED,
    GATHERED,
    NUMBERED,
    REALLOCATED,
    ROUNDS,
    SLICES,
    STORED,
    TURNS,
    WARPGROUPS,
    WARPS,
    WIDTH,
)

from dlc.arch import gpu_by_name
from dlc.backends.cuda.cubins import compile_kernels
from dlc.dialects.graph.structure import Array
from dlc.simulator import Coverage, SimulationError, simulate
from dlc.simulator.launch import Order, find_kernel

RINGS = {
    "copied": COPIED,
    "boxed": BOXED,
    "stored": STORED,
    "gathered": GATHERED,
    "awaited": AWAITED,
    "elected": ELECTED,
    "numbered": NUMBERED,
}
KERNELS = {**RINGS, "turns": TURNS, "reallocated": REALLOCATED}
TARGETS = {"numbered": ["sm_80", "sm_86", "sm_89", "sm_90a"]}
"""Where a kernel runs; the others have mbarriers."""
ORDERS: list[Order | None] = [None, "forward", "backward", 1, 2, 3]


def doubled() -> tuple[Array, Array]:
    """Return the input of a ring and what it makes of it."""
    x = np.random.default_rng(0).standard_normal((BLOCKS, SLICES, WIDTH)).astype(np.float32)
    return x, 2 * x[:, :, ::-1]


def in_turns() -> tuple[Array, Array]:
    """Return the input of the warps that take turns, and what they make of it one by one."""
    x = np.random.default_rng(0).integers(0, 9, (BLOCKS, 32)).astype(np.int32)
    y = x
    for _ in range(ROUNDS):
        for warp in range(WARPS):
            y = 2 * y + warp
    return x, y


def doubled_rows() -> tuple[Array, Array]:
    """Return the input of the warpgroups that move registers, and what they make of it."""
    x = np.random.default_rng(0).standard_normal((BLOCKS, 128 * WARPGROUPS)).astype(np.float32)
    return x, 2 * x


def arrays(name: str) -> tuple[Array, Array]:
    others = {"turns": in_turns, "reallocated": doubled_rows}
    return others.get(name, doubled)()


def simulated(name: str, text: str, order: Order | None = None) -> Array:
    x, _ = arrays(name)
    y = np.zeros_like(x)
    simulate(lowered(text, "gpu-check-limits{arch=sm_90a}"), "k", [x, y], warp_order=order)
    return y


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", KERNELS)
def test_warps_wait_for_each_other(name: str, order: Order | None) -> None:
    np.testing.assert_array_equal(simulated(name, KERNELS[name], order), arrays(name)[1])


@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.parametrize("name", KERNELS)
def test_batches_of_different_sizes(name: str, blocks: int) -> None:
    """What threads of the batch before held is none of the next one, which may have fewer."""
    x, wanted = arrays(name)
    y = np.zeros_like(x)
    module = lowered(KERNELS[name], "gpu-check-limits{arch=sm_90a}")
    simulate(module, "k", [x, y], blocks_at_once=blocks)
    np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("name", KERNELS)
def test_what_they_write_is_known_without_running_them(name: str) -> None:
    assert Coverage(find_kernel(lowered(KERNELS[name], "gpu-check-limits"), "k")).check_all()


@pytest.mark.parametrize("name", [*RINGS, "turns"])
def test_passes_find_places_and_barriers(name: str) -> None:
    """The kernels without their barriers of the block and the places of their buffers."""
    text = re.sub(r"\{offset = \d+ : i64\}|gpu\.barrier\n", "\n", KERNELS[name])
    assert text != KERNELS[name]
    x, wanted = arrays(name)
    y = np.zeros_like(x)
    simulate(lowered(text, "gpu-check-order,gpu-insert-barriers,gpu-allocate-shared"), "k", [x, y])
    np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_compiles(name: str) -> None:
    for target in TARGETS.get(name, ["sm_90a"]):
        module = lowered(KERNELS[name], f"gpu-check-limits{{arch={gpu_by_name(target).target}}}")
        assert compile_kernels(module, target)[0].code


@pytest.mark.gpu
@pytest.mark.parametrize("name", KERNELS)
def test_kernel_on_the_gpu(gpu: Gpu, name: str) -> None:
    if gpu.target not in TARGETS.get(name, ["sm_90a"]):
        pytest.skip(f"{gpu.target} has no mbarriers")
    x, wanted = arrays(name)
    (y,) = gpu.run(lowered(KERNELS[name], "gpu-check-limits"), x)
    np.testing.assert_array_equal(y, wanted)


RACE = "a race|nothing was written|not waited for"
STALL = "waits for ever"
WAIT_FULL = "gpu.mbarrier_wait %full[%k mod 2] parity %p"
WAIT_EMPTY = "gpu.mbarrier_wait %empty[%k mod 2] parity %p"
FAULTS = [
    ("stored", "gpu.barrier", "", RACE),
    ("stored", "gpu.mbarrier_init %full[1]", "gpu.mbarrier_init %full[0]", RACE),
    ("stored", f"{WAIT_FULL} : memref<2xi64, #loop.space<shared>>", "", RACE),
    ("stored", f"{WAIT_EMPTY} : memref<2xi64, #loop.space<shared>>", "", f"{RACE}|{STALL}"),
    ("stored", WAIT_FULL, "gpu.mbarrier_wait %full[%k mod 2] parity %one", f"{RACE}|{STALL}"),
    ("stored", WAIT_FULL, "gpu.mbarrier_wait %full[%k mod 2] parity %zero", f"{RACE}|{STALL}"),
    ("stored", WAIT_FULL, "gpu.mbarrier_wait %full[%k mod 2] parity %n", "it is 0 or 1"),
    ("stored", WAIT_FULL, "gpu.mbarrier_wait %full[0] parity %p", f"{RACE}|{STALL}"),
    ("stored", WAIT_EMPTY, "gpu.mbarrier_wait %empty[%k mod 2] parity %one", f"{RACE}|{STALL}"),
    ("stored", "gpu.mbarrier_arrive %full[%k mod 2] :", "gpu.mbarrier_arrive %full[0] :", STALL),
    ("stored", "arrivals = 32", "arrivals = 33", STALL),
    ("stored", "arrivals = 64", "arrivals = 63", f"{RACE}|{STALL}"),
    ("elected", "gpu.warp_barrier", "", RACE),
    ("elected", "eq, %lane, %zero", "eq, %lane, %warp", STALL),
    ("copied", f"{WAIT_FULL} : memref<2xi64, #loop.space<shared>>", "", RACE),
    ("copied", f"{WAIT_EMPTY} : memref<2xi64, #loop.space<shared>>", "", "once too often"),
    ("gathered", f"{WAIT_FULL} : memref<2xi64, #loop.space<shared>>", "", RACE),
    ("gathered", f"{WAIT_EMPTY} : memref<2xi64, #loop.space<shared>>", "", f"{RACE}|too often"),
    ("gathered", WAIT_FULL, "gpu.mbarrier_wait %full[%k mod 2] parity %one", f"{RACE}|{STALL}"),
    ("gathered", "gpu.cp_async_arrive %full[%k mod 2]", "gpu.cp_async_arrive %full[0]", STALL),
    ("gathered", "gpu.cp_async_arrive", "gpu.mbarrier_arrive", "not waited for"),
    ("gathered", "arrivals = 32", "arrivals = 33", STALL),
    ("gathered", "arrivals = 32", "arrivals = 31", f"{RACE}|too often|{STALL}"),
    ("gathered", "%ring[%k mod 2, %t * 2]", "%ring[0, %t * 2]", f"{RACE}|{STALL}"),
    ("reallocated", "gpu.set_registers {count = 24 : i64}", "", f"{STALL}: for 240 registers"),
    (
        "reallocated",
        "count = 24 ",
        "count = 64 ",
        f"{STALL}: for 240 registers a thread, 5120 more",
    ),
    (  # 65536 in all: as many as an SM has, more than the block was launched with
        "reallocated",
        "count = 24 ",
        "count = 32 ",
        f"{STALL}: for 240 registers a thread, 1024 more",
    ),
    ("reallocated", "arith.constant 128", "arith.constant 96", STALL),
    ("copied", "bytes = 256", "bytes = 512", STALL),
    ("copied", "%ring[%k mod 2, 0] at %full[%k mod 2]", "%ring[%k mod 2, 0] at %empty[0]", STALL),
    ("copied", "%ring[%k mod 2, 0] at", "%ring[0, 0] at", f"{RACE}|{STALL}"),
    ("copied", "elements = 64", "elements = 60", STALL),
    ("boxed", f"{WAIT_FULL} : memref<2xi64, #loop.space<shared>>", "", RACE),
    ("boxed", f"{WAIT_EMPTY} : memref<2xi64, #loop.space<shared>>", "", "once too often"),
    ("boxed", WAIT_FULL, "gpu.mbarrier_wait %full[%k mod 2] parity %one", f"{RACE}|{STALL}"),
    ("boxed", "bytes = 256", "bytes = 512", STALL),
    ("boxed", "box = [1, 1, 64]", "box = [1, 1, 60]", STALL),
    ("boxed", "%ring[%k mod 2, 0] at %full[%k mod 2]", "%ring[%k mod 2, 0] at %empty[0]", STALL),
    ("boxed", "%ring[%k mod 2, 0] at", "%ring[0, 0] at", f"{RACE}|{STALL}"),
    ("boxed", "%ring[%k mod 2, 0] at", "%ring[%k mod 2, 16] at", "axis 1 of size 64, 64 of it"),
    ("numbered", "gpu.bar_sync %filled {threads = 96 : i64}", "", RACE),
    ("numbered", "gpu.bar_sync %emptied {threads = 96 : i64}", "", f"{RACE}|{STALL}|too many"),
    ("numbered", "gpu.bar_arrive %filled {threads = 96 : i64}", "", STALL),
    ("numbered", "gpu.bar_arrive %emptied {threads = 96 : i64}", "", STALL),
    (
        "numbered",
        "gpu.bar_arrive %filled {threads = 96",
        "gpu.bar_arrive %filled {threads = 64",
        "comes to a barrier for",
    ),
    ("numbered", "[%k mod 2 + 3]", "[%k mod 2 + 15]", "1 to 15 are free"),
    (
        "turns",
        "gpu.mbarrier_arrive %turn[(%t floordiv 32 + 1)",
        "gpu.mbarrier_arrive %turn[(%t floordiv 32 + 2)",
        f"{RACE}|{STALL}",
    ),
    (
        "turns",
        "gpu.mbarrier_wait %turn[%t floordiv 32] parity %p",
        "gpu.mbarrier_wait %turn[%t floordiv 32] parity %one",
        RACE,
    ),
]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("name", "correct", "wrong", "message"), FAULTS)
def test_fault_is_found(
    name: str, correct: str, wrong: str, message: str, order: Order | None
) -> None:
    """Whichever warp runs first."""
    text = KERNELS[name]
    assert correct in text
    with pytest.raises(SimulationError, match=message):
        simulated(name, text.replace(correct, wrong), order)


def test_who_waits_for_whom_is_said() -> None:
    text = STORED.replace("arrivals = 32", "arrivals = 33")
    with pytest.raises(SimulationError) as error:
        simulated("stored", text)
    assert error.value.thread == (0, 0, 0)
    assert "64 of 64 arrivals are missing in round 0, and it waits for parity 0" in str(error.value)
    assert "threads 32-95 (warps 1-2) wait at gpu.mbarrier_wait" in str(error.value)


def test_a_copy_that_nobody_waits_for_is_found() -> None:
    text = """
gpu.kernel @k(%x: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>,
    block = array<i64: 32, 1, 1>, outputs = 1 : i64, shared_bytes = 144 : i64} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %full = gpu.shared_alloc {offset = 0 : i64} : memref<1xi64, #loop.space<shared>>
  %room = gpu.shared_alloc {offset = 16 : i64} : memref<32xf32, #loop.space<shared>>
  %first = arith.cmpi eq, %t, %zero : index
  scf.if %first {
    gpu.mbarrier_init %full[0] {arrivals = 1 : i64} : memref<1xi64, #loop.space<shared>>
    gpu.mbarrier_arrive %full[0] {bytes = 128 : i64} : memref<1xi64, #loop.space<shared>>
    gpu.bulk_copy %x[0] to %room[0] at %full[0] {elements = 32 : i64}
      : memref<32xf32>, memref<32xf32, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  }
  %v = loop.load %x[%t] : memref<32xf32> -> f32
  loop.store %v, %y[%t] : f32 -> memref<32xf32>
  gpu.end
}"""
    x = np.ones(32, np.float32)
    with pytest.raises(SimulationError, match="starts a copy that nobody waits for"):
        simulate(lowered(text, "gpu-check-limits{arch=sm_90a}"), "k", [x, np.zeros_like(x)])
