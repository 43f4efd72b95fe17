"""A group compiled for a GPU with the schedule that the compiler chooses, and its time there."""

import ctypes
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from dlc import registry
from dlc.analysis.map_parameters import map_parameters
from dlc.backends.cuda.cubins import compile_kernels
from dlc.backends.host.tensor_map import DriverMap, driver_map
from dlc.core.parser import parse_module
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.gpu import KernelOp
from dlc.ir.space import buffer_type
from dlc.ir.tensor import numpy_dtype
from dlc.runtime.gpu_clock import GpuClock
from dlc.runtime.gpu_driver import MAX_DYNAMIC_SHARED, Handle
from dlc.tuning.kernel_arguments import KernelArguments

_LAUNCHES = 20
"""Launches in the graph that is timed."""
_RUNS = 7


@dataclass(frozen=True)
class Built:
    """The kernel of a group. buffers: the bytes of each. bound_us: the group's bound."""

    name: str
    schedule: str
    bound_us: float
    code: bytes
    symbol: str
    sizes: tuple[int, ...]
    shared: int
    buffers: tuple[int, ...]
    maps: tuple[DriverMap, ...]


def build(name: str, text: str, target: str) -> Built | None:
    """Return the kernel of the one group of a module; ``None`` where it becomes several, of which
    one reads what another leaves in scratch.
    """
    context = registry.new_context()
    module = parse_module(text, context)
    registry.build_passes(f"tile{{arch={target}}}")[0].apply(context, module)
    (group,) = (op for op in module.walk() if isinstance(op, GroupOp))
    assert group.bound is not None
    bound_us, schedule = group.bound.get("time_us", 0.0), str(group.schedule)
    for step in registry.build_passes(f"lower-to-loop,lower-to-gpu{{arch={target}}}"):
        step.apply(context, module)
    kernels = [op for op in module.ops if isinstance(op, KernelOp)]
    if len(kernels) != 1:
        return None
    (kernel,) = kernels
    (compiled,) = compile_kernels(module, target)
    shared = 0 if kernel.shared_bytes is None else kernel.shared_bytes.value.data
    sizes = (*kernel.grid_size, *kernel.block_size)
    symbol = kernel.sym_name.data
    maps = tuple(map(driver_map, map_parameters(kernel)))
    sized = (sizes, shared, _buffers(kernel), maps)
    return Built(name, schedule, bound_us, compiled.code, symbol, *sized)


def _buffers(kernel: KernelOp) -> tuple[int, ...]:
    types = [buffer_type(argument) for argument in kernel.body.block.args]
    bytes = [int(np.prod(t.get_shape())) * numpy_dtype(t.element_type).itemsize for t in types]
    scratch = len(kernel.scratch_bytes)
    return (*bytes[: len(bytes) - scratch], *kernel.scratch_bytes)


def least_us(built: Built, clock: GpuClock) -> float:
    """Return the least microseconds of a launch, in a graph of many, on buffers of zeros."""
    driver = clock.driver
    with ExitStack() as kept:
        image = kept.enter_context(driver.made("cuModuleLoadData", "cuModuleUnload", built.code))
        function = Handle()
        driver("cuModuleGetFunction", ctypes.byref(function), image, built.symbol.encode())
        driver("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, built.shared)
        buffers = [kept.enter_context(driver.memory(count)) for count in built.buffers]
        for buffer, count in zip(buffers, built.buffers, strict=True):
            driver("cuMemsetD8Async", buffer, 0, ctypes.c_size_t(max(1, count)), clock.stream)
        places = [buffer.value or 0 for buffer in buffers]
        given = KernelArguments(driver, places, built.maps)

        def launch() -> None:
            for _ in range(_LAUNCHES):
                rest = (built.shared, clock.stream, given.parameters, None)
                driver("cuLaunchKernel", function, *built.sizes, *rest)

        with driver.captured(clock.stream, launch) as replay:
            return min(clock.times(replay, _RUNS)) * 1e6 / _LAUNCHES
