"""A process that builds groups for a GPU: in one process Python runs on one core only.

It reads jobs from its standard input and writes what came of them to its standard output, until
there are no more.
"""

import os
import pickle
import sys
from dataclasses import dataclass

from dlc import registry
from dlc.core.parser import parse_module
from dlc.errors import CompileError
from dlc.tuning.device import BrokenBuildError
from dlc.tuning.gpu_code import GpuKernel, gpu_code
from dlc.tuning.program import Program, lower_alone


@dataclass(frozen=True)
class Job:
    """A group to build. text: of its module. pipeline: the passes from there to kernels."""

    text: str
    pipeline: str
    target: str


Result = tuple[Program, list[GpuKernel]] | CompileError
"""What was built, or why it was not."""


def build(job: Job) -> Result:
    """Return what comes of a job."""
    try:
        module = parse_module(job.text, registry.new_context())
        program = lower_alone(module, job.pipeline, None)
        return program, gpu_code(module, job.target)
    except CompileError as error:
        return CompileError(str(error))
    except Exception as error:
        return BrokenBuildError(f"internal error: {type(error).__name__}: {error}")


def main() -> None:
    """Do all jobs; what others print must not come among the results."""
    sys.setrecursionlimit(20_000)  # xDSL recurses per region
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            job: Job = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(build(job), results)
        results.flush()


if __name__ == "__main__":
    main()
