"""What a measurer asks of a device, and of who builds for it."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Generic, Protocol, TypeVar

from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.runtime.timing import Times
from dlc.strategies import Schedule
from dlc.tuning.measurement import Place
from dlc.tuning.program import Program

Code = TypeVar("Code")
CodeIn = TypeVar("CodeIn", contravariant=True)


class BrokenBuildError(CompileError):
    """A group was not built for a reason that lies in no schedule."""


class Device(Protocol, Generic[CodeIn]):
    """Runs programs.

    is_apart: whether it does not matter to it what the processor does meanwhile.
    """

    place: Place
    is_apart: bool

    def run(
        self,
        program: Program,
        code: CodeIn,
        inputs: Sequence[Array],
        constants: Mapping[int, Array],
    ) -> tuple[Times, list[Array]]:
        """Return the times of runs, and samples of the outputs: the same elements of each.

        constants: of the program, by offset. Raises CompileError.
        """
        ...


class Builder(Protocol, Generic[Code]):
    """Builds groups with schedules, several at a time."""

    def submit(
        self, group: GroupOp, schedule: Schedule, weights: Mapping[str, Array]
    ) -> "Future[tuple[Program, Code]]":
        """Begin to build a group; the result raises CompileError where it cannot be built.

        weights: those of the group, by symbol.
        """
        ...
