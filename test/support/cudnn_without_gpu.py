"""What cuDNN itself says about calls on a machine that has it and no GPU."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from dlc.core.c_compiler import find_c_compiler
from dlc.dialects.loop.attributes import CallAttr
from dlc.libraries.cublaslt import LIBRARY as CUBLASLT
from dlc.libraries.cudnn import LIBRARY
from dlc.runtime.called_library import file_of_wheel

_FILE = Path(__file__).with_suffix(".c")

_DRIVER = _FILE.with_name("cudnn_driver.c")
"""What stands for the driver."""

_NEEDED = (CUBLASLT.place.wheel, "nvidia/cu13/lib/libnvrtc.so.13")
"""Libraries that it opens itself."""


def find_cudnn() -> Path | None:
    """Return the file of cuDNN, ``None`` where it is not there."""
    named = os.environ.get(LIBRARY.variable)
    return Path(named) if named else file_of_wheel(LIBRARY.place.wheel)


class CudnnWithoutGpu:
    """cuDNN with the properties of an H200 in the place of one."""

    def __init__(self, cudnn: Path, folder: Path):
        """cudnn: its file. folder: where programs are built."""
        self._cudnn, self._folder = cudnn, folder
        to = folder / "libcuda.so.1"
        _compile("-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", str(to), str(_DRIVER))

    def answers(self, calls: Sequence[CallAttr], text: str = LIBRARY.text) -> list[str]:
        """Return ``ok`` for each call that is prepared, else what the model would say.

        text: the C that calls the library.
        """
        declared = [f"{x.result} {x.name}({x.parameters});" for x in LIBRARY.functions]
        texts = {
            "FUNCTIONS": "\n".join(declared),
            "TEXT": text,
            "CALLS": ",\n".join(map(_row, calls)),
        }
        for name, each in texts.items():
            (self._folder / name).write_text(each + "\n")
        program = self._folder / "program"
        names = [f'-D{name}="{self._folder / name}"' for name in texts]
        libraries = [f"-L{self._cudnn.parent}", f"-l:{self._cudnn.name}"]
        flags = ["-w", "-Wl,--allow-shlib-undefined", "-o", str(program)]
        _compile(*flags, *names, str(_FILE), *libraries)
        done = subprocess.run([program], env=self._environment(), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def _environment(self) -> Mapping[str, str]:
        found = [file.parent for wheel in _NEEDED if (file := file_of_wheel(wheel))]
        others = os.environ.get("LD_LIBRARY_PATH", "").split(":")
        folders = [self._folder, self._cudnn.parent, *found, *filter(None, others)]
        return {**os.environ, "LD_LIBRARY_PATH": ":".join(map(str, folders))}


def _row(call: CallAttr) -> str:
    return f"{{{call.get('algorithm', 0)}, {LIBRARY.code(call)}}}"


def _compile(*arguments: str) -> None:
    subprocess.run([*find_c_compiler().command, *arguments], check=True)


def enumerators(text: str) -> dict[str, int]:
    """Return the numbers of the constants of all enumerations of a text of C."""
    found: dict[str, int] = {}
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
    for body in re.findall(r"\benum\b[^{};]*\{([^}]*)\}", text):
        number = -1
        for name, given in re.findall(r"(\w+)(?:\s+\w+)?\s*(?:=\s*(\w+))?\s*(?:,|$)", body.strip()):
            number = int(given) if given.isdigit() else found.get(given, number + 1)
            found[name] = number
    return found
