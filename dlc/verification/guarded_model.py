"""A model on this machine's processor whose kernels may crash."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from dlc.core.child import Answer, Child, CrashError, OverdueError
from dlc.dialects.graph.structure import Array
from dlc.runtime.host_arrays import order_feeds
from dlc.runtime.library import TensorInfo
from dlc.runtime.model import Model
from dlc.verification.miscompile import MiscompileError
from dlc.verification.plan import reference_seconds

_SECONDS = 60
_LIBRARIES = "libraries"

Result = TypeVar("Result")
"""What a run gives."""


def most_seconds(module: ModuleOp) -> float:
    """Return how long a run of a model may take, of which ``module`` is the graph: 20 times what
    its reference should, and a minute, as the machine may be busy.
    """
    return _SECONDS + 20 * reference_seconds(module)


def running_model(
    artifact: Path, is_gpu: bool, stack: ExitStack, seconds: float
) -> "Model | GuardedModel":
    """Return the model of an artifact: one for a CPU guarded, until ``stack`` is left; kernels for
    a GPU cannot end a process of the host. seconds: how long one for a CPU may run.
    """
    return Model(artifact) if is_gpu else stack.enter_context(GuardedModel(artifact, seconds))


class GuardedModel:
    """Runs an artifact in a ``Child``; a context manager that ends it."""

    def __init__(self, artifact: Path, seconds: float):
        """seconds: how long a run may take. Raises ArtifactError."""
        self._artifact, self._seconds = artifact, seconds
        self._child = Child(lambda: _answers(Model(artifact)), seconds)
        self.inputs: Sequence[TensorInfo] = self._child(None)
        """The inputs in order."""

    @property
    def libraries(self) -> Mapping[str, Any]:
        """Which libraries the model has found, as its report says it after a run."""
        return self._child(_LIBRARIES)

    def run(self, feeds: Mapping[str, Array]) -> Mapping[str, Array]:
        """Return the outputs by name. Raises MiscompileError for a kernel that crashes or does not
        end in time.
        """
        try:
            return self._child(dict(feeds))
        except CrashError as error:
            raise crashed(self._artifact, feeds, self._seconds, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._child.close()


def _answers(model: Model) -> Answer:
    def answer(asked: Mapping[str, Array] | str | None) -> Any:
        if asked is None:
            return model.inputs
        return model.report.get(asked, {}) if isinstance(asked, str) else model.run(asked)

    return answer


def run_guarded(
    run: Callable[[Mapping[str, Array]], Result],
    artifact: Path,
    seconds: float,
    feeds: Mapping[str, Array],
) -> Result:
    """Return what ``run`` gives for ``feeds`` in a process of its own: it runs kernels of an
    artifact. Raises as ``GuardedModel.run`` does.
    """
    with Child(lambda: run, seconds) as answer:
        try:
            return answer(dict(feeds))
        except CrashError as error:
            raise crashed(artifact, feeds, seconds, error) from error


def crashed(
    artifact: Path, feeds: Mapping[str, Array], seconds: float, how: CrashError
) -> MiscompileError:
    """Return the error for a run on ``feeds`` that crashed, or did not end within ``seconds``: the
    steps are tried one by one.

    how: what is said where that does not crash again, or before the first one.
    """
    with Child(lambda: _Steps(artifact, feeds), seconds) as run:
        steps: Sequence[Mapping[str, Any]] = run(None)
        for number, step in enumerate(steps):
            try:
                run(number)
            except CrashError as error:
                kernels = [step["kernel"]] if "kernel" in step else []
                what = f"kernel {step['kernel']}" if kernels else "a copy to an output"
                nodes = ", ".join(step.get("nodes", ())) or None
                return MiscompileError(f"{what} {error.message}, {_why(error)}", nodes, kernels)
    return MiscompileError(f"a run {how.message}")


def _why(error: CrashError) -> str:
    if isinstance(error, OverdueError):
        return "20 times what its model should take and a minute"
    return "as one does that reads or writes outside of its buffers"


class _Steps:
    """Gives all steps of a run, or does one of them, by its number."""

    def __init__(self, artifact: Path, feeds: Mapping[str, Array]):
        self._model = Model(artifact)
        inputs, outputs = self._model.inputs, self._model.outputs
        self._read = [np.ascontiguousarray(x) for x in order_feeds(inputs, feeds)]
        self._written = [np.empty(x.shape, x.dtype) for x in outputs]
        places = ([x.ctypes.data for x in arrays] for arrays in (self._read, self._written))
        self._run = self._model.step_runner(*places)

    def __call__(self, number: int | None) -> Any:
        return self._model.steps() if number is None else self._run(number, number + 1)
