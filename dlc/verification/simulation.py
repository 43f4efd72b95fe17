"""Checks kernels for a GPU that this machine does not have, by simulating some of their blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod

import numpy as np
from numpy.typing import DTypeLike
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from dlc import strategies
from dlc.analysis.entry import find_main, kernels_by_group, launches_by_group
from dlc.analysis.entry import groups as groups_of
from dlc.analysis.evaluation import round_to
from dlc.core.locations import operation_text
from dlc.core.weights import WeightStore
from dlc.dialects.fused_group import GroupOp, LaunchOp
from dlc.dialects.gpu import KernelOp
from dlc.dialects.graph.overlay import stored, stored_type
from dlc.dialects.graph.structure import Array
from dlc.ir.space import buffer_type
from dlc.ir.tensor import element_type, numpy_dtype, shape, tensor_bytes
from dlc.oracle import run_block
from dlc.simulator import Coverage, simulate
from dlc.verification.error_bound import MOST
from dlc.verification.float_inputs import FloatDraw, large, ordinary, positive
from dlc.verification.group_inputs import GroupInputs
from dlc.verification.groups import check_results, first_of_each, has_numbers, silent_text
from dlc.verification.launch_inputs import LaunchInputs

RUNS = 3
"""How many places of the grid are simulated: its two ends, where tails are, and one between."""

LARGEST_BYTES = 1 << 28
"""The reference of kernels on more memory is in float32, off by a sixteenth of the bound."""


@dataclass(frozen=True)
class KernelsSimulated:
    """How many kernels of a target were simulated, at how many tiles of the results of their
    groups, by how many blocks. silent: of each kernel whose group's results had no number, or were
    hidden by rounding errors, the operation.
    """

    kernels: int
    tiles: int
    blocks: int
    silent: Sequence[str] = ()

    def text(self) -> str:
        """Return a phrase for the user."""
        told = self.kernels - len(self.silent)
        silent = silent_text(self.silent)
        return f"{told} of {self.kernels} kernels at {self.tiles} sampled tiles{silent}"


def verify_by_simulation(
    groups: ModuleOp,
    lowered: ModuleOp,
    weights: WeightStore,
    precision: str,
) -> KernelsSimulated:
    """Compare blocks of every kernel with the reference of its group.

    groups: the module before lowering. Inputs are those of ``GroupInputs``: ordinary ones, positive
    ones where these give no number, and large ones where rounding errors hide most of the results:
    gates of a recurrent layer are open or shut then, and magnify nothing. Of a group that takes
    several launches, all blocks of those before the last one run: it reads what they give. Raises
    SimulationError for a fault of a kernel, MiscompileError for results that are further off than
    ``error_bound``.
    """
    kernels = {op.sym_name.data: op for op in lowered.ops if isinstance(op, KernelOp)}
    named = {op.sym_name.data: op for op in groups_of(find_main(groups))}
    launches = launches_by_group(find_main(lowered))
    launched = kernels_by_group(find_main(lowered))
    chosen = first_of_each(launched)
    found = [_Launched(launches[name], named[name], kernels, weights) for name in chosen]

    @cache
    def inputs(draw: FloatDraw) -> GroupInputs:
        return GroupInputs(groups, weights, draw)

    tiles = blocks = 0
    seen: set[str] = set()
    silent: list[str] = []
    for name, each in zip(chosen, found, strict=True):
        has_ordinary = has_numbers(each.wanted(inputs(ordinary)))
        told = False
        for draw in (ordinary if has_ordinary else positive, large):
            given = inputs(draw)
            wanted = each.wanted(given)
            values = LaunchInputs(lowered, groups, given, weights)
            blocks += each.run_earlier(lowered, values)
            count, hidden = each.check(lowered, given, values, wanted, precision)
            blocks += count
            tiles += count // each.split
            told = has_numbers(wanted) and hidden <= MOST
            if hidden <= MOST:
                break
        new = {*launched[name]} - seen
        silent += [] if told else [operation_text(each.group)] * len(new)
        seen |= new
    return KernelsSimulated(len(seen), tiles, blocks, silent)


@dataclass(frozen=True)
class _Launched:
    """A group and the launches that compute it."""

    launches: Sequence[LaunchOp]
    group: GroupOp
    kernels: Mapping[str, KernelOp]
    weights: WeightStore

    @property
    def kernel(self) -> KernelOp:
        """The kernel that gives the results."""
        return self.kernels[self.launches[-1].kernel_name]

    @property
    def _float_type(self) -> DTypeLike:
        """The type in which the reference is computed."""
        tensors = (*self.group.inputs, *self.group.results)
        return np.float32 if sum(map(tensor_bytes, tensors)) > LARGEST_BYTES else np.float64

    @property
    def split(self) -> int:
        """How many blocks of the last launch share a tile of the result."""
        schedule = self.group.schedule
        return 1 if schedule is None else strategies.read(schedule).blocks_per_tile

    def wanted(self, inputs: GroupInputs) -> list[Array]:
        """Return what the group means on inputs."""
        arguments = [inputs[x] for x in self.group.inputs]
        return run_block(self.group.body.block, arguments, self.weights, self._float_type)

    def run_earlier(self, module: ModuleOp, values: LaunchInputs) -> int:
        """Simulate all launches but the last; return how many blocks they have."""
        blocks = 0
        for launch in self.launches[:-1]:
            outputs = [np.zeros(shape(x), numpy_dtype(element_type(x))) for x in launch.outputs]
            simulate(module, launch.kernel_name, [*values.of(launch), *outputs])
            values.hand_on(launch, outputs)
            blocks += prod(self.kernels[launch.kernel_name].grid_size)
        return blocks

    def check(
        self,
        module: ModuleOp,
        inputs: GroupInputs,
        values: LaunchInputs,
        wanted: Sequence[Array],
        precision: str,
    ) -> tuple[int, float]:
        """Simulate some blocks of the last launch, compare what they wrote, and return how many
        they are, and which share of the results rounding errors hide.

        That all blocks together write everything is found without their data. Where data decides
        which elements a kernel writes, or nobody can say what its blocks give each other, all its
        blocks are simulated. What other blocks publish is what the reference gives.
        """
        arguments = [inputs[x] for x in self.group.inputs]
        results = self.group.results
        rounded = [round_to(w, r.type) for w, r in zip(wanted, results, strict=True)]
        wholes = [*map(_within, results, rounded)]
        coverage = Coverage(self.kernel)
        exchanged = self._exchanged(arguments)
        alone = coverage.check_all() and exchanged is not None
        blocks = self._blocks(coverage) if alone else None
        names = [launch.kernel_name for launch in self.launches]
        given = values.of(self.launches[-1])
        buffers = [*given, *wholes, *(exchanged or ())]
        report = simulate(module, names[-1], buffers, blocks=blocks)
        outputs = [*map(stored, results, wholes)]
        for result, output, right, known in zip(
            results, outputs, rounded, report.written, strict=True
        ):
            here = stored(result, known.reshape(stored_type(result).get_shape()))
            np.copyto(output, right, where=~here)
        hidden = check_results(
            self.group, names, arguments, wanted, outputs, self.weights, precision
        )
        return prod(self.kernel.grid_size) if blocks is None else len(blocks), hidden

    def _exchanged(self, arguments: Sequence[Array]) -> Sequence[Array] | None:
        """Return the scratch buffers with what blocks publish there; ``None`` where nobody can say
        that.
        """
        scratch, filled = self.kernel.scratch_buffers, set(self.kernel.filled_buffers)
        if filled.isdisjoint(scratch):
            return []
        schedule = self.group.schedule
        own = None if schedule is None else strategies.implementation(strategies.read(schedule))
        if own is None or own.filled is None:
            return None
        known = iter(own.filled(self.group, arguments, self.weights))
        return [next(known) if x in filled else _zeros_of(x) for x in scratch]

    def _blocks(self, coverage: Coverage) -> list[int]:
        """Return the blocks of ``RUNS`` tiles; those that share a tile follow each other."""
        tiles = prod(self.kernel.grid_size) // self.split
        generator = np.random.default_rng(0)
        chosen = {0, tiles - 1, *generator.integers(0, tiles, RUNS - 2).tolist()}
        return [
            block
            for tile in sorted({self._written(x, coverage) for x in chosen})
            for block in self._parts(tile)
        ]

    def _parts(self, tile: int) -> range:
        """Return the blocks that share a tile."""
        return range(tile * self.split, (tile + 1) * self.split)

    def _written(self, tile: int, coverage: Coverage) -> int:
        """Return ``tile``, or the last before it whose blocks write; some grids are rounded up."""
        while tile and not any(x.any() for x in coverage.written(self._parts(tile))):
            tile -= 1
        return tile


def _within(result: SSAValue, array: Array) -> Array:
    """Return the buffer that holds a result, with zeros where others have parts of it."""
    type = stored_type(result)
    whole = np.zeros(type.get_shape(), array.dtype)
    stored(result, whole)[...] = array
    return whole


def _zeros_of(buffer: SSAValue) -> Array:
    type = buffer_type(buffer)
    return np.zeros(type.get_shape(), numpy_dtype(type.element_type))
