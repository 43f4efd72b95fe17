"""The kernels of a module as machine code: small ones together, large ones side by side."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from dlc.arch import gpu_by_name
from dlc.backends.cuda.printer import cuda_text
from dlc.backends.cuda.register_caps import raise_caps
from dlc.core.nvrtc import Cubin, Resources, compile_cuda
from dlc.dialects.gpu import KernelOp

SMALL_OPERATIONS = 150
"""Kernels of fewer operations share a translation unit: starting the compiler costs 20 ms, a small
kernel 2 ms (NVRTC 13.5: 40 kernels 0.97 s apart, 0.09 s together)."""
KERNELS_PER_UNIT = 16
"""So that a change of one kernel compiles few others again, and units run in parallel."""


@dataclass(frozen=True)
class CompiledKernel:
    """A kernel in a cubin, which the kernels of one translation unit share."""

    name: str
    cubin: Cubin

    @property
    def key(self) -> str:
        """The identity of the cubin."""
        return self.cubin.key

    @property
    def code(self) -> bytes:
        """The cubin."""
        return self.cubin.code

    @property
    def resources(self) -> Resources:
        """What the assembler says of it."""
        return self.cubin.resources[self.name]


def compile_kernels(module: ModuleOp, target: str, jobs: int = 1) -> list[CompiledKernel]:
    """Return every ``gpu.kernel`` of ``module`` as machine code for ``target``, in order; as
    ``compile_some``.
    """
    kernels = [op for op in module.ops if isinstance(op, KernelOp)]
    return compile_some(kernels, target, jobs)


def compile_some(kernels: Sequence[KernelOp], target: str, jobs: int = 1) -> list[CompiledKernel]:
    """Return kernels as machine code for ``target``, in order.

    A kernel whose registers spill is compiled again with more of them, as far as the chip has
    them, and gets the attribute ``max_registers``; where it had that before, it is compiled as it
    is. jobs: compilers at the same time. Raises CompileError as ``compile_cuda`` does.
    """
    units = translation_units(kernels)
    with ThreadPoolExecutor(max(jobs, 1)) as pool:
        cubins = list(pool.map(lambda unit: _compile(unit, target), units))
    found = {
        kernel: CompiledKernel(kernel.sym_name.data, cubin)
        for unit, cubin in zip(units, cubins, strict=True)
        for kernel in unit
    }
    return [found[kernel] for kernel in kernels]


def _compile(unit: Sequence[KernelOp], target: str) -> Cubin:
    free = [kernel for kernel in unit if kernel.max_registers is None]
    while True:
        cubin = compile_cuda(cuda_text(unit), target)
        free = raise_caps(free, cubin.resources, gpu_by_name(target))
        if not free:
            return cubin


def translation_units(kernels: Sequence[KernelOp]) -> list[list[KernelOp]]:
    """Return the kernels in groups that are compiled together, large kernels each on their own."""
    small = [k for k in kernels if _size(k) < SMALL_OPERATIONS]
    large = [[k] for k in kernels if _size(k) >= SMALL_OPERATIONS]
    shared = [small[i : i + KERNELS_PER_UNIT] for i in range(0, len(small), KERNELS_PER_UNIT)]
    return [*large, *shared]


def _size(kernel: KernelOp) -> int:
    return sum(1 for _ in kernel.walk())
