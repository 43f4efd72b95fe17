"""Groups of asynchronous work: a thread closes one, and waits for all but the last few."""

from collections.abc import Callable
from typing import Any, Protocol

from dlc.simulator._machine import Compiler, Machine, Step
from dlc.simulator._threads import Active


class Groups(Protocol):
    """What the threads of a batch have under way."""

    def commit(self, active: Active) -> None:
        """Close each thread's group."""
        ...

    def wait(self, active: Active, outstanding: int) -> None:
        """Finish all groups of each thread but the last ``outstanding`` ones."""
        ...


def commit_of(groups: Callable[[Machine], Groups]) -> Compiler:
    """Return the compiler of an op that closes a group. groups: those of the running batch."""
    return lambda machine, _: lambda active: groups(machine).commit(active)


def wait_of(groups: Callable[[Machine], Groups]) -> Compiler:
    """Return the compiler of an op that waits for groups, all but its ``outstanding`` ones."""

    def compiler(machine: Machine, op: Any) -> Step:
        outstanding = op.outstanding.value.data
        return lambda active: groups(machine).wait(active, outstanding)

    return compiler
