"""Runs one kernel of a module on the GPU, through the driver alone."""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from dlc import arch
from dlc.analysis.fill import fills_of
from dlc.analysis.map_parameters import map_parameters
from dlc.backends.cuda.cubins import compile_kernels
from dlc.backends.host.tensor_map import driver_map
from dlc.dialects.gpu import KernelOp
from dlc.dialects.graph.structure import Array
from dlc.ir.space import buffer_type
from dlc.ir.tensor import numpy_dtype
from dlc.runtime.gpu_driver import MAX_DYNAMIC_SHARED
from dlc.tuning.kernel_arguments import KernelArguments


class Gpu:
    """The first GPU; raises RuntimeError when there is none."""

    def __init__(self) -> None:
        self._driver = ctypes.CDLL("libcuda.so.1")
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self._call("cuInit", 0)
        self._call("cuDeviceGet", ctypes.byref(device), 0)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._call("cuDeviceGetAttribute", ctypes.byref(major), 75, device)
        self._call("cuDeviceGetAttribute", ctypes.byref(minor), 76, device)
        own = major.value, minor.value
        self.target = next(c.target for c in arch.GPUS if c.compute_capability[:2] == own)

    def _call(self, function: str, *arguments: Any) -> None:
        status = getattr(self._driver, function)(*arguments)
        if status:
            raise RuntimeError(f"{function} failed with {status}")

    def run(self, module: ModuleOp, *inputs: Array) -> list[Array]:
        """Launch the module's only kernel on ``inputs``; return its outputs, which start as zeros.

        Scratch buffers start as zeros too, but those that the kernel wants ``filled``.
        """
        kernel, launch, addresses, arrays = self._prepare(module, inputs)
        launch()
        self._call("cuCtxSynchronize")
        outputs = range(len(inputs), len(inputs) + kernel.outputs.value.data)
        return [self._download(addresses[i], arrays[i]) for i in outputs]

    def run_often(self, module: ModuleOp, *inputs: Array, launches: int) -> Iterator[list[Array]]:
        """Launch the module's only kernel as often; yield its outputs. Before each launch these and
        the scratch buffers hold something that is no result.
        """
        kernel, launch, addresses, arrays = self._prepare(module, inputs)
        outputs = range(len(inputs), len(inputs) + kernel.outputs.value.data)
        for _ in range(launches):
            for address, array in list(zip(addresses, arrays, strict=True))[len(inputs) :]:
                self._call("cuMemsetD8_v2", address, 0xA5, ctypes.c_size_t(array.nbytes))
            launch()
            self._call("cuCtxSynchronize")
            yield [self._download(addresses[i], arrays[i]) for i in outputs]

    def seconds(self, module: ModuleOp, *inputs: Array, launches: int = 50) -> float:
        """Return the seconds per launch of the module's only kernel, launched back to back."""
        _, launch, _, _ = self._prepare(module, inputs)
        events = ctypes.c_void_p(), ctypes.c_void_p()
        for event in events:
            self._call("cuEventCreate", ctypes.byref(event), 0)
        for _ in range(3):  # the first launches load code and fill caches
            launch()
        self._call("cuEventRecord", events[0], None)
        for _ in range(launches):
            launch()
        self._call("cuEventRecord", events[1], None)
        self._call("cuEventSynchronize", events[1])
        milliseconds = ctypes.c_float()
        self._call("cuEventElapsedTime", ctypes.byref(milliseconds), *events)
        return milliseconds.value * 1e-3 / launches

    def _prepare(
        self, module: ModuleOp, inputs: Sequence[Array]
    ) -> tuple[KernelOp, Callable[[], None], list[ctypes.c_uint64], list[Array]]:
        """Return the module's kernel, what launches it, its buffers and what was put in them."""
        (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
        (compiled,) = compile_kernels(module, self.target)
        arrays = list(inputs)
        for argument in kernel.body.block.args[len(inputs) :]:
            type = buffer_type(argument)
            arrays.append(np.zeros(type.get_shape(), numpy_dtype(type.element_type)))
        addresses = [self._upload(array) for array in arrays]
        return kernel, self._launcher(compiled.code, kernel, addresses), addresses, arrays

    def _upload(self, array: Array) -> ctypes.c_uint64:
        address = ctypes.c_uint64()
        data = np.ascontiguousarray(array)
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(data.nbytes, 1)))
        pointer = ctypes.c_void_p(data.ctypes.data)
        self._call("cuMemcpyHtoD_v2", address, pointer, ctypes.c_size_t(data.nbytes))
        return address

    def _download(self, address: ctypes.c_uint64, like: Array) -> Array:
        result = np.empty_like(like)
        pointer = ctypes.c_void_p(result.ctypes.data)
        self._call("cuMemcpyDtoH_v2", pointer, address, ctypes.c_size_t(result.nbytes))
        return result

    def _launcher(
        self, code: bytes, kernel: KernelOp, addresses: Sequence[ctypes.c_uint64]
    ) -> Callable[[], None]:
        """Return what launches a kernel once, without waiting for its end."""
        image, function = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(image), code)
        name = kernel.sym_name.data.encode()
        self._call("cuModuleGetFunction", ctypes.byref(function), image, name)
        shared = 0 if kernel.shared_bytes is None else kernel.shared_bytes.value.data
        self._call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, shared)
        sizes = (*kernel.grid_size, *kernel.block_size)

        maps = list(map(driver_map, map_parameters(kernel)))
        given = KernelArguments(self._call, [address.value for address in addresses], maps)

        def launch() -> None:
            arguments = (function, *sizes, shared, None, given.parameters)  # given stays alive
            for operand, bytes in fills_of(kernel):
                self._call("cuMemsetD8_v2", addresses[operand], 0xFF, ctypes.c_size_t(bytes))
            if kernel.cooperative is not None:
                self._call("cuLaunchCooperativeKernel", *arguments)
            else:
                self._call("cuLaunchKernel", *arguments, None)

        return launch
