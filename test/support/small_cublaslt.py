"""A shared library with the functions of cuBLASLt that dlc calls, written for tests.

It multiplies on the host: in the emulator, on whose streams it enqueues, or ``at_once``. Products
are twice what they should be, before the bias is added, so that a test sees who has computed. It
stops the process at a number that it does not know, or where it is called without its workspace.
"""

import subprocess
from pathlib import Path

from dlc.core.c_compiler import find_c_compiler

FACTOR = 2

REFUSED_ROWS = 13
"""It has no algorithm for a result of so many columns, which are rows of its own."""

ALGORITHMS = 3
"""How many it has for others."""

_FILE = Path(__file__).with_suffix(".c")


def build_cublaslt(
    folder: Path,
    without: str = "",
    handle_status: int = 0,
    enqueue_status: int = 0,
    restless: bool = False,
    at_once: bool = False,
) -> Path:
    """Compile the library and return its file.

    without: a function that it has under another name only. handle_status, enqueue_status: what
    ``cublasLtCreate`` and ``cublasLtMatmul`` return. restless: whether every second product takes
    two launches. at_once: whether it multiplies when it is called, on any stream.
    """
    source, file = folder / "cublaslt.c", folder / "libcublasLt.so"
    text = _FILE.read_text()
    source.write_text(text.replace(f"{without}(", f"other_{without}(") if without else text)
    numbers = {
        "REFUSED_ROWS": REFUSED_ROWS,
        "ALGORITHMS": ALGORITHMS,
        "HANDLE_STATUS": handle_status,
        "ENQUEUE_STATUS": enqueue_status,
        "RESTLESS": int(restless),
        "AT_ONCE": int(at_once),
    }
    flags = ["-O2", "-shared", "-fPIC", *(f"-D{name}={value}" for name, value in numbers.items())]
    command = [*find_c_compiler().command, *flags, "-o", str(file), str(source)]
    subprocess.run(command, check=True)
    return file
