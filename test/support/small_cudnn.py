"""A shared library with the functions of cuDNN that dlc calls, written for tests.

It computes on the host, and runs in the emulator, whose streams it enqueues on, or at once.
Convolutions,
attention and normalisations are a multiple of what they should be, before anything follows or a
bias is added; poolings and functions alone read a multiple of their first input. So a test sees
who has computed, by which engine. It stops the process at a number that it does not know, an
attribute of a wrong type, a place of a tensor that has none, or a descriptor that is left over.
"""

import subprocess
from pathlib import Path

from dlc.core.c_compiler import find_c_compiler

FACTORS = (4, 8, 14)
"""What results of the algorithms are multiplied by: 2, and 1 for each engine before. Other engines
break a rule of ours, want more scratch than a call has, or become no plan.
"""

FULL_FACTORS = (5, 8, 14, 16)
"""The same of products of all bits of ``f32``: without tensor cores, the first one by a Fourier
transform, the last one by what the library falls back to.
"""

REFUSED_ROWS = 10
"""It has no engine for a result of so many rows."""

_FILE = Path(__file__).with_suffix(".c")


def build_cudnn(
    folder: Path,
    without: str = "",
    handle_status: int = 0,
    enqueue_status: int = 0,
    found: int = 0,
    at_once: bool = False,
) -> Path:
    """Compile the library and return its file.

    without: a function that it has under another name only. handle_status, enqueue_status: what
    ``cudnnCreate`` and ``cudnnBackendExecute`` return. found: how many configurations it says that
    it has; it gives as many, but no more than it is asked for, and those behind its own break a
    rule. at_once: whether it computes when it is called, on any stream.
    """
    source, file = folder / "cudnn.c", folder / "libcudnn.so.9"
    text = _FILE.read_text()
    source.write_text(text.replace(f"{without}(", f"other_{without}(") if without else text)
    numbers = {
        "REFUSED_ROWS": REFUSED_ROWS,
        "WORKSPACE": 1000,
        "LIMIT": f"{32 << 20}LL",
        "HANDLE_STATUS": handle_status,
        "ENQUEUE_STATUS": enqueue_status,
        "FOUND": found,
        "AT_ONCE": int(at_once),
    }
    flags = ["-O2", "-shared", "-fPIC", *(f"-D{name}={value}" for name, value in numbers.items())]
    command = [*find_c_compiler().command, *flags, "-o", str(file), str(source), "-lm"]
    subprocess.run(command, check=True)
    return file
