"""How good the model's choice of schedules is: measures whole spaces of groups of models on a GPU.

``draw`` takes groups from files that ``dlc-compile --emit fused-group`` wrote: all that differ, in
the order of their keys (digests, so in no order that means something), every k-th of contractions
and of the others. ``measure`` builds every schedule of each group that fits on the chip, or where
these are more than ``--most`` a third each of the best by the estimate, the best by the bound and
at random, and times them as tuning does: with cold L2. The model's first ten and the ten fastest
are timed again, since the least of many times is too small. ``table`` says how far the first
choice, and the best of the model's first ten, are from the best of all.

    python test/benchmarks/choice.py draw groups.jsonl --count 30,20 resnet50.mlir bert.mlir
    python test/benchmarks/choice.py measure times.jsonl groups.jsonl
    python test/benchmarks/choice.py table times.jsonl
"""

import argparse
import gzip
import json
import os
import random
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.ir import SSAValue

from dlc import arch, registry, strategies
from dlc.analysis.entry import find_main, groups
from dlc.arch import Arch
from dlc.compiler.levels import pipelines
from dlc.compiler.targets import Target
from dlc.core.parser import parse_module
from dlc.core.printer import operation_as_text
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.source import WeightOp
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, is_float, numpy_dtype, shape
from dlc.plan import Plan, Planner
from dlc.strategies import Schedule
from dlc.tuning.agreement import disagreement
from dlc.tuning.gpu_builder import GpuBuilder
from dlc.tuning.gpu_device import GpuDevice
from dlc.tuning.kind import cluster_of
from dlc.tuning.program import Program, alone, computed_inputs, weights_of

Array = npt.NDArray[Any]
Row = dict[str, Any]
FIRST = 10
"""Schedules that ``--tune`` measures."""
AHEAD = 4
"""Groups that are built while another one is timed."""
AGAIN = 3
"""Times that are taken of the first and of the fastest."""


