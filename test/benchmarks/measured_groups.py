"""Groups that were measured on a GPU, as texts, with the schedules that were."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dlc import registry, strategies
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.arch import GpuArch
from dlc.core.parser import parse_module
from dlc.dialects.fused_group import GroupOp
from dlc.strategies import AnyImplementation, Schedule

_DATA = Path(__file__).parents[1] / "data"
_MODELS_AND_STREAMS = _DATA / "groups-h200.jsonl.gz"
_CONVOLUTIONS = _DATA / "convolutions-h200.jsonl.gz"
_SHORT = _DATA / "convolutions-2-h200.jsonl.gz"
_PRODUCTS = _DATA / "products-h200.jsonl.gz"
_FEW_ROWS = _DATA / "products-2-h200.jsonl.gz"
_ATTENTION = _DATA / "attention-h200.jsonl.gz"
_PARTS_OF_KEYS = _DATA / "attention-3-h200.jsonl.gz"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class MeasuredGroup:
    """A group and its times in microseconds.

    in_model: measured as one of a model's kernels, weights read from the memory; else alone, again
    and again.
    """

    name: str
    in_model: bool
    strategy: str
    own: AnyImplementation
    work: Any
    schedules: list[Schedule]
    us: Floats

    def estimates_us(self, chip: GpuArch) -> Floats:
        """Return what the model says of each schedule."""
        rated = (self.own.rate(self.work, schedule, chip) for schedule in self.schedules)
        return np.array([each.latency_s() * 1e6 for each in rated])

    def bounds_us(self, chip: GpuArch) -> Floats:
        """Return the bound of each schedule."""
        rated = (self.own.rate(self.work, schedule, chip) for schedule in self.schedules)
        return np.array([each.bound.time_s * 1e6 for each in rated])


def measured_groups() -> Iterator[MeasuredGroup]:
    """Yield the groups of the files."""
    for path in (
        _MODELS_AND_STREAMS,
        _CONVOLUTIONS,
        _SHORT,
        _PRODUCTS,
        _FEW_ROWS,
        _ATTENTION,
        _PARTS_OF_KEYS,
    ):
        with gzip.open(path, "rt") as file:
            for line in file:
                yield _group(json.loads(line))


def texts() -> Iterator[tuple[str, str]]:
    """Yield name and text of each different group of models and streams; the text is a module that
    holds it alone.
    """
    with gzip.open(_MODELS_AND_STREAMS, "rt") as file:
        rows = map(json.loads, file)
        found = {row["text"]: row["name"] for row in rows}
    yield from ((name, text) for text, name in found.items())


def _group(row: dict[str, Any]) -> MeasuredGroup:
    module = parse_module(row["text"], registry.new_context())
    flow = Dataflow(next(op for op in module.walk() if isinstance(op, GroupOp)).body.block)
    schedules = [schedule_of(text) for text, _ in row["times"]]
    strategy = schedules[0].strategy
    own = strategies.by_name(strategy).implementations["gpu"]
    work = own.work_of(Cluster(flow, tuple(flow.ops)))
    us = np.array([us for _, us in row["times"]])
    return MeasuredGroup(row["name"], row["kind"] == "model", strategy, own, work, schedules, us)


def schedule_of(text: str) -> Schedule:
    """Return the schedule whose keys stand in the IR as ``text``."""
    keys = json.loads("{" + _quoted(text) + "}")
    return strategies.read_record(
        {key: tuple(value) if isinstance(value, list) else value for key, value in keys.items()}
    )


def _quoted(text: str) -> str:
    parts = text.split(" = ")
    heads = [part.rsplit(", ", 1) for part in parts[:-1]]
    words = [f'"{heads[0][0]}": ' if n == 0 else f'{h[0]}, "{h[1]}": ' for n, h in enumerate(heads)]
    return "".join(words) + parts[-1]
