"""Prints the host program of a CPU artifact: the C that runs the launches of ``main`` in order."""

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dlc.backends.host.cpu import print_cpu_program
from dlc.backends.host.reader import read_program
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import tensor_bytes
from dlc.runtime.packing import TENSOR_ALIGNMENT


@dataclass(frozen=True)
class HostTarget(Target):
    """Prints ``program.c``; weights stand one after the other, as if no two of them were equal."""

    name = "host"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(print_cpu_program(read_program(module, _Sequential().place), ()))


class _Sequential:
    def __init__(self) -> None:
        self.end = 0

    def place(self, op: GraphOp) -> int:
        """Return the next aligned offset and take the op's bytes."""
        offset = self.end + -self.end % TENSOR_ALIGNMENT
        self.end = offset + tensor_bytes(op.results[0])
        return offset
