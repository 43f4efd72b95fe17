"""What must hold of a compile of any model.

It ends in time, in an artifact that is right or in one clear line.
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from child_process import Ending, Stage
from numpy.typing import NDArray
from onnx.reference import ReferenceEvaluator

from dlc.compiler import Options, compile_to
from dlc.errors import CompileError
from dlc.frontends.onnx.check import check_model
from dlc.runtime.library import TensorInfo
from dlc.runtime.model import Model
from dlc.simulator import SimulationError

Array = NDArray[Any]
Feeds = dict[str, Array]

TOLERANCE = {"float64": 1e-4, "float32": 1e-3, "float16": 2e-2, "bfloat16": 1e-1}
"""Relative to the largest value of a result; a wrong result is off by more, rounding by less."""
STEPPED = 0.1
"""The share of whole numbers that a rounding before them may move."""


def check_case(data: bytes, target: str, stage: Stage) -> Ending:
    """Compile a model from its bytes and compare the artifact with ONNX Runtime."""
    with tempfile.TemporaryDirectory() as folder:
        source, artifact = Path(folder, "model.onnx"), Path(folder, "model.so")
        source.write_bytes(data)
        stage("--check")
        lines = list(check_model(source).lines())
        stage("compile")
        try:
            compile_to(artifact, source, Options(target))
        except OSError as error:
            return _refused(str(error), lines)
        except (CompileError, SimulationError) as error:
            if "verification failed" in str(error) or isinstance(error, SimulationError):
                return _judged(source, artifact, target, str(error), stage)
            return _refused(str(error), lines)
        finally:
            left = [p.name for p in Path(folder).iterdir() if p not in (source, artifact)]
        if left:
            return Ending("files left", str(left))
        return compared(artifact, data, stage) if target == "cpu" else Ending("ok")


def _refused(message: str, lines: Sequence[str]) -> Ending:
    for line in (message, *lines):
        if "\n" in line or not line.isprintable():
            return Ending("unprintable message", text=repr(line)[:500])
        if "fault of dlc" in line:
            return Ending("blames itself", text=line)
    return Ending("refused", text=message)


def _judged(source: Path, artifact: Path, target: str, message: str, stage: Stage) -> Ending:
    """Say whether a refusal by verification was right."""
    if target != "cpu":
        return Ending("refused by verification", target, message)
    compile_to(artifact, source, Options(target, verify=False))
    ending = compared(artifact, source.read_bytes(), stage)
    if ending.kind == "wrong result":
        return Ending("wrong result, refused", text=f"{message}; {ending.text}")
    return Ending(
        "right, but refused" if ending.kind == "ok" else "refused by verification", text=message
    )


def compared(artifact: Path, data: bytes, stage: Stage) -> Ending:
    """Compare an artifact with ONNX Runtime on two inputs."""
    model = Model(artifact)
    peers = 0
    for seed in range(2):
        feeds = draw(model.inputs, seed)
        stage("run")
        got = model.run(feeds)
        stage("peer: ONNX Runtime")
        wanted = _by_onnxruntime(data, feeds)
        peers += wanted is not None
        if wanted is None or not (found := difference(wanted, got)):
            continue
        stage("peer: reference")
        second = _by_reference(data, feeds)
        if second is None or difference(second, got):
            return Ending("wrong result", text=f"{found}, seed {seed}")
    return Ending("ok" if peers else "unknown")


def draw(inputs: Sequence[TensorInfo], seed: int) -> Feeds:
    """Return inputs: first tame ones, then larger ones of both signs."""
    generator = np.random.default_rng(seed)
    feeds: Feeds = {}
    for info in inputs:
        if info.dtype.kind in "biu":
            high = 2 if seed == 0 else 5
            values = generator.integers(0 if info.dtype.kind != "i" else -seed, high, info.shape)
        else:
            values = (1 + 3 * seed) * generator.standard_normal(info.shape)
        feeds[info.name] = np.asarray(values).astype(info.dtype)
    return feeds


def _by_onnxruntime(data: bytes, feeds: Feeds) -> dict[str, Array] | None:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(data, options)
        names = [x.name for x in session.get_outputs()]
        results: Any = session.run(names, feeds)
        return dict(zip(names, results, strict=True))
    except Exception:  # whatever it cannot do, there is nothing to compare with
        return None


def _by_reference(data: bytes, feeds: Feeds) -> dict[str, Array] | None:
    try:
        evaluator = ReferenceEvaluator(onnx.ModelProto.FromString(data))
        results: Any = evaluator.run(None, feeds)
        return {str(n): x for n, x in zip(evaluator.output_names, results, strict=True)}
    except Exception:  # as above
        return None


def difference(wanted: Mapping[str, Array], got: Mapping[str, Array]) -> str:
    """Say which output is off by more than rounding errors make it; empty: none is."""
    for name, right in wanted.items():
        found = got[name]
        if found.shape != right.shape:
            return f"{name}: shape {found.shape}, not {right.shape}"
        if error := _beyond(right, found):
            return f"{name}: {error}"
    return ""


def _beyond(right: Array, found: Array) -> str:
    if right.dtype.kind in "biu":
        share = float(np.mean(right != found)) if right.size else 0.0
        return f"{share:.0%} of the whole numbers differ" if share > STEPPED else ""
    if right.dtype.kind not in "fV":
        return ""
    tolerance = TOLERANCE.get(found.dtype.name, 1e-1)
    x, y = right.astype(np.float64), found.astype(np.float64)
    finite = np.isfinite(x)
    if not np.array_equal(x[~finite], y[~finite], equal_nan=True):
        return "NaN or infinity in other places"
    scale = max(1e-6, float(np.abs(x[finite]).max(initial=0.0)))
    error = float(np.abs(x[finite] - y[finite]).max(initial=0.0)) / scale
    return "" if error <= tolerance else f"off by {error:.1e} of the largest value"
