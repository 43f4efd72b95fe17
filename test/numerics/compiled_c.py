"""Runs kernels printed as C, through the C compiler and ctypes."""

import ctypes
import weakref
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from xdsl.dialects.builtin import FunctionType, MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region

from dlc import arch
from dlc.backends.c import COMPILER_FLAGS, c_text
from dlc.core.c_compiler import Source, find_c_compiler
from dlc.dialects.fused_group import GroupOp, LaunchOp, YieldOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.dialects.loop import KernelOp
from dlc.ir.tensor import numpy_dtype
from dlc.registry import build_passes, new_context
from dlc.runtime.native import native_headers, native_text


class CompiledKernels:
    """The kernels of a module, compiled; each is called with its buffers in order."""

    def __init__(self, kernels: Sequence[KernelOp], *flags: str):
        self.kernels = {kernel.sym_name.data: kernel for kernel in kernels}
        options = (*COMPILER_FLAGS, *arch.host().compiler_flags, "-fvisibility=default", *flags)
        parts = (kernels[i : i + 32] for i in range(0, len(kernels), 32))
        sources = [Source(f"kernels{n}.c", c_text(p), options) for n, p in enumerate(parts)]
        exported = ("-O2", "-fvisibility=default")
        sources.append(Source("threads.c", native_text("threads.c"), exported))
        compiler = find_c_compiler()
        objects = compiler.compile_objects(sources, native_headers(), jobs=2)
        with TemporaryDirectory() as folder:
            path = Path(folder, "kernels.so")
            compiler.link_library(objects, ["-pthread", "-lm"], path)
            self._library = ctypes.CDLL(str(path))
        self._library.dlc_team_start.restype = ctypes.c_void_p
        self._team = ctypes.c_void_p(self._library.dlc_team_start(3))
        weakref.finalize(self, self._library.dlc_team_end, self._team)

    def run(self, name: str, inputs: Sequence[Array]) -> list[Array]:
        """Return the outputs of a kernel; they and the scratch buffers start as garbage."""
        kernel = self.kernels[name]
        arguments = [np.ascontiguousarray(x) for x in inputs]
        for buffer in (*kernel.output_buffers, *kernel.scratch_buffers):
            assert isinstance(buffer.type, MemRefType)
            sizes, dtype = buffer.type.get_shape(), numpy_dtype(buffer.type.element_type)
            garbage = np.full(prod(sizes) * dtype.itemsize, 0xA5, np.uint8)
            arguments.append(garbage.view(dtype).reshape(sizes))
        operands = (ctypes.c_void_p * len(arguments))(*(x.ctypes.data for x in arguments))
        self._library.dlc_team_use(self._team)
        getattr(self._library, name)(operands)
        self._library.dlc_team_use(None)
        return arguments[len(inputs) :][: len(kernel.output_buffers)]


def group_of(op: GraphOp, name: str, **properties: Attribute) -> tuple[Block, GroupOp]:
    """Return a block with arguments like the operands of ``op``, and a group of a copy of it."""
    types = [v.type for v in op.operands]
    outside, inside = Block(arg_types=types), Block(arg_types=types)
    copy = op.clone(dict(zip(op.operands, inside.args, strict=True)))
    inside.add_op(copy)
    inside.add_op(YieldOp(*copy.results))
    results = [v.type for v in op.results]
    group = GroupOp(name, outside.args, results, Region(inside), **properties)
    outside.add_op(group)
    outside.add_op(ReturnOp(*group.results))
    return outside, group


def module_of(ops: Mapping[str, GraphOp], **properties: Attribute) -> ModuleOp:
    """Return a module with one function per op that runs a group of this op alone."""
    functions: list[FuncOp] = []
    for name, op in ops.items():
        block, group = group_of(op, name, **properties)
        type = FunctionType.from_lists(block.arg_types, group.result_types)
        functions.append(FuncOp(f"run_{name}", type, Region(block)))
    return ModuleOp(functions)


def lower(module: ModuleOp, passes: str = "lower-to-loop") -> list[KernelOp]:
    """Run passes, verifying after each, and return the kernels."""
    context = new_context()
    module.verify()
    for step in build_passes(passes):
        step.apply(context, module)
        module.verify()
    return [op for op in module.ops if isinstance(op, KernelOp)]


def launched_by(module: ModuleOp, name: str) -> str:
    """Return the kernel that ``run_<name>`` launches."""
    for function in module.ops:
        if isinstance(function, FuncOp) and function.sym_name.data == f"run_{name}":
            launch = function.body.block.first_op
            assert isinstance(launch, LaunchOp)
            return launch.kernel_name
    raise AssertionError(f"no function run_{name}")
