"""Runs an artifact for GPUs that this machine does not have, on its processor instead."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from math import prod
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Attribute

from dlc.analysis.map_parameters import map_parameters
from dlc.arch import gpu_by_name
from dlc.backends.cuda.cubins import CompiledKernel
from dlc.core.nvrtc import Cubin
from dlc.dialects.gpu import KernelOp
from dlc.dialects.graph.structure import GraphOp
from dlc.emulator.build import Image
from dlc.emulator.model import EmulatedFaultError, EmulatedModel, NotEmulatedError
from dlc.emulator.translation import Buffer, Kernel, Role
from dlc.ir.parts import WrittenPart, written_parts
from dlc.ir.space import buffer_bytes, buffer_type
from dlc.ir.tensor import element_bytes, is_float
from dlc.scratch import ScratchFolder
from dlc.verification.comparison import InputsCompared, compare
from dlc.verification.inputs import telling_inputs
from dlc.verification.judge import Judge
from dlc.verification.miscompile import MiscompileError
from dlc.verification.plan import Plan, reference_seconds
from dlc.verification.reference import Reference

EMULATED_FLOPS_PER_S = 1.5e9
"""What a core does at least in the emulator, measured on ResNet-50: 1.5 GFLOP/s in fp32 and tf32, 4
in fp16."""

LONGEST_S = 120
"""A model that would take longer is left to the checks of its kernels."""

_NO_LIBRARIES: Mapping[str, Path] = {}

Variant = tuple[ModuleOp, Sequence[CompiledKernel]]
"""The module of ``gpu`` kernels of a target, and their machine code."""


@dataclass(frozen=True)
class Emulation:
    """What was found when the artifact ran as on a device of ``target``. whole: ``None`` where it
    was not run, left_out: why.
    """

    target: str
    whole: InputsCompared | None
    left_out: str = ""
    seconds: float = 0.0

    def data(self) -> dict[str, Any]:
        """Return all of it."""
        whole = {**asdict(self.whole), "worst": self.whole.worst} if self.whole else {}
        return {
            **whole,
            "target": self.target,
            "not_emulated": self.left_out,
            "seconds": self.seconds,
        }

    def certificate(self) -> dict[str, Any]:
        """Return what is kept with the artifact."""
        whole = self.whole.certificate() if self.whole else {}
        return {"target": self.target, "not_emulated": self.left_out, **whole}

    def text(self) -> str:
        """Return one line for the user."""
        if self.whole is None:
            return f"the whole model was not emulated for {self.target}: {self.left_out}"
        return f"emulated for {self.target}: the whole artifact on {self.whole.text()}"

    def warnings(self) -> list[str]:
        """Return the lines for the user of the comparison."""
        return self.whole.warnings() if self.whole else []


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
    so many different kernels allows. Raises MiscompileError for what the artifact must not do,
    too, otherwise as ``verify`` does; EmulationError where it takes too long or too much memory.
    """
    start = time.monotonic()
    cost, reference_s = emulation_seconds(reference.module), reference_seconds(reference.module)
    if cost / jobs > LONGEST_S:
        return Emulation(target, None, f"it would take about {cost / jobs:.0f} s")
    try:
        with ScratchFolder("dlc-emulator-") as folder:
            model = emulated_model(artifact, folder, target, variants, jobs, cost)
            whole = compare(
                model.run,
                chain(plan.inputs, telling_inputs(model.inputs, reference)),
                len(plan.inputs),
                Judge(reference, precision),
                lambda runs: cost + runs * reference_s,
                plan.budget_seconds(kernels),
            )
    except NotEmulatedError as error:
        return Emulation(target, None, error.message, time.monotonic() - start)
    except EmulatedFaultError as error:
        raise MiscompileError(str(error)) from error
    return Emulation(target, whole, seconds=time.monotonic() - start)


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
    libraries: Mapping[str, Path] = _NO_LIBRARIES,
) -> EmulatedModel:
    """Return an artifact that runs as on a device of ``target``. Raises NotEmulatedError.

    folder: for what is built. variants: of all targets of the artifact. seconds: about how long a
    run takes on one core. libraries: files of stand-ins by name, as of ``EmulatedModel``.
    """
    chip = gpu_by_name(target)
    images = [image for module, compiled in variants for image in _images(module, compiled)]
    capability, limit = chip.compute_capability[:2], chip.shared_bytes_per_block
    return EmulatedModel(artifact, folder, images, capability, limit, jobs, seconds, libraries)


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
    parts = list(written_parts(op))
    for argument in op.body.block.args:
        type = buffer_type(argument)
        role: Role = "scratch"
        if argument in inputs:
            role = "read"
        elif argument in outputs:
            role = "written"
        size = element_bytes(type.element_type) if is_float(type.element_type) else 0
        filled = argument in op.filled_buffers
        part = next((_bytes_of(p, type) for p in parts if p.number == argument.index), (0, 0, 0))
        buffers.append(Buffer(buffer_bytes(argument), role, size, filled, part))
    maps = tuple(parameter.operand for parameter in map_parameters(op))
    return Kernel(op.sym_name.data, tuple(buffers), maps, op.cooperative is not None)


def _bytes_of(part: WrittenPart, type: MemRefType[Attribute]) -> tuple[int, int, int]:
    """Return the bytes of a row along the axis of a part, the first one of the part, and how many
    it has.
    """
    _, *inner = type.get_shape()[part.axis :]
    bytes = prod(inner) * element_bytes(type.element_type)
    row = type.get_shape()[part.axis] * bytes
    return row, part.start * bytes, (part.stop - part.start) * bytes
