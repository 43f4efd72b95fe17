"""Runs an artifact for GPUs that this machine does not have, on its processor instead."""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory

from xdsl.dialects.builtin import ModuleOp

from dlc.arch import gpu_by_name
from dlc.backends._cubins import CompiledKernel
from dlc.core.nvrtc import Cubin
from dlc.core.weights import WeightStore
from dlc.dialects._space import buffer_type
from dlc.dialects._tensor import element_bytes, is_float
from dlc.dialects.gpu import KernelOp
from dlc.dialects.graph._structure import GraphOp
from dlc.emulator.build import Image
from dlc.emulator.model import EmulatedModel, NotEmulatedError
from dlc.emulator.translation import Buffer, Kernel, Role
from dlc.verification.inputs import Feeds, switches, verification_inputs
from dlc.verification.judge import Judge
from dlc.verification.value_range import RangeError

EMULATED_FLOPS_PER_S = 1.5e9
"""What a core does in the emulator, measured on ResNet-50 and BERT: 1.8 to 2.3 GFLOP/s."""

LONGEST_S = 120
"""A model that would take longer is left to the checks of its kernels."""

Variant = tuple[ModuleOp, Sequence[CompiledKernel]]
"""The module of ``gpu`` kernels of a target, and their machine code."""


@dataclass
class Emulation:
    """What was found when the artifact ran as on a device of ``target``. cases: the inputs; worst:
    the largest error, relative to an output's largest value; beyond: the inputs on which the model
    has values that the precision cannot hold; measured_noise: whether errors are those beyond what
    rounding errors were measured to do; left_out: why it was not run, where it was not.
    """

    target: str
    bound: float
    cases: list[str] = field(default_factory=list)
    worst: float = 0.0
    beyond: list[str] = field(default_factory=list)
    seconds: float = 0.0
    measured_noise: bool = False
    left_out: str = ""

    def text(self) -> str:
        """Return one line for the user."""
        if not self.cases:
            return f"the whole model was not emulated for {self.target}: {self.left_out}"
        beyond = " beyond measured rounding noise" if self.measured_noise else ""
        count = f"{len(self.cases)} input{'s' if len(self.cases) > 1 else ''}"
        return (
            f"emulated for {self.target}: the whole artifact on {count} "
            f"({', '.join(self.cases)}), error {self.worst:.1e}{beyond}, bound {self.bound:.1e}"
        )


def verify_by_emulation(
    artifact: Path,
    target: str,
    variants: Sequence[Variant],
    module: ModuleOp,
    weights: WeightStore,
    precision: str,
    budget_seconds: float,
    jobs: int,
) -> Emulation:
    """Compare an emulated artifact with the reference of ``module``, the graph before any pass.

    On one input, and on more as far as ``budget_seconds`` of wall time allow. Raises
    EmulationError for what the artifact must not do, otherwise as ``verify`` does.
    """
    start = time.monotonic()
    judge = Judge(module, weights, precision)
    found = Emulation(target, judge.bound)
    seconds = emulation_seconds(module)
    if seconds / jobs > LONGEST_S:
        return replace(found, left_out=f"it would take about {seconds / jobs:.0f} s")
    try:
        with TemporaryDirectory(prefix="dlc-emulator-") as folder:
            model = emulated_model(artifact, Path(folder), target, variants, jobs, seconds)
            inputs = verification_inputs(model.inputs, switches(module, weights))
            _run(model, inputs, judge, found, budget_seconds)
    except NotEmulatedError as error:
        found.left_out = error.message
    found.measured_noise = judge.measured_noise
    found.seconds = time.monotonic() - start
    return found


def _run(
    model: EmulatedModel,
    inputs: Iterable[tuple[str, Feeds]],
    judge: Judge,
    found: Emulation,
    budget_seconds: float,
) -> None:
    """Run on one input, and on more as long as one of the same cost is within the budget."""
    start = time.monotonic()
    spent = cost = 0.0
    for name, feeds in inputs:
        if found.cases and spent + cost > budget_seconds:
            return
        try:
            found.worst = max(found.worst, judge.check(feeds, model.run(feeds), name))
            found.cases.append(name)
        except RangeError:
            if not found.cases:  # ordinary inputs must fit
                raise
            found.beyond.append(name)
        cost = time.monotonic() - start - spent
        spent += cost


def emulation_seconds(module: ModuleOp) -> float:
    """Return about how long one run of a model takes on one core."""
    flops = sum(op.flops() for op in module.walk() if isinstance(op, GraphOp))
    return flops / EMULATED_FLOPS_PER_S


def emulated_model(
    artifact: Path,
    folder: Path,
    target: str,
    variants: Sequence[Variant],
    jobs: int,
    seconds: float = 0,
) -> EmulatedModel:
    """Return an artifact that runs as on a device of ``target``. Raises NotEmulatedError.

    folder: for what is built. variants: of all targets of the artifact. seconds: about how long a
    run takes on one core.
    """
    major, minor = re.findall(r"\d", target)
    images = [image for module, compiled in variants for image in _images(module, compiled)]
    limit = gpu_by_name(target).shared_bytes_per_block
    return EmulatedModel(artifact, folder, images, (int(major), int(minor)), limit, jobs, seconds)


def _images(module: ModuleOp, compiled: Sequence[CompiledKernel]) -> list[Image]:
    ops = {op.sym_name.data: op for op in module.ops if isinstance(op, KernelOp)}
    cubins: dict[str, Cubin] = {kernel.key: kernel.cubin for kernel in compiled}
    members: Mapping[str, list[Kernel]] = {key: [] for key in cubins}
    for kernel in compiled:
        members[kernel.key].append(_kernel(ops[kernel.name]))
    return [Image(c.code, c.source, tuple(members[key])) for key, c in cubins.items()]


def _kernel(op: KernelOp) -> Kernel:
    outputs, inputs = set(op.output_buffers), set(op.input_buffers)
    buffers: list[Buffer] = []
    for argument in op.body.block.args:
        type = buffer_type(argument)
        role: Role = "scratch"
        if argument in inputs:
            role = "read"
        elif argument in outputs:
            role = "written"
        size = element_bytes(type.element_type) if is_float(type.element_type) else 0
        count = prod(type.get_shape())
        buffers.append(Buffer(count * element_bytes(type.element_type), role, size))
    return Kernel(op.sym_name.data, tuple(buffers))
