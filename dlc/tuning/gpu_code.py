"""The kernels of a program as machine code for a GPU: plain data, which goes between processes."""

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.fill import fills_of
from dlc.analysis.map_parameters import map_parameters
from dlc.backends.cuda.cubins import compile_kernels
from dlc.backends.host.tensor_map import DriverMap, driver_map
from dlc.dialects.gpu import KernelOp
from dlc.errors import CompileError
from dlc.tuning.call_code import call_code


@dataclass(frozen=True)
class GpuKernel:
    """A kernel. code: the cubin that it is in. sizes: blocks along x, y, z, then threads.

    shared_bytes: dynamic shared memory of a block. maps: the tensor maps that follow its buffers.
    cooperative, fills: as of ``CudaKernel``. call: the shared library of the call in its place
    (``call_code``), empty where there is none.
    """

    name: str
    code: bytes
    sizes: tuple[int, ...]
    shared_bytes: int
    maps: tuple[DriverMap, ...] = ()
    cooperative: bool = False
    fills: tuple[tuple[int, int], ...] = ()
    call: bytes = b""


def gpu_code(module: ModuleOp, target: str) -> list[GpuKernel]:
    """Return the kernels of a module. Raises CompileError, also where registers spill."""
    kernels = [op for op in module.ops if isinstance(op, KernelOp)]
    found: list[GpuKernel] = []
    for op, compiled in zip(kernels, compile_kernels(module, target), strict=True):
        call = call_code(op, op.call) if op.call else b""
        spilled = compiled.resources.spill_bytes
        if spilled and not call:
            raise CompileError(f"its registers spill {spilled} bytes per thread")
        shared = op.shared_bytes.value.data if op.shared_bytes else 0
        sizes = (*op.grid_size, *op.block_size)
        maps = tuple(map(driver_map, map_parameters(op)))
        ways = op.cooperative is not None, fills_of(op), call
        found.append(GpuKernel(op.sym_name.data, compiled.code, sizes, shared, maps, *ways))
    return found
