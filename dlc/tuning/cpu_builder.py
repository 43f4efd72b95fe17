"""Builds programs for the processor: Python here, the C compilers side by side."""

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor

from xdsl.dialects.builtin import ModuleOp

from dlc import arch
from dlc.backends.c import COMPILER_FLAGS, c_text
from dlc.backends.host.libraries import called
from dlc.core.c_compiler import Source
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.structure import Array
from dlc.dialects.loop import KernelOp
from dlc.errors import CompileError
from dlc.runtime.native import native_text
from dlc.strategies import Schedule
from dlc.tuning.calling import EXPORTED, calling_sources, linked
from dlc.tuning.program import Program, alone, lower_alone

_FLUSH = """
#include "threads.h"

static void flush_share(void *bytes, int64_t first, int64_t end) {
  for (int64_t line = first; line < end; line++) ++((unsigned char *)bytes)[64 * line];
}

void flush(unsigned char *bytes, int64_t count) { dlc_spread(flush_share, bytes, count / 64); }
"""
"""Every core writes to its part. Afterwards the threads of the team are awake, as between the
kernels of a model; else to wake them would count in the time of each run.
"""


class CpuBuilder:
    """A ``Builder``; the code is that of a shared library which exports its kernels, the functions
    of ``threads.h``, ``flush``, and those that open libraries.
    """

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
        return linked(
            [
                Source("kernels.c", c_text(kernels), flags),
                Source("threads.c", native_text("threads.c"), EXPORTED),
                Source("flush.c", _FLUSH, EXPORTED),
                *calling_sources(called(kernels)),
            ]
        )
