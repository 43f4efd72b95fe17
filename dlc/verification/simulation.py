"""Checks kernels for a GPU that this machine does not have, by simulating some of their blocks."""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import DTypeLike
from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.entry import find_main
from dlc.analysis.evaluation import round_to
from dlc.core.weights import WeightStore
from dlc.dialects._tensor import tensor_bytes
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.gpu import KernelOp
from dlc.oracle import run_block
from dlc.simulator import check_all_is_written, elements_written, simulate
from dlc.verification.group_inputs import GroupInputs
from dlc.verification.groups import check_results, launched_kernels

RUNS = 3
"""How many places of the grid are simulated: its two ends, where tails are, and one between."""

LARGEST_BYTES = 1 << 28
"""The reference of kernels on more memory is in float32, off by a sixteenth of the bound."""


@dataclass(frozen=True)
class KernelsSimulated:
    """How many kernels of a target were simulated, at how many tiles of their results, each by one
    or more blocks.
    """

    kernels: int
    tiles: int
    blocks: int

    def text(self) -> str:
        """Return a phrase for the user."""
        return f"{self.kernels} of {self.kernels} kernels at {self.tiles} sampled tiles"


def verify_by_simulation(
    groups: ModuleOp,
    lowered: ModuleOp,
    weights: WeightStore,
    precision: str,
) -> KernelsSimulated:
    """Compare blocks of every kernel with the reference of its group.

    groups: the module before lowering. Inputs are those of ``GroupInputs``. Raises SimulationError
    for a fault of a kernel, MiscompileError for results that are further off than ``error_bound``.
    """
    kernels = {op.sym_name.data: op for op in lowered.ops if isinstance(op, KernelOp)}
    first: dict[str, GroupOp] = {}
    found = [op for op in find_main(groups).body.block.ops if isinstance(op, GroupOp)]
    for name, group in zip(launched_kernels(lowered), found, strict=True):
        first.setdefault(name, group)
    pairs = [_Pair(kernels[name], group, weights) for name, group in first.items()]
    inputs = GroupInputs(groups, weights)
    tiles = blocks = 0
    for pair in pairs:
        count = pair.check(lowered, inputs, precision)
        blocks += count
        tiles += count // pair.split
    return KernelsSimulated(len(pairs), tiles, blocks)


@dataclass(frozen=True)
class _Pair:
    """A kernel and the group that it computes."""

    kernel: KernelOp
    group: GroupOp
    weights: WeightStore

    @property
    def _float_type(self) -> DTypeLike:
        """The type in which the reference is computed."""
        tensors = (*self.group.inputs, *self.group.results)
        return np.float32 if sum(map(tensor_bytes, tensors)) > LARGEST_BYTES else np.float64

    @property
    def split(self) -> int:
        """How many blocks share a tile of the result."""
        return int(self._key("split", 1))

    def check(self, module: ModuleOp, inputs: GroupInputs, precision: str) -> int:
        """Simulate some blocks, compare what they wrote, and return how many they are.

        That all blocks together write everything is found without their data. Where data decides
        which elements a kernel writes, all its blocks are simulated.
        """
        arguments = [inputs[x] for x in self.group.inputs]
        body = self.group.body.block
        wanted = run_block(body, list(arguments), self.weights, self._float_type)
        rounded = [round_to(w, r.type) for w, r in zip(wanted, self.group.results, strict=True)]
        outputs = [np.zeros_like(x, order="C") for x in rounded]
        known = check_all_is_written(self.kernel)
        blocks = self._blocks() if known else None
        name = self.kernel.sym_name.data
        report = simulate(module, name, [*arguments, *outputs], blocks=blocks)
        for output, right, written in zip(outputs, rounded, report.written, strict=True):
            np.copyto(output, right, where=~written.reshape(output.shape))
        check_results(self.group, name, arguments, wanted, outputs, self.weights, precision)
        return prod(self.kernel.grid_size) if blocks is None else len(blocks)

    def _blocks(self) -> list[int]:
        """Return the blocks of ``RUNS`` tiles; those that share a tile follow each other."""
        tiles = prod(self.kernel.grid_size) // self.split
        generator = np.random.default_rng(0)
        chosen = {0, tiles - 1, *generator.integers(0, tiles, RUNS - 2).tolist()}
        return [
            block
            for tile in sorted({self._written(x) for x in chosen})
            for block in self._parts(tile)
        ]

    def _parts(self, tile: int) -> range:
        """Return the blocks that share a tile."""
        return range(tile * self.split, (tile + 1) * self.split)

    def _written(self, tile: int) -> int:
        """Return ``tile``, or the last before it whose blocks write; some grids are rounded up."""
        while tile and not any(x.any() for x in elements_written(self.kernel, self._parts(tile))):
            tile -= 1
        return tile

    def _key(self, name: str, default: int | str) -> int | str:
        schedule = self.group.schedule
        found = default if schedule is None else schedule.get(name, default)
        assert isinstance(found, int | str)
        return found
