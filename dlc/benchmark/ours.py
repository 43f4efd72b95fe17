"""dlc as a contestant: an artifact that is loaded."""

from contextlib import ExitStack

import numpy as np

from dlc.benchmark.contestant import Place, Ready
from dlc.benchmark.workload import Workload
from dlc.errors import counted
from dlc.report.values import library_lines
from dlc.runtime.device_feeds import DeviceFeeds
from dlc.runtime.gpu_driver import Driver
from dlc.runtime.host_arrays import host_feeds
from dlc.runtime.model import Model

NAME = "dlc"


def prepare(model: Model, work: Workload, place: Place, kept: ExitStack) -> Ready:
    """Return dlc, warmed up: the C call on a GPU, the Python call on the CPU.

    Raises InputError, ArtifactError.
    """
    if not place.is_gpu:
        arrays = host_feeds(model.inputs, work.feeds)
        outputs = [np.empty(info.shape, info.dtype) for info in model.outputs]
        model(*arrays, out=outputs)
        return Ready(lambda: model(*arrays, out=outputs), place.clock, outputs, _note(model))
    memory = kept.enter_context(DeviceFeeds.of(Driver(), model, work.feeds))

    def run() -> None:
        model.enqueue(memory.inputs, memory.outputs, place.stream)

    run()
    return Ready(run, place.clock, memory.results(), _note(model))


def _note(model: Model) -> str:
    """Return how many steps a model that has run takes, and which libraries its kernels call."""
    return ", ".join([counted(len(model.steps()), "step"), *library_lines(model.report)])
