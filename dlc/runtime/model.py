"""A compiled model in Python."""

import ctypes
import json
import shutil
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Never

import numpy as np
from numpy.typing import NDArray

from dlc.errors import InputError
from dlc.report.compiles.page import page
from dlc.report.compiles.text import explain
from dlc.runtime.artifact import (
    check_artifact,
    check_state,
    read_report,
    state_of,
    weights_path_of,
)
from dlc.runtime.fork import RunLock
from dlc.runtime.given_outputs import (
    check_apart,
    extents,
    host_output,
    outputs_by_name,
    outputs_in_order,
)
from dlc.runtime.host_arrays import host_array, order_feeds
from dlc.runtime.index_check import check_indices as check_given_indices
from dlc.runtime.library import Library, TensorInfo
from dlc.runtime.packing import move_artifact
from dlc.scratch import ScratchFolder, remove_abandoned

Array = NDArray[np.generic]


class Model:
    """A ``model.so`` that is loaded; made by ``dlc.load`` and ``dlc.compile``.

    Runs of one Model from several threads take turns; several Models run side by side. A forked
    child may go on with a model of the CPU, on one thread.
    """

    def __init__(self, path: str | Path, device: int | None = None, threads: int | None = None):
        """path: of ``model.so``. device: the number of the GPU, by default 0. threads: of a run on
        the CPU, by default one per core. Raises ArtifactError, InputError.
        """
        self.path = Path(path).absolute()
        self._state = state_of(self.path)
        trailer = check_artifact(self.path)
        self.report: dict[str, Any] = json.loads(read_report(self.path, trailer))
        """What the compiler decided and predicted; ``explain`` prints it."""
        self._has_weights_file = trailer.weights_beside
        self._library = Library.of_artifact(self.path, trailer)
        check_state(self.path, self._state)
        self._check_place(device, threads)
        self.device = device or 0
        """The number of the GPU."""
        self._threads = threads or 0
        self._lock = RunLock()
        self._handle: int | None = None
        self._origin: Model | None = None
        self._input_pointers = (ctypes.c_void_p * max(1, len(self.inputs)))()
        self._output_pointers = (ctypes.c_void_p * max(1, len(self.outputs)))()
        if not self.is_cuda:
            self._ready()

    def _check_place(self, device: int | None, threads: int | None) -> None:
        if device is not None and not self.is_cuda:
            raise InputError("the model runs on the CPU; no device can be chosen")
        if threads is not None and self.is_cuda:
            raise InputError("the model runs on a GPU; threads are chosen for models on the CPU")
        if threads is not None and threads < 1:
            raise InputError(f"threads is {threads}; give 1 or more")

    @property
    def is_cuda(self) -> bool:
        """Whether it runs on an NVIDIA GPU."""
        return self._library.is_cuda

    @property
    def inputs(self) -> tuple[TensorInfo, ...]:
        """Name, dtype and shape of each input."""
        return self._library.inputs

    @property
    def outputs(self) -> tuple[TensorInfo, ...]:
        """Name, dtype and shape of each output."""
        return self._library.outputs

    def __repr__(self) -> str:
        sides = ({i.name: str(i) for i in side} for side in (self.inputs, self.outputs))
        inputs, outputs = sides
        target, precision = self.report["target"], self.report["precision"]
        return (
            f"Model({self.path.stem!r}, target={target!r}, precision={precision!r}, "
            f"inputs={inputs}, outputs={outputs})"
        )

    def _ready(self) -> int:
        """Return the handle of the C model; a GPU is first touched at the first run."""
        if self._handle is None:
            handle = self._library.create(self.path, self.device, self._threads)
            weakref.finalize(self, self._library.destroy, handle)
            check_state(self.path, self._state)
            self._note_libraries()
            self._handle = handle
        return self._handle

    def _note_libraries(self) -> None:
        """Note in the report which libraries were found, if kernels call any."""
        if found := self._library.called_libraries():
            self.report["libraries"] = {each.name: each.data() for each in found}

    def run(
        self,
        feeds: Mapping[str, Any],
        *,
        out: Mapping[str, Any] | None = None,
        stream: Any = None,
        check_indices: bool = False,
    ) -> dict[str, Any]:
        """Return the outputs by name.

        feeds: one array per input name, of exactly its shape and dtype: numpy, or any DLPack array.
        out: arrays to write outputs into, by name, where those of the feeds are; they are returned.
        Other outputs are new arrays. stream: on a GPU, the caller's stream as an integer or an
        object with ``ptr`` (cupy), ``cuda_stream`` (torch) or ``handle``; the work is enqueued
        there. check_indices: refuse an element of an input that names a place outside of a tensor
        (the report's ``indices``); the arrays must be in memory of the host. Raises InputError,
        ArtifactError.
        """
        given = outputs_by_name(self.outputs, out)
        arrays = order_feeds(self.inputs, feeds)
        results = self._run(arrays, given, stream, check_indices)
        return {info.name: array for info, array in zip(self.outputs, results, strict=True)}

    def __call__(
        self, *arrays: Any, out: Any = None, stream: Any = None, check_indices: bool = False
    ) -> tuple[Any, ...]:
        """Return the outputs in order, for the inputs in order; otherwise as ``run``.

        out: an array or ``None`` for each output, or the array of the only one.
        """
        if len(arrays) != len(self.inputs):
            raise InputError(f"{len(arrays)} arrays given, the model has {len(self.inputs)} inputs")
        given = outputs_in_order(self.outputs, out)
        return tuple(self._run(arrays, given, stream, check_indices))

    def _run(
        self, arrays: Sequence[Any], out: Sequence[Any], stream: Any, check_indices: bool
    ) -> list[Any]:
        if check_indices:
            check_given_indices(self.report, self.inputs, arrays)
        if self.is_cuda and not all(isinstance(x, np.ndarray) for x in arrays):
            from dlc.runtime.device_arrays import run_on_device

            with self._lock:
                handle = self._ready()
                return run_on_device(self._library, handle, self.device, arrays, out, stream)
        results = self._run_host(arrays, out)
        return [new if old is None else old for old, new in zip(out, results, strict=True)]

    def _run_host(self, values: Sequence[Any], out: Sequence[Any]) -> list[Array]:
        arrays = [host_array(i, x) for i, x in zip(self.inputs, values, strict=True)]
        results = [host_output(i, x) for i, x in zip(self.outputs, out, strict=True)]
        read, written = [_address(x) for x in arrays], [_address(x) for x in results]
        if any(x is not None for x in out):
            inputs = extents("input", self.inputs, read)
            check_apart(extents("output", self.outputs, written), inputs)
        with self._lock:
            self._input_pointers[: len(read)] = read
            self._output_pointers[: len(written)] = written
            status = self._library.api.run_host(
                self._ready(), self._input_pointers, self._output_pointers
            )
            self._library.check(status)
        return results

    @property
    def workspace_bytes(self) -> int:
        """The bytes that a run needs for intermediate values."""
        return self._library.api.workspace_bytes(self._ready())

    def enqueue(self, inputs: Sequence[int], outputs: Sequence[int], stream: Any) -> None:
        """Enqueue a run on memory of the GPU, unchecked: addresses in order of the tensors.

        stream: a handle (``CUstream``). Raises ArtifactError.
        """
        read = (ctypes.c_void_p * max(1, len(inputs)))(*inputs)
        written = (ctypes.c_void_p * max(1, len(outputs)))(*outputs)
        with self._lock:
            status = self._library.api.run(self._ready(), stream, None, read, written)
            self._library.check(status)

    def variant(self) -> Mapping[str, Any]:
        """Return the report's variant that runs. On a GPU that is known once the model is on it."""
        return self.report["variants"][self._library.api.variant(self._ready())]

    def steps(self) -> list[Mapping[str, Any]]:
        """Return what each step of a run is: the ``kernel`` that is launched with its ``nodes``, or
        the ``output`` that is copied to.
        """
        steps = self.variant()["steps"]
        assert len(steps) == self._library.api.step_count(self._ready())
        return steps

    def step_runner(
        self, inputs: Sequence[int], outputs: Sequence[int], stream: Any = None
    ) -> Callable[[int, int], None]:
        """Return what does the steps from one number to before another of a run, unchecked.

        inputs, outputs: addresses in order of the tensors, of the memory in which the model runs.
        stream: on a GPU, a handle on which they are enqueued. What it returns raises ArtifactError.
        """
        read = (ctypes.c_void_p * max(1, len(inputs)))(*inputs)
        written = (ctypes.c_void_p * max(1, len(outputs)))(*outputs)
        handle, library = self._ready(), self._library

        def run(first: int, end: int) -> None:
            with self._lock:
                run_steps = library.api.run_steps
                library.check(run_steps(handle, first, end, stream, None, read, written))

        return run

    def __copy__(self) -> "Model":
        return self

    def __deepcopy__(self, _: object) -> "Model":
        """Return a model of its own memory, which runs side by side with this one.

        Raises ArtifactError when the file is no longer the one that was loaded.
        """
        device = self.device if self.is_cuda else None
        return self.placed(device, self._threads or None)

    def placed(self, device: int | None = None, threads: int | None = None) -> "Model":
        """Return a model of its own memory of the same file, on another device or with other
        threads, as ``dlc.load`` takes them. Raises ArtifactError, InputError.
        """
        check_state(self.path, self._state)
        copy = Model(self.path, device, threads)
        copy._origin = self  # whose file may go with it
        return copy

    def __reduce__(self) -> Never:
        raise TypeError("a Model cannot be pickled; save it, and load it in the other process")

    def save(self, path: str | Path) -> Path:
        """Write the artifact (and its weights file, where it has one) to ``path``; return it.

        Raises OSError, and ArtifactError when the file is no longer the one that was loaded; then
        there is no part of a file at ``path``.
        """
        target = Path(path).absolute()
        if self.path != target:
            beside = [weights_path_of(self.path)] if self._has_weights_file else []
            check_state(self.path, self._state)
            _copy_artifact([self.path, *beside], target)
        return target

    def explain(self, emit: Literal["text", "html"] = "text") -> str:
        """Return the report as text, or as one page of HTML that needs no network: what each
        kernel computes, its schedule, predicted bound. Raises ValueError for another ``emit``.
        """
        if emit not in ("text", "html"):
            raise ValueError(f"emit is {emit!r}; give text or html (the data are model.report)")
        return explain(self.report) if emit == "text" else page(self.report)


def load(path: str | Path, device: int | None = None, threads: int | None = None) -> Model:
    """Return the model of a ``model.so``.

    device: the number of the GPU, by default 0. threads: of a run on the CPU, by default one per
    core, or ``OMP_NUM_THREADS``. Raises ArtifactError; InputError where the model runs elsewhere.
    """
    return Model(path, device, threads)


def _address(array: Array) -> int:
    return array.__array_interface__["data"][0]


def _copy_artifact(files: Sequence[Path], target: Path) -> None:
    try:
        remove_abandoned(target.parent)
        with ScratchFolder(".dlc-", target.parent) as folder:
            for file in files:
                shutil.copy(file, folder)
            move_artifact(Path(folder, files[0].name), target)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(target)) from error
