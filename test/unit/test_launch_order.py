"""Launches in any order that theirs allows give the same results, in the memory that they have."""

import random
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.analysis.entry import find_main, launches
from dlc.backends.host.program import Address, HostProgram, Launch
from dlc.backends.host.reader import read_program
from dlc.core.parser import parse_module

SIZE = 64
"""Elements of each tensor; they fill 256 bytes, the unit of the memory plan."""
KERNELS = {1: "one", 2: "two", 3: "three"}
"""By the number of their inputs, of which they give a sum that tells one from the other."""
PASSES = "fused-group-order-launches{arch=sm_90a},fused-group-plan-memory"


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


def planned(text: str) -> ModuleOp:
    context = registry.new_context()
    module = parse_module(text, context)
    for step in registry.build_passes(PASSES):
        step.apply(context, module)
    module.verify()
    return module


def sets_of(module: ModuleOp, program: HostProgram) -> list[list[Launch]]:
    """Return the launches in sets that run beside each other."""
    found: list[list[Launch]] = []
    for op, launch in zip(launches(find_main(module)), program.launches, strict=True):
        if op.beside is None:
            found.append([])
        found[-1].append(launch)
    return found


def run(program: HostProgram, order: Iterable[Launch]) -> list[np.ndarray]:
    """Return the outputs, where each launch reads and writes the memory of the plan."""
    x = np.arange(SIZE, dtype=np.float32)
    outputs = [np.full(SIZE, np.nan, np.float32) for _ in program.outputs]
    arena = np.full(program.workspace_bytes, 0xFF, np.uint8)

    def array(address: Address) -> np.ndarray:
        if address.space == "workspace":
            return arena[address.offset : address.offset + 4 * SIZE].view(np.float32)
        return x if address.space == "input" else outputs[address.buffer]

    for launch in order:
        *read, written = map(array, launch.operands)
        written[:] = sum((n + 2) * y for n, y in enumerate(read)) % 1021 + 1  # exact in floats
    for copy in program.copies:
        array(copy.target)[:] = array(copy.source)
    return outputs


def shuffled(sets: Sequence[Sequence[Launch]], seed: int) -> list[Launch]:
    draw = random.Random(seed)
    return [launch for one in sets for launch in draw.sample(one, len(one))]


@pytest.mark.parametrize("seed", range(40))
def test_any_order_that_is_allowed_gives_the_same(seed: int) -> None:
    text = drawn(seed)
    context = registry.new_context()
    line = parse_module(text, context)
    for step in registry.build_passes("fused-group-plan-memory"):
        step.apply(context, line)
    first = read_program(line, lambda _: 0)
    wanted = run(first, first.launches)
    module = planned(text)
    program = read_program(module, lambda _: 0)
    sets = sets_of(module, program)
    for order in range(10):
        assert np.array_equal(run(program, shuffled(sets, order)), wanted)


def test_orders_are_really_partial_and_the_plan_of_a_line_does_not_allow_them() -> None:
    wrong = 0
    for seed in range(10):
        module = planned(drawn(seed))
        sets = sets_of(module, read_program(module, lambda _: 0))
        assert any(len(one) > 1 for one in sets)
        for op in launches(find_main(module)):
            op.beside = None
        for step in registry.build_passes("fused-group-plan-memory"):
            step.apply(registry.new_context(), module)
        program = read_program(module, lambda _: 0)
        ends = np.cumsum([len(one) for one in sets]).tolist()
        again = [
            program.launches[end - len(one) : end] for one, end in zip(sets, ends, strict=True)
        ]
        wanted = run(program, program.launches)
        wrong += not np.array_equal(run(program, [x for one in again for x in one[::-1]]), wanted)
    assert wrong > 0
