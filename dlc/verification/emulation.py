"""Runs an artifact for GPUs that this machine does not have, on its processor instead."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from math import prod
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from dlc.arch import gpu_by_name
from dlc.backends._cubins import CompiledKernel
from dlc.core.nvrtc import Cubin
from dlc.dialects._space import buffer_type
from dlc.dialects._tensor import element_bytes, is_float
from dlc.dialects.gpu import KernelOp
from dlc.dialects.graph._structure import GraphOp
from dlc.emulator.build import Image
from dlc.emulator.model import EmulatedModel, NotEmulatedError
from dlc.emulator.translation import Buffer, Kernel, Role
from dlc.errors import counted
from dlc.scratch import ScratchFolder
from dlc.verification.evidence import Silence
from dlc.verification.inputs import Feeds, telling_inputs
from dlc.verification.judge import Judge
from dlc.verification.plan import Plan, reference_seconds
from dlc.verification.reference import Reference
from dlc.verification.value_range import RangeError
from dlc.verification.whole_model import one_digit

EMULATED_FLOPS_PER_S = 1.5e9
"""What a core does in the emulator, measured on ResNet-50 and BERT: 1.5 to 1.8 GFLOP/s."""

LONGEST_S = 120
"""A model that would take longer is left to the checks of its kernels."""

Variant = tuple[ModuleOp, Sequence[CompiledKernel]]
"""The module of ``gpu`` kernels of a target, and their machine code."""


@dataclass
class Emulation:
    """What was found when the artifact ran as on a device of ``target``. cases: by input, the
    largest error, relative to an output's largest value; beyond: the inputs on which the model has
    values that the precision cannot hold; measured_noise: whether errors are those beyond what
    rounding errors were measured to do; left_out: why it was not run, where it was not;
    silence: the outputs that told nothing.
    """

    target: str
    bound: float
    cases: dict[str, float] = field(default_factory=dict[str, float])
    beyond: list[str] = field(default_factory=list)
    seconds: float = 0.0
    measured_noise: bool = False
    left_out: str = ""
    silence: Silence = field(default_factory=Silence)

    @property
    def worst(self) -> float:
        """The largest error of all inputs."""
        return max(self.cases.values(), default=0.0)

    def data(self) -> dict[str, Any]:
        """Return all of it."""
        return {**asdict(self), "worst": self.worst}

    def certificate(self) -> dict[str, Any]:
        """Return what is kept with the artifact: bounds and errors with one digit, rounded up."""
        return {
            "target": self.target,
            "left_out": self.left_out,
            "inputs": {name: one_digit(error) for name, error in self.cases.items()},
            "bound": one_digit(self.bound),
            "beyond_measured_noise": self.measured_noise,
            "beyond_the_precision": self.beyond,
            "told_nothing": dict(self.silence.outputs),
        }

    def text(self) -> str:
        """Return one line for the user."""
        if not self.cases:
            return f"the whole model was not emulated for {self.target}: {self.left_out}"
        beyond = " beyond measured rounding noise" if self.measured_noise else ""
        count = counted(len(self.cases), "input")
        error = f"error {self.worst:.1e}{beyond}, bound {self.bound:.1e}"
        return (
            f"emulated for {self.target}: the whole artifact on {count} "
            f"({', '.join(self.cases)}), {self.silence.text(error)}"
        )


def verify_by_emulation(
    artifact: Path,
    target: str,
    variants: Sequence[Variant],
    reference: Reference,
    precision: str,
    plan: Plan,
    kernels: int,
    jobs: int,
) -> Emulation:
    """Compare an emulated artifact with the reference, that of the graph before any pass.

    On the inputs of a user, on one in any case, and on more as far as the budget of ``plan`` for
    so many different kernels allows. Raises EmulationError for what the artifact must not do,
    otherwise as ``verify`` does.
    """
    start = time.monotonic()
    judge = Judge(reference, precision)
    found = Emulation(target, judge.bound)
    seconds = emulation_seconds(judge.module)
    if seconds / jobs > LONGEST_S:
        return replace(found, left_out=f"it would take about {seconds / jobs:.0f} s")
    try:
        with ScratchFolder("dlc-emulator-") as folder:
            model = emulated_model(artifact, folder, target, variants, jobs, seconds)
            inputs = chain(plan.inputs, telling_inputs(model.inputs, reference))
            budget = plan.budget_seconds(kernels)
            found.cases = _run(model, inputs, len(plan.inputs), judge, found.beyond, budget)
    except NotEmulatedError as error:
        found.left_out = error.message
    found.measured_noise = judge.measured_noise
    found.silence = judge.evidence.silence
    found.seconds = time.monotonic() - start
    return found


def _run(
    model: EmulatedModel,
    inputs: Iterable[tuple[str, Feeds]],
    given: int,
    judge: Judge,
    beyond: list[str],
    budget_seconds: float,
) -> dict[str, float]:
    """Run on the first ``given`` inputs, on one in any case, and on more as long as they fit into
    the budget; return the errors.

    beyond: gets the inputs that the precision does not hold.
    """
    errors: dict[str, float] = {}
    spent = 0.0
    for number, (name, feeds) in enumerate(inputs):
        cost = emulation_seconds(judge.module) + judge.runs * reference_seconds(judge.module)
        if errors and number >= given and spent + cost > budget_seconds:
            break
        try:
            errors[name] = judge.check(feeds, model.run(feeds), name)
        except RangeError:
            if not errors:  # ordinary inputs must fit
                raise
            beyond.append(name)
        spent += cost
    return errors


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
    chip = gpu_by_name(target)
    images = [image for module, compiled in variants for image in _images(module, compiled)]
    capability, limit = chip.compute_capability[:2], chip.shared_bytes_per_block
    return EmulatedModel(artifact, folder, images, capability, limit, jobs, seconds)


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
