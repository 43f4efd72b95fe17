"""A GPU artifact that runs on the processor: like ``dlc.runtime.model.Model``, without a GPU."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dlc
from dlc.core.limited_process import Finished, Limits, run_limited
from dlc.emulator.build import Image, build_driver, build_kernels
from dlc.emulator.process import FAULT, LIBRARIES, NOT_STARTED, Job, array_file
from dlc.errors import CompileError
from dlc.runtime.artifact import weights_path_of
from dlc.runtime.host_arrays import host_array, order_feeds
from dlc.runtime.library import TensorInfo
from dlc.runtime.model import Model

Array = NDArray[np.generic]


class EmulationError(CompileError):
    """An artifact did what it must not do, or ended with an error, when it was emulated."""


class EmulatedFaultError(EmulationError):
    """It did what it must not do: the reason is not that it takes too long or too much memory."""


class NotEmulatedError(CompileError):
    """The emulator cannot be built or started on this machine: nothing is known of the artifact."""


MOST_WORKERS = 16
"""Cores that run blocks; each needs room for the stacks of 1024 threads."""
TWICE_S = 2
"""What takes less runs twice on its first inputs, on different buffers."""
_EMPTY = Image(b"", "", ())
"""Whether this machine can build kernels at all is asked with none."""
_SECONDS = 60
_NO_LIBRARIES: Mapping[str, Path] = {}
_SPARE_BYTES = 6 << 30
"""Address space for stacks, guard pages and the interpreter."""


class EmulatedModel:
    """Runs an artifact in a process of its own, in which the driver and the kernels are stand-ins
    for this machine's processor.
    """

    def __init__(
        self,
        artifact: Path,
        folder: Path,
        images: Sequence[Image],
        capability: tuple[int, int],
        shared_limit: int,
        jobs: int = 1,
        seconds: float = 0,
        libraries: Mapping[str, Path] = _NO_LIBRARIES,
    ):
        """Build the stand-ins in ``folder``, which must stay. Raises NotEmulatedError where this
        machine can build none, EmulatedFaultError for text that the emulator does not know.

        images: all cubins of the artifact. capability: of the device. shared_limit: the bytes of
        shared memory that it lets a block have. jobs: how many cores are used. seconds: how long a
        run should take on one of them; it may take 20 times that and a minute. libraries: files by
        name, of stand-ins that compute on this machine; without one the generated kernels run.
        """
        self._model = Model(artifact)
        bytes = sum(f.stat().st_size for f in (artifact, weights_path_of(artifact)) if f.exists())
        self._limits = Limits(_SECONDS + int(20 * seconds), _SPARE_BYTES + 4 * bytes)
        self._images = {image.symbol: image for image in images}
        self._path = folder
        self._job = Job(
            str(Path(artifact).absolute()),
            capability,
            shared_limit,
            min(jobs, MOST_WORKERS),
            tuple(self._images),
            seconds <= TWICE_S,
            {name: str(path) for name, path in libraries.items()},
        )
        self._job.write(self._path)
        for symbol, image in self._images.items():
            (self._path / symbol).write_bytes(image.code)
        _build(images, jobs, folder)

    @property
    def inputs(self) -> tuple[TensorInfo, ...]:
        """Name, dtype and shape of each input."""
        return self._model.inputs

    @property
    def outputs(self) -> tuple[TensorInfo, ...]:
        """Name, dtype and shape of each output."""
        return self._model.outputs

    @property
    def libraries(self) -> dict[str, dict[str, Any]]:
        """What became of the libraries that it calls in the last run: ``used``, ``state``."""
        return json.loads((self._path / LIBRARIES).read_text())

    def run(self, feeds: Mapping[str, Any]) -> dict[str, Array]:
        """Return the outputs by name. feeds: one array per input name.

        Raises EmulatedFaultError for a fault, EmulationError where it takes too long or too much
        memory, NotEmulatedError.
        """
        values = order_feeds(self.inputs, feeds)
        for position, (info, value) in enumerate(zip(self.inputs, values, strict=True)):
            host_array(info, value).tofile(array_file(self._path, "input", position))
        self._run_process()
        if self._job.twice:  # what a run leaves behind is no matter of the inputs
            self._job = replace(self._job, twice=False)
            self._job.write(self._path)
        return {
            info.name: np.fromfile(array_file(self._path, "output", i), info.dtype).reshape(
                info.shape
            )
            for i, info in enumerate(self.outputs)
        }

    def _run_process(self) -> None:
        root = Path(dlc.__file__).parent.parent
        command = [sys.executable, "-m", "dlc.emulator.process", str(self._path)]
        try:
            done = run_limited(command, str(root), self._limits)
        except CompileError as error:
            raise EmulationError(f"emulation: {error.message}") from error
        if done.status == NOT_STARTED:
            raise NotEmulatedError(_reason(done))
        if done.status == FAULT:
            raise EmulatedFaultError(_reason(done))
        if done.status != 0:
            raise EmulationError(_reason(done))


def _build(images: Sequence[Image], jobs: int, folder: Path) -> None:
    try:
        build_driver(jobs, folder)
        build_kernels([_EMPTY], 1, folder)
    except CompileError as error:
        raise NotEmulatedError(str(error)) from error
    try:
        build_kernels(images, jobs, folder)
    except CompileError as error:
        reason = f"emulation: the CUDA text of the kernels is not understood: {error.message}"
        raise EmulatedFaultError(reason) from error


def _reason(done: Finished) -> str:
    """Return why the process failed, on one line."""
    lines = done.errors.strip().splitlines()
    if done.status < 0 or not lines:
        return f"emulation: the process ended with status {done.status}"
    return lines[-1]
