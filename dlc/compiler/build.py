"""From lowered modules to the shared library and the device code of an artifact."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from dlc import arch
from dlc.analysis.fill import fills_of
from dlc.analysis.map_parameters import map_parameters
from dlc.backends.c import COMPILER_FLAGS
from dlc.backends.cuda.cubins import CompiledKernel, compile_kernels
from dlc.backends.host.calls import CudaCall
from dlc.backends.host.cpu import print_cpu_program
from dlc.backends.host.cuda import Capability, CudaKernel, CudaVariant, print_cuda_program
from dlc.backends.host.libraries import called
from dlc.backends.host.link import link_cpu, link_cuda
from dlc.backends.host.reader import read_program
from dlc.backends.host.tensor_map import driver_map
from dlc.backends.host.weight_placer import WeightPlacer
from dlc.compiler.kernels import kernel_name, kernel_texts, kernels_of
from dlc.compiler.targets import Target
from dlc.core.c_compiler import Source
from dlc.core.context import DlcContext
from dlc.core.nvrtc import Resources
from dlc.dialects.gpu import KernelOp
from dlc.runtime.packing import payload_identity

_IMAGE_ALIGNMENT = 256


@dataclass(frozen=True)
class Built:
    """What was built. device_code: the cubins; kernels: what they hold, by target; sources: the
    kernels of a CPU.
    """

    device_code: bytes = b""
    kernels: Mapping[str, Sequence[CompiledKernel]] = field(
        default_factory=dict[str, Sequence[CompiledKernel]]
    )
    sources: Sequence[Source] = ()

    def resources(self, target: str) -> Mapping[str, Resources]:
        """Return what the assembler says of each kernel for ``target``; nothing for a CPU."""
        return {kernel.name: kernel.resources for kernel in self.kernels.get(target, ())}


def build_cpu(
    context: DlcContext,
    target: Target,
    module: ModuleOp,
    place: WeightPlacer,
    jobs: int,
    to: Path,
    sources: Sequence[Source] = (),
) -> Built:
    """Build the library of a CPU artifact from a module of ``loop`` kernels with a memory plan.

    sources: the kernels, where they were printed before.
    """
    chip = arch.cpu_by_name(target.name)
    if not sources:
        flags = (*COMPILER_FLAGS, *chip.compiler_flags)
        texts = kernel_texts(context, module, "c")
        sources = [Source(f"{name}.c", text, flags) for name, text in texts]
    features, libraries = sorted(chip.capabilities), called(module.ops)
    program = print_cpu_program(read_program(module, place), features, libraries)
    link_cpu(program, sources, payload_identity(place.file), jobs, to)
    return Built(sources=sources)


def build_cuda(
    context: DlcContext,
    modules: Sequence[tuple[Target, ModuleOp]],
    place: WeightPlacer,
    jobs: int,
    to: Path,
) -> Built:
    """Build the library and the cubins of a GPU artifact from modules of ``gpu`` kernels."""
    code = bytearray()
    variants: list[CudaVariant] = []
    built: dict[str, Sequence[CompiledKernel]] = {}
    for target, module in modules:
        compiled = built[target.name] = compile_kernels(module, target.name, jobs)
        cubins = list({kernel.key: kernel.code for kernel in compiled}.items())
        images = [_append(code, image) for _, image in cubins]
        number = {key: index for index, (key, _) in enumerate(cubins)}
        ops = {kernel_name(op): op for op in kernels_of(module)}
        kernels = [_kernel(ops[kernel.name], number[kernel.key]) for kernel in compiled]
        program = read_program(module, place)
        variants.append(CudaVariant(Capability(*target.capability), program, images, kernels))
    device_code = bytes(code)
    identity = payload_identity(place.file, device_code)
    libraries = called(op for _, module in modules for op in module.ops)
    link_cuda(print_cuda_program(variants, libraries), identity, jobs, to)
    return Built(device_code, built)


def _append(code: bytearray, image: bytes) -> tuple[int, int]:
    """Add a cubin to the device code; return its offset and bytes."""
    code.extend(bytes(-len(code) % _IMAGE_ALIGNMENT))
    offset = len(code)
    code.extend(image)
    return offset, len(image)


def _kernel(op: object, image: int) -> CudaKernel:
    assert isinstance(op, KernelOp)
    shared = op.shared_bytes.value.data if op.shared_bytes else 0
    maps = [driver_map(parameter) for parameter in map_parameters(op)]
    return CudaKernel(
        op.sym_name.data,
        image,
        op.grid_size,
        op.block_size,
        shared,
        waits=op.constant_inputs is not None,
        maps=maps,
        cooperative=op.cooperative is not None,
        fills=fills_of(op),
        call=CudaCall.of(op, op.call),
    )
