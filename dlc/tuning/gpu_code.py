"""The kernels of a program as machine code for a GPU: plain data, which goes between processes."""

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.fill import fills_of
from dlc.analysis.map_parameters import map_parameters
from dlc.backends.cuda.cubins import CompiledKernel, compile_some
from dlc.backends.host.tensor_map import DriverMap, driver_map
from dlc.dialects.gpu import KernelOp
from dlc.dialects.loop.attributes import CallAttr
from dlc.errors import CompileError
from dlc.tuning.call_code import call_code


@dataclass(frozen=True)
class GpuKernel:
    """A kernel. code: the cubin that it is in. sizes: blocks along x, y, z, then threads.

    shared_bytes: dynamic shared memory of a block. maps: the tensor maps that follow its buffers.
    cooperative, fills: as of ``CudaKernel``. call: the shared library of the call that stands in
    its place (``call_code``), and then nothing else is built; empty where there is none.
    algorithm: of the call.
    """

    name: str
    code: bytes
    sizes: tuple[int, ...]
    shared_bytes: int
    maps: tuple[DriverMap, ...] = ()
    cooperative: bool = False
    fills: tuple[tuple[int, int], ...] = ()
    call: bytes = b""
    algorithm: int = 0


def gpu_code(module: ModuleOp, target: str) -> list[GpuKernel]:
    """Return the kernels of a module. Raises CompileError, also where registers spill."""
    kernels = [op for op in module.ops if isinstance(op, KernelOp)]
    own = [op for op in kernels if not op.call]
    compiled = dict(zip(own, compile_some(own, target), strict=True))
    return [_called(op, op.call) if op.call else _generated(op, compiled[op]) for op in kernels]


def _called(op: KernelOp, call: CallAttr) -> GpuKernel:
    algorithm = call.get("algorithm", 0)
    return GpuKernel(op.sym_name.data, b"", (), 0, call=call_code(op, call), algorithm=algorithm)


def _generated(op: KernelOp, compiled: CompiledKernel) -> GpuKernel:
    if spilled := compiled.resources.spill_bytes:
        raise CompileError(f"its registers spill {spilled} bytes per thread")
    shared = op.shared_bytes.value.data if op.shared_bytes else 0
    sizes = (*op.grid_size, *op.block_size)
    maps = tuple(map(driver_map, map_parameters(op)))
    ways = op.cooperative is not None, fills_of(op)
    return GpuKernel(op.sym_name.data, compiled.code, sizes, shared, maps, *ways)