def draw(files: Sequence[Path], counts: Sequence[int], target: str) -> Iterator[Row]:
    """Yield groups of the files: name, key, strategy, text of a module that holds it alone."""
    planner = Planner(arch.by_name(target))
    found: dict[str, Row] = {}
    for path in files:
        for group in groups(find_main(parse_module(_read(path), registry.new_context()))):
            plan = planner.plan(cluster_of(group))
            if isinstance(plan, Plan) and len(plan.candidates) > 1 and _has_floats_only(group):
                found.setdefault(plan.key, _drawn(path, group, plan))
    for count, is_contraction in ((counts[1], False), (counts[0], True)):
        rows = [row for row in found.values() if (row["strategy"] == "contract") is is_contraction]
        rows.sort(key=lambda row: row["key"])
        step = max(1, len(rows) // count)
        yield from rows[: step * count : step]


def _read(path: Path) -> str:
    return gzip.open(path, "rt").read() if path.suffix == ".gz" else path.read_text()


def _has_floats_only(group: GroupOp) -> bool:
    return all(is_float(element_type(value)) for value in group.inputs)


def _drawn(path: Path, group: GroupOp, plan: Plan) -> Row:
    best = plan.best.schedule
    return {
        "name": f"{path.name.partition('.mlir')[0]} {group.sym_name.data}",
        "key": plan.key,
        "strategy": best.strategy,
        "text": operation_as_text(alone(group, best)),
    }


@dataclass(eq=False)
class Trial:
    """A schedule. first: its place among those that the model likes best, where it is one of them.

    us: what was measured, each time.
    """

    schedule: Schedule
    estimate_us: float
    bound_us: float
    first: int | None
    future: "Future[tuple[Program, Any]] | None" = None
    us: list[float] = field(default_factory=list[float])
    fault: str = ""

    def row(self) -> Row:
        """Return what is written of it."""
        text = str(self.schedule.attribute())
        figures = {"estimate_us": self.estimate_us, "bound_us": self.bound_us, "us": self.us}
        return {"schedule": text, "first": self.first, "fault": self.fault, **figures}


def trials(group: GroupOp, chip: Arch, most: int) -> tuple[int, list[Trial]]:
    """Return how many schedules of a group fit on a chip, and those to measure."""
    cluster = cluster_of(group)
    plan = Planner(chip).plan(cluster)
    assert isinstance(plan, Plan)
    firsts = {candidate.text: n for n, candidate in enumerate(plan.candidates[:FIRST])}
    found: list[Trial] = []
    for own in strategies.able(cluster, chip):
        space = own.space(own.work_of(cluster), chip)
        for place in map(int, np.flatnonzero(np.isfinite(space.seconds))):
            schedule, bound = space.schedules[place], space.rate(place).bound
            if bound.violation is None:
                first = firsts.get(str(schedule.attribute()))
                us = 1e6 * float(space.seconds[place]), 1e6 * bound.time_s
                found.append(Trial(schedule, *us, first))
    return len(found), _sampled(found, most)


def _sampled(found: Sequence[Trial], most: int) -> list[Trial]:
    """Return at most so many, the model's first ones first."""
    firsts = [n for n, trial in enumerate(found) if trial.first is not None]
    taken = dict.fromkeys(sorted(firsts, key=lambda n: found[n].first or 0))
    by_estimate = sorted(range(len(found)), key=lambda n: found[n].estimate_us)
    by_bound = sorted(range(len(found)), key=lambda n: (found[n].bound_us, found[n].estimate_us))
    at_random = random.Random(0).sample(range(len(found)), len(found))
    for share, order in ((1, by_estimate), (2, by_bound), (3, at_random)):
        for n in order:
            if len(taken) < most * share // 3:
                taken[n] = None
    return [found[n] for n in taken]


class Bench:
    """Builds and times groups on the GPU."""

    def __init__(self, target: str, most: int, seconds: float, kept: ExitStack):
        """most: schedules of a group. seconds: of each measurement."""
        steps = dict(pipelines(Target(target), "fp16"))
        after = list(steps.values())[list(steps).index("fused-group") + 1 :]
        workers = max(1, (os.cpu_count() or 1) - 1)
        self._chip = arch.by_name(target)
        self._most = most
        self._builder = GpuBuilder(target, ",".join(after), workers, kept)
        self._device = GpuDevice(target, "", kept, seconds=seconds)
        self._random = np.random.default_rng(0)

    def start(self, row: Row) -> tuple[Row, GroupOp, int, list[Trial]]:
        """Begin to build the schedules of a group."""
        (group,) = groups(find_main(parse_module(row["text"], registry.new_context())))
        size, found = trials(group, self._chip, self._most)
        for trial in found:
            trial.future = self._builder.submit(group, trial.schedule, {})
        return row, group, size, found

    def finish(self, row: Row, group: GroupOp, size: int, found: Sequence[Trial]) -> Row:
        """Time the schedules; return what is written of the group."""
        inputs = [self._array(value) for value in computed_inputs(group)]
        weights = {op.symbol.string_value(): self._weight(op) for op in weights_of(group)}
        samples: list[list[Array]] = []
        for trial in found:
            self._time(trial, group, inputs, weights, samples)
        timed = sorted((t for t in found if t.us), key=lambda t: t.us[0])
        again = [t for t in found if t.us and (t.first is not None or t in timed[:FIRST])]
        for _ in range(AGAIN - 1):
            for trial in again:
                self._time(trial, group, inputs, weights, samples)
        kept = {key: row[key] for key in ("name", "key", "strategy")}
        return {**kept, "space": size, "trials": [trial.row() for trial in found]}

    def _time(
        self,
        trial: Trial,
        group: GroupOp,
        inputs: Sequence[Array],
        weights: Mapping[str, Array],
        samples: list[list[Array]],
    ) -> None:
        assert trial.future is not None
        try:
            program, code = trial.future.result()
            times, outputs = self._device.run(program, code, inputs, program.arrays(weights))
        except CompileError as error:
            trial.fault = str(error)[:200]
            return
        samples.append(outputs)
        if reason := disagreement(group, samples[0], outputs, "fp16"):
            trial.fault = f"wrong: {reason}"
        else:
            trial.us.append(1e6 * times.median)

    def _weight(self, op: WeightOp) -> Array:
        return self._array(op.output)

    def _array(self, value: SSAValue) -> Array:
        drawn = self._random.uniform(-1, 1, shape(value)).astype(np.float32)
        return drawn.astype(numpy_dtype(element_type(value)))


def measure(out: Path, rows: Sequence[Row], given: argparse.Namespace) -> None:
    """Measure groups in turn, as far as the time goes; a line for each into ``out``."""
    end = time.monotonic() + given.seconds
    with ExitStack() as kept, out.open("w") as file:
        bench = Bench(given.target, given.most, given.each, kept)
        started: deque[tuple[Row, GroupOp, int, list[Trial]]] = deque()
        todo = deque(rows)
        while (todo or started) and time.monotonic() < end:
            while todo and len(started) <= AHEAD:
                started.append(bench.start(todo.popleft()))
            file.write(json.dumps(bench.finish(*started.popleft())) + "\n")
            file.flush()


def table(rows: Sequence[Row]) -> None:
    """Print a line for each group, and for contractions and others the mean and the worst."""
    head = ("group", "strategy", "of space", "best us", "first", "of 10", "est/us", "rank")
    print("{:32} {:9} {:>9} {:>9} {:>6} {:>6} {:>6} {:>5}".format(*head))
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        timed = [t for t in row["trials"] if t["us"]]
        us = np.array([median(t["us"]) for t in timed])
        firsts = {t["first"]: x for t, x in zip(timed, us, strict=True) if t["first"] is not None}
        if not firsts:
            print(f"{row['name']:32} nothing measured: {row['trials'][0]['fault'][:80]}")
            continue
        shares = float(us.min() / firsts[min(firsts)]), float(us.min() / min(firsts.values()))
        kind = "contractions" if row["strategy"] == "contract" else "others"
        found.setdefault(kind, []).append(shares)
        estimates = np.array([t["estimate_us"] for t in timed])
        first = next(t for t in timed if t["first"] == min(firsts))
        off = first["estimate_us"] / median(first["us"])
        part = f"{len(timed)}/{row['space']}"
        print(
            f"{row['name'][:32]:32} {row['strategy']:9} {part:>9} {us.min():9.2f} "
            f"{shares[0]:6.3f} {shares[1]:6.3f} {off:6.2f} {_rank(estimates, us):5.2f}"
        )
    for kind, each in found.items():
        for n, what in enumerate(("first choice", f"best of {FIRST} measured")):
            shares_of = [shares[n] for shares in each]
            mean, worst = geometric_mean(shares_of), min(shares_of)
            print(f"{len(each)} {kind}: {what} / best: mean {mean:.3f}, worst {worst:.3f}")
    beaten = [
        (row["name"], t["schedule"])
        for row in rows
        for t in row["trials"]
        if t["us"] and min(t["us"]) < t["bound_us"]
    ]
    wrong = [row["name"] for row in rows for t in row["trials"] if t["fault"].startswith("wrong")]
    print(f"bounds beaten: {len(beaten)} {beaten[:3]}; wrong results: {len(wrong)} {wrong[:3]}")


def _rank(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> float:
    """Return Spearman's rank correlation."""
    if len(one) < 3:
        return float("nan")
    a, b = (np.argsort(np.argsort(x)).astype(np.float64) for x in (one, other))
    return float(np.corrcoef(a, b)[0, 1])


def main() -> int:
    """Read the command line."""
    sys.setrecursionlimit(20_000)  # xDSL recurses per region
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("command", choices=("draw", "measure", "table"))
    parser.add_argument("file", type=Path, help="that is written; of table, that is read")
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--count", default="30,20", help="contractions, others")
    parser.add_argument("--most", type=int, default=120, help="schedules of a group")
    parser.add_argument("--each", type=float, default=0.02, help="seconds of a measurement")
    parser.add_argument("--seconds", type=float, default=600, help="begin nothing new after these")
    given = parser.parse_intermixed_args()
    if given.command == "draw":
        counts = [int(n) for n in given.count.split(",")]
        drawn = draw(given.files, counts, given.target)
        given.file.write_text("".join(json.dumps(row) + "\n" for row in drawn))
        return 0
    if given.command == "measure":
        measure(given.file, read_rows(given.files[0]), given)
    table(read_rows(given.file))
    return 0


def read_rows(path: Path) -> list[Row]:
    """Return what a file of lines of JSON holds."""
    return [json.loads(line) for line in path.read_text().splitlines()]


if __name__ == "__main__":
    sys.exit(main())
