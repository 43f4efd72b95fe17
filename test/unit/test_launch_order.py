"""Launches in any order that theirs allows give the same results, in the memory that they have."""

import random
from collections.abc import Iterable

import numpy as np
import pytest

from dlc import registry
from dlc.backends.host.program import Address, HostProgram
from dlc.backends.host.reader import read_program
from dlc.core.parser import parse_module

SIZE = 64
"""Elements of each tensor; they fill 256 bytes, the unit of the memory plan."""
KERNELS = {1: "one", 2: "two", 3: "three"}
"""By the number of their inputs, of which they give a sum that tells one from the other."""
ORDER, PLAN = "fused-group-order-launches{arch=sm_90a}", "fused-group-plan-memory"


def drawn(seed: int) -> str:
    """Return a program of launches, each of which reads up to three results of those before it."""
    draw = random.Random(seed)
    texts = [_kernel(name, count) for count, name in KERNELS.items()]
    lines: list[str] = []
    values = ["%x"]
    for number in range(draw.randrange(6, 20)):
        read = draw.sample(values[-6:], min(len(values), draw.choice([1, 1, 2, 3])))
        types = ", ".join(["tensor<64xf32>"] * len(read))
        call = f"@{KERNELS[len(read)]}({', '.join(read)})"
        lines.append(f"%v{number} = fused_group.launch {call} : ({types}) -> tensor<64xf32>")
        values.append(f"%v{number}")
    given = ", ".join(values[-2:])
    types = "tensor<64xf32>, tensor<64xf32>"
    main = f"func.func @main(%x: tensor<64xf32>) -> ({types}) {{\n"
    return "\n".join([*texts, main, *lines, f"func.return {given} : {types}\n}}"])


def _kernel(name: str, inputs: int) -> str:
    buffers = ", ".join(f"%b{n}: memref<64xf32>" for n in range(inputs + 1))
    shape = "grid = array<i64: 20, 1, 1>, block = array<i64: 64, 1, 1>"
    return f"gpu.kernel @{name}({buffers}) attributes {{{shape}, outputs = 1 : i64}} {{ gpu.end }}"


def planned(text: str, passes: str) -> HostProgram:
    context = registry.new_context()
    module = parse_module(text, context)
    for step in registry.build_passes(passes):
        step.apply(context, module)
    module.verify()
    return read_program(module, lambda _: 0)


def run(program: HostProgram, order: Iterable[int]) -> list[np.ndarray]:
    """Return the outputs, where each launch reads and writes the memory of the plan."""
    x = np.arange(SIZE, dtype=np.float32)
    outputs = [np.full(SIZE, np.nan, np.float32) for _ in program.outputs]
    arena = np.full(program.workspace_bytes, 0xFF, np.uint8)

    def array(address: Address) -> np.ndarray:
        if address.space == "workspace":
            return arena[address.offset : address.offset + 4 * SIZE].view(np.float32)
        return x if address.space == "input" else outputs[address.buffer]

    for number in order:
        *read, written = map(array, program.launches[number].operands)
        written[:] = sum((n + 2) * y for n, y in enumerate(read)) % 1021 + 1  # exact in floats
    for copy in program.copies:
        array(copy.target)[:] = array(copy.source)
    return outputs


def shuffled(program: HostProgram, seed: int) -> list[int]:
    """Return the launches in some order in which each comes after those that it must come after."""
    draw = random.Random(seed)
    left = [set(launch.after) for launch in program.launches]
    found: list[int] = []
    while len(found) < len(left):
        ready = [n for n, after in enumerate(left) if n not in found and after <= {*found}]
        found.append(draw.choice([*ready, ready[-1]]))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_any_order_that_is_allowed_gives_the_same(seed: int) -> None:
    line = planned(drawn(seed), PLAN)
    wanted = run(line, range(len(line.launches)))
    program = planned(drawn(seed), f"{ORDER},{PLAN}")
    for order in range(10):
        assert np.array_equal(run(program, shuffled(program, order)), wanted)


def test_a_line_has_one_order() -> None:
    line = planned(drawn(0), PLAN)
    assert [launch.after for launch in line.launches[1:]] == [
        (number,) for number in range(len(line.launches) - 1)
    ]


def test_the_memory_of_a_line_does_not_allow_the_other_orders() -> None:
    wrong = moved = 0
    for seed in range(10):
        line = planned(drawn(seed), PLAN)
        wanted = run(line, range(len(line.launches)))
        free = planned(drawn(seed), f"{ORDER},{PLAN}")
        for order in (shuffled(free, number) for number in range(10)):
            moved += order != sorted(order)
            wrong += not np.array_equal(run(line, order), wanted)
    assert moved > 50
    assert wrong > 20
