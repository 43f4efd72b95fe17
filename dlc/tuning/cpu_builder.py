"""Builds programs for the processor: Python here, the C compilers side by side."""

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from dlc import arch
from dlc.backends.c import COMPILER_FLAGS, c_text
from dlc.core.c_compiler import Source, find_c_compiler
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.structure import Array
from dlc.dialects.loop import KernelOp
from dlc.errors import CompileError
from dlc.scratch import ScratchFolder
from dlc.strategies import Schedule
from dlc.tuning.program import Program, alone, lower_alone


class CpuBuilder:
    """A ``Builder``; the code is that of a shared library which exports its kernels."""

    def __init__(self, target: str, pipeline: str, pool: ThreadPoolExecutor):
        """target: as ``arch.by_name`` knows it. pipeline: the passes from groups to kernels."""
        self._chip = arch.cpu_by_name(target)
        self._pipeline = pipeline
        self._pool = pool

    def submit(
        self, group: GroupOp, schedule: Schedule, weights: Mapping[str, Array]
    ) -> "Future[tuple[Program, bytes]]":
        """Lower a group, which may take its weights in another form, and begin to compile it."""
        module = alone(group, schedule)
        try:
            program = lower_alone(module, self._pipeline, weights)
        except CompileError as error:
            failed = Future[tuple[Program, bytes]]()
            failed.set_exception(error)
            return failed
        return self._pool.submit(lambda: (program, self._compile(module)))

    def _compile(self, module: ModuleOp) -> bytes:
        kernels = [op for op in module.ops if isinstance(op, KernelOp)]
        flags = (*COMPILER_FLAGS, *self._chip.compiler_flags, "-fvisibility=default")
        compiler = find_c_compiler()
        objects = compiler.compile_objects([Source("kernels.c", c_text(kernels), flags)], {}, 1)
        with ScratchFolder("dlc-tune-") as folder:
            path = Path(folder, "kernels.so")
            compiler.link_library(objects, ["-fopenmp", "-lm"], path)
            return path.read_bytes()
