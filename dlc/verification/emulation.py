"""An artifact for GPUs that this machine does not have, as a model that runs on its processor."""

from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from dlc.arch import gpu_by_name
from dlc.backends._cubins import CompiledKernel
from dlc.core.nvrtc import Cubin
from dlc.dialects._space import buffer_type
from dlc.dialects._tensor import element_bytes, is_float
from dlc.dialects.gpu import KernelOp
from dlc.emulator.build import Image
from dlc.emulator.model import EmulatedModel
from dlc.emulator.translation import Buffer, Kernel, Role


def emulated_model(
    artifact: Path,
    target: str,
    capability: tuple[int, int],
    variants: Sequence[tuple[ModuleOp, Sequence[CompiledKernel]]],
    jobs: int,
) -> EmulatedModel:
    """Return an artifact that runs as on a device of ``target``. Raises CompileError.

    variants: the module of ``gpu`` kernels of each target of the artifact, and its machine code.
    """
    images = [image for module, compiled in variants for image in _images(module, compiled)]
    limit = gpu_by_name(target).shared_bytes_per_block
    return EmulatedModel(artifact, images, capability, limit, jobs)


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
