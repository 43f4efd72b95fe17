"""The tables of launches, operands and copies in the C of a host program (``native/steps.h``)."""

from collections.abc import Mapping, Sequence

from dlc.backends.host.c_text import c_list
from dlc.backends.host.program import Address, HostProgram


def print_steps(program: HostProgram, kernels: Mapping[str, int], number: int = 0) -> str:
    """Return the tables of a program.

    kernels: the number of each kernel. number: of the program, where there are several.
    """
    operands = [address for launch in program.launches for address in launch.operands]
    launches: list[str] = []
    first = 0
    for launch in program.launches:
        count = len(launch.operands)
        launches.append(c_list([kernels[launch.kernel], first, count, int(launch.first)]))
        first += count
    copies = [c_list([_address(c.target), _address(c.source), c.bytes]) for c in program.copies]
    return "\n".join(
        [
            print_table("dlc_launch", f"launches{number}", launches),
            print_table("dlc_address", f"operands{number}", [_address(a) for a in operands]),
            print_table("dlc_copy", f"copies{number}", copies),
        ]
    )


def steps_row(program: HostProgram, number: int = 0) -> str:
    """Return the ``dlc_steps`` that the tables make."""
    counts = (
        len(program.launches),
        sum(len(launch.operands) for launch in program.launches),
        len(program.copies),
    )
    names = (f"{x}{number}" for x in ("launches", "operands", "copies"))
    return c_list([f"{program.workspace_bytes}u", *counts, *names])


def print_table(kind: str, name: str, rows: Sequence[str]) -> str:
    """Return a constant array of ``rows``."""
    return f"static const {kind} {name}[] = {{\n    " + ",\n    ".join(rows or ["{0}"]) + "};"


def _address(address: Address) -> str:
    return c_list([f"DLC_{address.space.upper()}", address.buffer, f"{address.offset}u"])
