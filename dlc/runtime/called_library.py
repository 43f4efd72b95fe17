"""Libraries of others that the kernels of an artifact call where they are found."""

import ctypes
import os
from collections.abc import Callable, Iterable
from ctypes import c_char_p, c_int32
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar


@dataclass(frozen=True)
class CalledLibrary:
    """A library that kernels call. is_used: whether it was found; else generated kernels run in its
    place. state: the file that was opened, or what is wrong with the last one that was tried.
    variable: of the environment, which names the file. kernels: on a GPU, those that call it;
    refused: how many of them it does not compute, so that generated ones run there, too.
    """

    name: str
    variable: str
    is_used: bool
    state: str
    kernels: int = 0
    refused: int = 0

    def data(self) -> dict[str, bool | str | int]:
        """Return it as a report has it."""
        refused = {"kernels": self.kernels, "refused": self.refused} if self.refused else {}
        return {"used": self.is_used, "state": self.state, **refused}


class LibraryRow(ctypes.Structure):
    """A row of the table of an artifact (``dlc_library``)."""

    _fields_: ClassVar = [
        ("name", c_char_p),
        ("variable", c_char_p),
        ("wheel", c_char_p),
        ("is_used", c_int32),
        ("state", c_char_p),
        ("kernel_count", c_int32),
        ("refused_count", c_int32),
    ]

    def called(self) -> CalledLibrary:
        """Return what the row says, once the libraries were opened."""
        return CalledLibrary(
            self.name.decode(),
            self.variable.decode(),
            bool(self.is_used),
            (self.state or b"").decode(),
            self.kernel_count,
            self.refused_count,
        )


def offer_wheels(
    rows: Iterable[LibraryRow], offer: Callable[[int, bytes | None], object], calls: bool = True
) -> None:
    """Offer the file of its wheel to each row, by its number; an empty name where that is not
    installed, ``None`` where nothing is to be called.
    """
    for number, row in enumerate(rows):
        file = os.fsencode(file_of_wheel(row.wheel.decode()) or "")
        offer(number, file if calls else None)


def file_of_wheel(wheel: str) -> Path | None:
    """Return the file of a Python package, without importing that; ``None`` where it is not there.

    wheel: the name of the package and the path in it, ``package/folder/file.so``.
    """
    package, _, inside = wheel.partition("/")
    spec = find_spec(package) if package else None
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (file := Path(folder, inside)).is_file():
            return file
    return None
