"""Profiles in which some value is something else: they are read, or refused in one line."""

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from profile_files import DATA, event, profiled, write_ncu

from dlc.errors import CompileError

ODD = (
    None,
    -1,
    1e400,
    float("nan"),
    10**40,
    10**400,
    "",
    "\x1b[2J",
    [],
    {},
    [[]],
    {"a": []},
    True,
    "1e9",
)
TRIES = 40


def places(data: Any, found: list[Callable[[Any], None]]) -> list[Callable[[Any], None]]:
    """Return functions that set one of the values in data each."""
    if isinstance(data, dict | list):
        keys = list(data) if isinstance(data, dict) else range(len(data))
        for key in keys:
            found.append(lambda value, key=key: data.__setitem__(key, value))
            places(data[key], found)
    return found


def read_or_refused(path: Path) -> None:
    said = "fine"
    try:
        profiled(path)
    except CompileError as error:
        said = str(error)
    assert said.isprintable()


def gpu_trace() -> dict[str, Any]:
    """Return a small trace with all kinds of events."""
    return {
        "traceEvents": [
            event("user_annotation", "ProfilerStep#1", 0, 100),
            event("cpu_op", "aten::conv2d", 1, 50, **{"External id": 1, "Input Dims": [[1, 3]]}),
            event("cuda_runtime", "cudaLaunchKernel", 2, 5, correlation=7),
            event("kernel", "fprop", 200, 9, correlation=7, **{"External id": 1}),
        ]
    }


@pytest.mark.parametrize("seed", range(3))
def test_odd_values_in_events(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    recorded = [
        gzip.decompress((DATA / name).read_bytes()).decode()
        for name in ("onnxruntime-all.json.gz", "torch-cpu.json.gz")
    ]
    path = tmp_path / "odd.json"
    for text in (*recorded, json.dumps(gpu_trace()), json.dumps(gpu_trace())):
        for _ in range(TRIES // 4):
            data = json.loads(text)
            for change in draw.sample(places(data, []), 3):
                change(draw.choice(ODD))
            path.write_text(json.dumps(data))
            read_or_refused(path)


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("key", ["correlation", "External id", "Input Dims"])
def test_odd_details_of_events(tmp_path: Path, key: str, value: object) -> None:
    data = gpu_trace()
    for each in data["traceEvents"]:
        each["args"][key] = value
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(data))
    read_or_refused(path)


@pytest.mark.parametrize("seed", range(3))
def test_odd_characters_in_tables(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    path = write_ncu(tmp_path, ("fprop", "us", "5"), ("relu", "ns", "7,000"))
    text = path.read_text()
    for _ in range(TRIES):
        at = draw.randrange(len(text))
        odd = draw.choice(('"', "\n", ",", "\x00", "\x1b", "", "==", "\u202e", "9" * 400))
        path.write_text(text[:at] + odd + text[at + draw.randrange(3) :])
        read_or_refused(path)
