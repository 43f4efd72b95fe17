"""Libraries of others that the kernels of an artifact call where they are found."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path


@dataclass(frozen=True)
class CalledLibrary:
    """A library that kernels call. is_used: whether it was found; else generated kernels run in its
    place. state: the file that was opened, or what is wrong with the last one that was tried.
    variable: of the environment, which names the file.
    """

    name: str
    variable: str
    is_used: bool
    state: str

    def data(self) -> dict[str, bool | str]:
        """Return it as a report has it."""
        return {"used": self.is_used, "state": self.state}


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
