"""The process in which an artifact runs on the stand-in driver.

``python -m dlc.emulator.process FOLDER`` reads a folder (``Job``), loads the artifact through the
ordinary runtime, and writes the outputs.
"""

import ctypes
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dlc.errors import CompileError
from dlc.runtime.artifact import check_artifact
from dlc.runtime.library import Library

Array = NDArray[np.generic]

FAULT = 3
"""The exit status where the last line on standard error says what the artifact did; as
``emulator.h`` has it, like the next one."""
NOT_STARTED = 5
"""The exit status where the machine is to blame, not the artifact."""


@dataclass(frozen=True)
class Job:
    """What to run. artifact: its path. capability: major and minor; shared_limit: the bytes of
    shared memory that a block may have. images: the symbols of the cubins, whose files are named
    so; inputs and outputs are files by position. twice: whether another run goes before. libraries:
    the file of a library by its name; none else is opened, since those of a GPU run on none here.
    """

    artifact: str
    capability: tuple[int, int]
    shared_limit: int
    workers: int
    images: tuple[str, ...]
    twice: bool
    libraries: Mapping[str, str]

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


LIBRARIES = "libraries.json"
"""The file that says what became of libraries, as the report of a loaded model does."""

_NO_FILE = "/dev/null"
"""What no library is opened from."""


class _Driver:
    """The stand-in, which ``dlopen("libcuda.so.1")`` finds from now on, and the kernels."""

    def __init__(self, job: Job, folder: Path):
        """Raises OSError."""
        self._library = ctypes.CDLL(str(folder / "libcuda.so.1"), mode=ctypes.RTLD_GLOBAL)
        self._kernels = ctypes.CDLL(str(folder / "kernels.so"))
        self._library.emulator_start(*job.capability, job.shared_limit, job.workers)
        self._codes = [(folder / symbol).read_bytes() for symbol in job.images]
        for symbol, code in zip(job.images, self._codes, strict=True):
            emulated = ctypes.byref(ctypes.c_char.in_dll(self._kernels, symbol))
            self._library.emulator_add_image(code, ctypes.c_size_t(len(code)), emulated)

    def zeros(self, arrays: Sequence[Array]) -> "ctypes.Array[ctypes.c_uint64]":
        """Return the addresses of buffers on the device, of the sizes of ``arrays``."""
        buffers = (ctypes.c_uint64 * max(1, len(arrays)))()
        stream = ctypes.c_void_p()
        self._library.cuStreamCreate(ctypes.byref(stream), 1)
        for number, array in enumerate(arrays):
            place = ctypes.byref(buffers, number * ctypes.sizeof(ctypes.c_uint64))
            count = ctypes.c_size_t(max(1, array.nbytes))
            self._library.cuMemAlloc_v2(place, count)
            address = ctypes.c_uint64(buffers[number])
            self._library.cuMemcpyHtoDAsync_v2(address, bytes(count.value), count, stream)
        self._library.cuStreamSynchronize(stream)
        return buffers

    def run_on_device(self, library: Library, handle: int, arrays: Sequence[Array]) -> None:
        """Run a model on zeros in buffers of the device, as a caller with arrays there does.

        arrays: its inputs, then its outputs.
        """
        count = len(library.inputs)
        inputs, outputs = self.zeros(arrays[:count]), self.zeros(arrays[count:])
        stream = ctypes.c_void_p()
        self._library.cuStreamCreate(ctypes.byref(stream), 1)
        library.check(library.api.run(handle, stream, None, inputs, outputs))
        self._library.cuStreamSynchronize(stream)


def _addresses(arrays: Sequence[Array]) -> "ctypes.Array[ctypes.c_void_p]":
    return (ctypes.c_void_p * max(1, len(arrays)))(*(x.ctypes.data for x in arrays))


def create(job: Job, library: Library, folder: Path) -> int:
    """Return the handle of a model of an artifact that opens only the libraries of the job; what
    became of them goes to ``folder``. Raises ArtifactError.
    """
    for each in library.called_libraries():
        os.environ[each.variable] = job.libraries.get(each.name, _NO_FILE)
    handle = library.create(Path(job.artifact), 0)
    found = {each.name: each.data() for each in library.called_libraries()}
    (folder / LIBRARIES).write_text(json.dumps(found))
    return handle


def run_job(job: Job, folder: Path, driver: _Driver) -> None:
    """Run the job of ``folder``. Raises ArtifactError.

    If twice, the first run is on zeros in other buffers: what it leaves must not be seen.
    """
    check_artifact(Path(job.artifact))
    library = Library(Path(job.artifact))
    inputs = [
        np.fromfile(array_file(folder, "input", i), x.dtype).reshape(x.shape)
        for i, x in enumerate(library.inputs)
    ]
    outputs: list[Array] = [np.empty(x.shape, x.dtype) for x in library.outputs]
    handle = create(job, library, folder)
    if job.twice:
        driver.run_on_device(library, handle, [*inputs, *outputs])
    library.check(library.api.run_host(handle, _addresses(inputs), _addresses(outputs)))
    library.destroy(handle)
    for position, array in enumerate(outputs):
        array.tofile(array_file(folder, "output", position))


def main(folder: str) -> int:
    """Run the job of ``folder``; return the exit status. A fault is one line on standard error."""
    path = Path(folder)
    job = Job.read(path)
    try:
        driver = _Driver(job, path)
    except OSError as error:
        print(f"the stand-in driver cannot be loaded: {error}", file=sys.stderr)
        return NOT_STARTED
    try:
        run_job(job, path, driver)
    except MemoryError:
        print("the machine cannot emulate it: out of memory", file=sys.stderr)
        return NOT_STARTED
    except CompileError as error:
        print(f"emulation: {error}", file=sys.stderr)
        return FAULT
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
