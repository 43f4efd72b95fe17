"""Tries a seeded bug in this process, whose ``dlc`` has it.

``python trial.py``: reads a list of [model, target] from standard input and writes a list of
``Trial`` as JSON, up to the first that was caught for each target.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from child_process import Ending, Stage, run_in_child
from emulated import look_at
from graph_maker import Feeds, SmallModel
from numpy.typing import NDArray
from small_models import small_models

from dlc.compiler import Options, compile_to
from dlc.runtime.model import Model

Array = NDArray[Any]
Run = Callable[[Feeds], Mapping[str, Array]]

TOLERANCE = {"fp32": 2e-5, "tf32": 5e-3, "fp16": 5e-3, "bf16": 4e-2}
"""What a right artifact of a small model stays below, relative to the largest value of a result."""
SCALES = (1.0, 40.0)
"""By what floats among the inputs are multiplied, run by run; in 16 bits they stay as they are."""


@dataclass(frozen=True)
class Trial:
    """What became of one model. effect: what was seen without verification, empty for nothing.
    stopped: why there was no artifact even then. caught: what verification said, empty for nothing.
    """

    model: str
    target: str
    effect: str = ""
    stopped: str = ""
    caught: str = ""


def effect_case(model: SmallModel, target: str, stage: Stage) -> Ending:
    """Compile without verification and compare the artifact with ONNX Runtime."""
    found: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.so")
        stage("compile")
        if target == "cpu":
            compile_to(path, model.proto, Options(target, model.precision, verify=False))
            found.append(_effect(model, Model(path).run, stage))
        else:
            look_at(model, target, path, lambda run: found.append(_effect(model, run, stage)))
    return Ending("ok", text=found[0])


def _effect(model: SmallModel, run: Run, stage: Stage) -> str:
    """Say which result is wrong on some inputs; empty: none is."""
    session = onnxruntime.InferenceSession(model.proto.SerializeToString())
    names = [x.name for x in session.get_outputs()]
    for seed, scale in enumerate(SCALES):
        wide = scale if model.precision == "fp32" else 1.0
        feeds = {n: _scaled(x, wide) for n, x in model.feeds(seed).items()}
        wanted: Any = session.run(names, feeds)
        stage("run")
        if found := _difference(dict(zip(names, wanted, strict=True)), run(feeds), model):
            return found
    return ""


def _scaled(x: Array, scale: float) -> Array:
    return (x * scale).astype(x.dtype) if x.dtype.kind == "f" else x


def _difference(wanted: Mapping[str, Array], got: Mapping[str, Array], model: SmallModel) -> str:
    for name, right in wanted.items():
        found = got[name]
        if found.shape != right.shape:
            return f"{name} has shape {list(found.shape)}"
        x, y = right.astype(np.float64), found.astype(np.float64)
        finite = np.isfinite(x)
        if not np.array_equal(x[~finite], y[~finite], equal_nan=True):
            return f"{name} has NaN or infinity in other places"
        scale = max(1e-30, float(np.abs(x[finite]).max(initial=0.0)))
        error = float(np.abs(x[finite] - y[finite]).max(initial=0.0)) / scale
        tolerance = model.error or TOLERANCE[model.precision]
        if not error <= (tolerance if right.dtype.kind == "f" else 0.0):
            return f"{name} is off by {error:.1e}"
    return ""


def verification_case(model: SmallModel, target: str, stage: Stage) -> Ending:
    """Compile as a user does."""
    with tempfile.TemporaryDirectory() as folder:
        stage("compile with verification")
        options = Options(target, model.precision)
        compile_to(Path(folder, "model.so"), model.proto, options)
    return Ending("ok")


VERIFICATION = (
    "verification",
    "SimulationError",
    "EmulationError",
    "ImportDiffersError",
    "kernels.cpp",  # a text that the emulator does not know
    "in run",
)
"""What the endings that are due to the checks say."""


def try_model(model: SmallModel, target: str) -> Trial:
    """Return what a bug does to one model; what is refused has an effect, since a right compiler
    refuses none of them.
    """
    verified = run_in_child(lambda stage: verification_case(model, target, stage))
    said = f"{verified.text or verified.place}"[:300] if verified.is_fault else ""
    if any(word in said for word in VERIFICATION):
        return Trial(model.name, target, "refused", caught=said)
    seen = run_in_child(lambda stage: effect_case(model, target, stage))
    if seen.is_fault and "in run" not in seen.place and "EmulationError" not in seen.text:
        return Trial(model.name, target, stopped=f"{seen.kind}: {seen.text or seen.place}"[:300])
    return Trial(model.name, target, seen.text or seen.place, caught=said)


def main() -> None:
    """Try models until each target has caught the bug."""
    models = {model.name: model for model in small_models()}
    trials: list[Trial] = []
    for name, target in json.load(sys.stdin):
        if not any(t.target == target and t.caught for t in trials):
            trials.append(try_model(models[name], target))
    json.dump([asdict(trial) for trial in trials], sys.stdout)


if __name__ == "__main__":
    main()
