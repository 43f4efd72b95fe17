"""Checks kernels for a GPU that this machine does not have, by simulating some of their blocks."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.evaluation import round_to
from dlc.backends._host_reader import find_main
from dlc.core.weights import WeightStore
from dlc.dialects._tensor import tensor_bytes
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.gpu import KernelOp
from dlc.dialects.graph._structure import GraphOp
from dlc.oracle import run_block
from dlc.simulator import simulate
from dlc.verification.group_inputs import GroupInputs
from dlc.verification.groups import check_results, launched_kernels

RUNS = 3
"""How many places of the grid are simulated: its two ends, where tails are, and one between."""

LARGEST_BYTES = 1 << 28
"""Kernels on more memory than this are left out: their reference takes too long."""

_STEP_S = 5e-5
_FLOPS_PER_STEP = {"mma.m16n8k16": 64, "mma.m16n8k8": 32}
"""Of a thread; one step of other code is one operation."""


@dataclass(frozen=True)
class KernelsSimulated:
    """How many kernels of a target were simulated, at how many tiles of their results, each by one
    or more blocks. left_out: the kernels that would have taken too long.
    """

    target: str
    kernels: int
    all_kernels: int
    tiles: int
    blocks: int
    left_out: Sequence[str] = ()

    def text(self) -> str:
        """Return a phrase for the user."""
        return (
            f"{self.kernels} of {self.all_kernels} kernels at {self.tiles} sampled tiles "
            f"for {self.target}"
        )


def simulated_text(found: Sequence[KernelsSimulated]) -> str:
    """Return one line for the user about all targets that were simulated."""
    return f"simulated, not run (no such GPU here): {', '.join(x.text() for x in found)}"


def verify_by_simulation(
    target: str,
    groups: ModuleOp,
    lowered: ModuleOp,
    weights: WeightStore,
    precision: str,
    deadline: float,
) -> KernelsSimulated:
    """Compare blocks of kernels with the reference of their groups, until ``deadline``.

    target: what ``lowered`` was lowered for. groups: the module before lowering. Inputs are those
    of ``GroupInputs``. deadline: of ``time.monotonic``; kernels that would take longer are left
    out. Raises SimulationError for a fault of a kernel, CompileError for results that are further
    off than ``error_bound``.
    """
    kernels = {op.sym_name.data: op for op in lowered.ops if isinstance(op, KernelOp)}
    first: dict[str, GroupOp] = {}
    found = [op for op in find_main(groups).body.block.ops if isinstance(op, GroupOp)]
    for name, group in zip(launched_kernels(lowered), found, strict=True):
        first.setdefault(name, group)
    pairs = [_Pair(kernels[name], group, weights) for name, group in first.items()]
    inputs = GroupInputs(weights)
    tiles = blocks = 0
    left_out: list[str] = []
    for pair in sorted(pairs, key=lambda pair: pair.seconds):
        if time.monotonic() + pair.seconds >= deadline or pair.bytes > LARGEST_BYTES:
            left_out.append(pair.kernel.sym_name.data)
            continue
        count = pair.check(lowered, inputs, precision)
        blocks += count
        tiles += count // pair.split
    return KernelsSimulated(
        target, len(pairs) - len(left_out), len(pairs), tiles, blocks, sorted(left_out)
    )


@dataclass(frozen=True)
class _Pair:
    """A kernel and the group that it computes."""

    kernel: KernelOp
    group: GroupOp
    weights: WeightStore

    @property
    def bytes(self) -> int:
        """The bytes of all operands and results."""
        return sum(map(tensor_bytes, (*self.group.inputs, *self.group.results)))

    @property
    def seconds(self) -> float:
        """A rough guess of what a check takes."""
        flops = sum(op.flops() for op in self.group.walk() if isinstance(op, GraphOp))
        threads = prod(self.kernel.grid_size) * self.kernel.threads
        per_step = _FLOPS_PER_STEP.get(str(self._key("instruction", "")), 1)
        return flops / threads / per_step * _STEP_S + flops * 1e-9

    @property
    def split(self) -> int:
        """How many blocks share a tile of the result."""
        return int(self._key("split", 1))

    def check(self, module: ModuleOp, inputs: GroupInputs, precision: str) -> int:
        """Simulate some blocks, compare what they wrote, and return how many they are."""
        arguments = [inputs[x] for x in self.group.inputs]
        wanted = run_block(self.group.body.block, list(arguments), self.weights)
        rounded = [round_to(w, r.type) for w, r in zip(wanted, self.group.results, strict=True)]
        outputs = [np.zeros_like(x, order="C") for x in rounded]
        blocks = self._blocks()
        name = self.kernel.sym_name.data
        report = simulate(module, name, [*arguments, *outputs], blocks=blocks)
        for output, right, written in zip(outputs, rounded, report.written, strict=True):
            np.copyto(output, right, where=~written.reshape(output.shape))
        check_results(self.group, arguments, wanted, outputs, self.weights, precision)
        return len(blocks)

    def _blocks(self) -> list[int]:
        """Return the blocks of ``RUNS`` tiles; those that share a tile follow each other."""
        split = self.split
        tiles = prod(self.kernel.grid_size) // split
        generator = np.random.default_rng(0)
        chosen = {0, tiles - 1, *generator.integers(0, tiles, RUNS - 2).tolist()}
        return [tile * split + part for tile in sorted(chosen) for part in range(split)]

    def _key(self, name: str, default: int | str) -> int | str:
        schedule = self.group.schedule
        found = default if schedule is None else schedule.get(name, default)
        assert isinstance(found, int | str)
        return found
