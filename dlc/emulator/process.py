"""The process in which an artifact runs on the stand-in driver.

``python -m dlc.emulator.process FOLDER`` reads a folder (``Job``), loads the artifact through the
ordinary runtime, and writes the outputs.
"""

import ctypes
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from dlc.errors import CompileError
from dlc.runtime.model import Model

NOT_STARTED = 5
"""The exit status where the machine is to blame, as ``emulator.h`` has it, not the artifact."""


@dataclass(frozen=True)
class Job:
    """What to run. artifact: its path. capability: major and minor; shared_limit: the bytes of
    shared memory that a block may have. images: the symbols of the cubins, whose files are named
    so; inputs and outputs are files by position.
    """

    artifact: str
    capability: tuple[int, int]
    shared_limit: int
    workers: int
    images: tuple[str, ...]

    def write(self, folder: Path) -> None:
        """Write this to ``folder``."""
        (folder / "job.json").write_text(json.dumps(asdict(self)))

    @classmethod
    def read(cls, folder: Path) -> "Job":
        """Read what ``write`` wrote."""
        return cls(**json.loads((folder / "job.json").read_text()))


def array_file(folder: Path, kind: str, position: int) -> Path:
    """Return the file of an array; kind: ``input`` or ``output``."""
    return folder / f"{kind}-{position}.bin"


def _start_driver(job: Job, folder: Path) -> list[bytes]:
    """Load the stand-in, which ``dlopen("libcuda.so.1")`` then finds; return what it looks at."""
    driver = ctypes.CDLL(str(folder / "libcuda.so.1"), mode=ctypes.RTLD_GLOBAL)
    kernels = ctypes.CDLL(str(folder / "kernels.so"))
    driver.emulator_start(*job.capability, job.shared_limit, job.workers)
    codes = [(folder / symbol).read_bytes() for symbol in job.images]
    for symbol, code in zip(job.images, codes, strict=True):
        emulated = ctypes.c_char.in_dll(kernels, symbol)
        driver.emulator_add_image(code, ctypes.c_size_t(len(code)), ctypes.byref(emulated))
    return codes


def run_job(job: Job, folder: Path) -> None:
    """Run the job of ``folder`` on the driver that was started. Raises ArtifactError."""
    model = Model(job.artifact)
    feeds = [
        np.fromfile(array_file(folder, "input", i), x.dtype).reshape(x.shape)
        for i, x in enumerate(model.inputs)
    ]
    for position, array in enumerate(model(*feeds)):
        np.ascontiguousarray(array).tofile(array_file(folder, "output", position))


def main(folder: str) -> int:
    """Run the job of ``folder``; return the exit status. A fault is one line on standard error."""
    path = Path(folder)
    job = Job.read(path)
    try:
        looked_at = _start_driver(job, path)
    except OSError as error:
        print(f"the stand-in driver cannot be loaded: {error}", file=sys.stderr)
        return NOT_STARTED
    try:
        run_job(job, path)
    except MemoryError:
        print("the machine cannot emulate it: out of memory", file=sys.stderr)
        return NOT_STARTED
    except CompileError as error:
        print(f"emulation: {error}", file=sys.stderr)
        return 1
    del looked_at
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
