"""What a measurer asks of a device."""

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from dlc.dialects.graph.structure import Array
from dlc.runtime.timing import Times
from dlc.tuning.measurement import Place
from dlc.tuning.program import Program

Code = TypeVar("Code")


class Device(Protocol, Generic[Code]):
    """Compiles and runs programs.

    is_apart: whether it does not matter to it what the processor does meanwhile.
    """

    place: Place
    is_apart: bool

    def compile(self, program: Program) -> Code:
        """Return machine code; called in several threads. Raises CompileError."""
        ...

    def run(
        self, program: Program, code: Code, inputs: Sequence[Array]
    ) -> tuple[Times, list[Array]]:
        """Return the times of runs, and samples of the outputs: the same elements of each."""
        ...
