"""Files of profiles as other systems write them, and the network that they are of."""

import gzip
import json
from pathlib import Path
from typing import Any

from dlc.analyze import analyze
from dlc.compiler import Options
from dlc.compiler.outcome import Report

DATA = Path(__file__).parents[1] / "data" / "profiles"
MODEL = DATA / "model.onnx"
NCU_HEADS = (
    '"ID","Process ID","Process Name","Kernel Name","Section Name","Metric Name","Metric Unit",'
    '"Metric Value"'
)


def profiled(path: Path, target: str = "cpu", precision: str = "fp32") -> Report:
    """Return the analysis of the network with a profile."""
    return analyze(MODEL, Options(target, precision), profile=path)


def layer_us(report: Report) -> dict[str, float]:
    """Return what the profile says of each layer that it has."""
    return {x["name"]: x["profile_us"] for x in report["layers"] if "profile_us" in x}


def entries(name: str) -> list[Any]:
    """Return the events of a recorded profile."""
    data = json.loads(gzip.decompress((DATA / name).read_bytes()))
    return data if isinstance(data, list) else data["traceEvents"]


def node(name: str, kind: str, us: float, start: float = 0.0, **more: Any) -> dict[str, Any]:
    """Return an event of ONNX Runtime."""
    details = {"op_name": kind, "provider": "CPUExecutionProvider"}
    place = {"pid": 1, "tid": 1, "ph": "X"}
    called = f"{name}_kernel_time"
    return {"cat": "Node", "name": called, "dur": us, "ts": start, "args": details, **place, **more}


def event(category: str, name: str, start: float, us: float, **details: Any) -> dict[str, Any]:
    """Return an event of PyTorch."""
    place = {"pid": 1, "tid": 1, "ph": "X"}
    return {"cat": category, "name": name, "ts": start, "dur": us, "args": details, **place}


def write(path: Path, data: Any) -> Path:
    """Write data as JSON; return the file."""
    path.write_text(json.dumps(data))
    return path


def write_onnxruntime(folder: Path, *events: Any) -> Path:
    """Write a profile of ONNX Runtime; return the file."""
    return write(folder / "profile.json", list(events))


def write_torch(folder: Path, *events: Any) -> Path:
    """Write a trace of PyTorch; return the file."""
    return write(folder / "trace.json", {"schemaVersion": 1, "traceEvents": list(events)})


def write_ncu(folder: Path, *kernels: tuple[str, str, str]) -> Path:
    """Write what ``ncu --csv`` prints for kernels with units and values; return the file."""
    path = folder / "ncu.csv"
    lines = [
        f'"{number}","7","python","{name}","Command line profiler metrics",'
        f'"gpu__time_duration.sum","{unit}","{value}"'
        for number, (name, unit, value) in enumerate(kernels)
    ]
    path.write_text("\n".join(["==PROF== Connected to process 7", NCU_HEADS, *lines]) + "\n")
    return path
