"""Compares the model of contractions with measured schedules; needs no GPU.

``table`` prints one line per case: the time of the schedule that the estimate likes best in units
of the best measured one, Spearman's rank correlation of estimate and time, and measured over
estimated time. ``fit`` changes the costs of the chip, one at a time, to those that fit these
files best.
``groups`` does the same for whole groups: kernels of models, and all strategies alone.
``leave-one-out`` fits without each case and prints the case's line with what the others say.

    python test/benchmarks/rating.py table
"""

import argparse
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from contraction import Case
from measured_groups import MeasuredGroup, measured_groups, schedule_of

from dlc import arch, registry, strategies
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.arch import GpuArch
from dlc.arch.gpu_costs import GpuCosts
from dlc.core.parser import parse_module
from dlc.dialects.fused_group import GroupOp
from dlc.model.contraction import Contraction
from dlc.plan.ranking import in_order
from dlc.strategies import Space
from dlc.strategies.contract.gpu import IMPLEMENTATION, estimate
from dlc.strategies.contract.schedule import ContractOnGpu

DATA = Path(__file__).parents[1] / "data"
FILES = {
    "": DATA / "contraction-space-h200.jsonl.gz",
    " again": DATA / "contraction-space-2-h200.jsonl.gz",
    " by warpgroups": DATA / "contraction-space-3-h200.jsonl.gz",
    " by teams": DATA / "contraction-space-4-h200.jsonl.gz",
    " by warpgroups again": DATA / "contraction-space-5-h200.jsonl.gz",
    " by boxes": DATA / "contraction-space-6-h200.jsonl.gz",
    " by lanes": DATA / "contraction-space-7-h200.jsonl.gz",
}
"""The measurements, by what the names of their cases end in: of versions of the lowering."""
STEPS = (1.3, 1.1, 1.03)
"""Factors by which a cost is changed in a search for better ones, coarse to fine."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """The measured schedules of one case. us: their times in microseconds."""

    name: str
    work: Contraction
    schedules: list[ContractOnGpu]
    us: Floats

    def estimates_us(self, chip: GpuArch) -> Floats:
        """Return what the model says of each schedule."""
        return estimate(self.work, self.schedules, chip) * 1e6


@dataclass(frozen=True)
class Verdict:
    """How an estimate does on a case. choice: the time of its first choice over the best one.

    rank: Spearman's correlation. ratios: measured over estimated times.
    """

    name: str
    choice: float
    rank: float
    ratios: Floats

    def __str__(self) -> str:
        middle, high = np.quantile(self.ratios, (0.5, 0.95))
        return f"{self.name:36} {self.choice:6.3f} {self.rank:6.3f} {middle:7.2f} {high:6.2f}"


HEAD = f"{'case':36} {'choice':>6} {'rank':>6} {'median':>7} {'p95':>6}"


def samples() -> list[Sample]:
    """Return the measured cases of all files."""
    return [sample for end, file in FILES.items() for sample in _samples_of(file, end)]


def _samples_of(path: Path, end: str) -> Iterator[Sample]:
    works: dict[str, Contraction] = {}
    found: dict[str, dict[ContractOnGpu, float]] = {}
    with gzip.open(path, "rt") as file:
        for row in map(json.loads, file):
            name = row["case"]
            if name not in works:
                works[name] = _work(name)
            schedule = schedule_of(f'target = "gpu", {row["schedule"]}')
            assert isinstance(schedule, ContractOnGpu)
            found.setdefault(name, {})[schedule] = row["us"]
    for name, measured in found.items():
        schedules = list(measured)
        us = np.array(list(measured.values()))
        yield Sample(name + end, works[name], schedules, us)


def _work(name: str) -> Contraction:
    kind, *sizes, element = name.split("_")
    case = Case(kind, tuple(map(int, sizes)), element)
    module = parse_module(case.module(), registry.new_context())
    flow = Dataflow(next(op for op in module.walk() if isinstance(op, GroupOp)).body.block)
    return IMPLEMENTATION.work_of(Cluster(flow, tuple(flow.ops)))


def judge(sample: Sample, chip: GpuArch) -> Verdict:
    """Return how the estimate does on a case."""
    estimates = sample.estimates_us(chip)
    choice = sample.us[in_order(_space(sample, estimates, chip), 1)[0]] / sample.us.min()
    rank = np.corrcoef(_ranks(estimates), _ranks(sample.us))[0, 1]
    return Verdict(sample.name, float(choice), float(rank), sample.us / estimates)


def _space(sample: Sample, estimates: Floats, chip: GpuArch) -> Space[ContractOnGpu]:
    schedules = sample.schedules
    rate = IMPLEMENTATION.rate
    return Space(schedules, estimates, lambda place: rate(sample.work, schedules[place], chip))


def _ranks(values: Floats) -> Floats:
    """Return the place of each value in order; equal ones share the mean of their places."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(values))))


def ties(sample: Sample, chip: GpuArch) -> bool:
    """Return whether the two best of the whole space are estimated within 0.5 % of each other."""
    space = list(IMPLEMENTATION.candidates(sample.work, chip))
    first, second = np.sort(estimate(sample.work, space, chip))[:2]
    return bool(second <= 1.005 * first)


def fitted(cases: Sequence[Sample], chip: GpuArch) -> GpuArch:
    """Return the chip with the costs that fit some cases best, found one at a time.

    What is least: the mean over cases of the mean of ``(log measured / estimated)^2`` up to 10 %,
    linear beyond, weighed by how near a schedule is to the best of its case.
    """
    names = [field.name for field in fields(GpuCosts) if field.name != "dram_efficiency"]
    least = _misfit(cases, chip)
    for step in STEPS:
        improved = True
        while improved:
            improved = False
            for name in names:
                for factor in (step, 1 / step):
                    changed = {name: getattr(chip.costs, name) * factor}
                    other = replace(chip, costs=replace(chip.costs, **changed))
                    misfit = _misfit(cases, other)
                    if misfit < least * (1 - 1e-5):
                        chip, least, improved = other, misfit, True
    return chip


def _misfit(cases: Sequence[Sample], chip: GpuArch) -> float:
    total = 0.0
    for case in cases:
        off = np.log(case.us / case.estimates_us(chip)) / 0.1
        weights = case.us.min() / case.us
        total += float(np.average(np.sqrt(1 + off**2) - 1, weights=weights))
    return total / len(cases)


def show(verdicts: Sequence[Verdict]) -> None:
    """Print a line per case, then all together."""
    print(HEAD)
    for verdict in verdicts:
        print(verdict, flush=True)
    choices, ranks = [v.choice for v in verdicts], [v.rank for v in verdicts]
    ratios = np.concatenate([v.ratios for v in verdicts])
    mean, middle, high = geometric_mean(choices), *np.quantile(ratios, (0.5, 0.95))
    print(
        f"choice {mean:.3f}, at most {max(choices):.3f}; rank at least {min(ranks):.3f}; ", end=""
    )
    print(f"measured / estimated {middle:.2f}, 95th percentile {high:.2f}")


def show_groups(groups: Sequence[MeasuredGroup], chip: GpuArch) -> None:
    """Print by strategy: measured over estimated and over least time; the first choice's time over
    the best one's where more than one schedule was measured.
    """
    head = (
        f"{'groups':20} {'count':>6} {'median':>7} {'p95':>6} {'least / bound':>14} {'choice':>7}"
    )
    print(f"{head} {'worst':>6}")
    kinds = [(s, m) for s in strategies.names() for m in (True, False)]
    for strategy, in_model in kinds:
        some = [g for g in groups if (g.strategy, g.in_model) == (strategy, in_model)]
        if not some:
            continue
        ratios = np.concatenate([g.us / g.estimates_us(chip) for g in some])
        least = min((g.us / g.bounds_us(chip)).min() for g in some)
        middle, high = np.quantile(ratios, (0.5, 0.95))
        where = f"{strategy}, {'in models' if in_model else 'alone'}"
        line = f"{where:20} {len(ratios):6} {middle:7.2f} {high:6.2f} {least:14.2f}"
        if not in_model:
            choices = [choice(g, chip) for g in some]
            line += f" {geometric_mean(choices):7.3f} {max(choices):6.2f}"
        print(line)


def choice(group: MeasuredGroup, chip: GpuArch) -> float:
    """Return the time of the schedule that the estimate likes best over the best one's."""
    return float(group.us[np.argmin(group.estimates_us(chip))] / group.us.min())


def rank(group: MeasuredGroup, chip: GpuArch) -> float:
    """Return Spearman's correlation of estimates and times."""
    return float(np.corrcoef(_ranks(group.estimates_us(chip)), _ranks(group.us))[0, 1])


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("table", "groups", "fit", "leave-one-out"))
    parser.add_argument("--chip", default="sm_90a")
    asked = parser.parse_args()
    chip = arch.by_name(asked.chip)
    assert isinstance(chip, GpuArch)
    if asked.command == "groups":
        show_groups([*measured_groups()], chip)
        return
    cases = samples()
    if asked.command == "table":
        show([judge(case, chip) for case in cases])
        print(f"{sum(ties(case, chip) for case in cases)} of {len(cases)} choices tie within 0.5 %")
    elif asked.command == "fit":
        chip = fitted(cases, chip)
        print(chip.costs)
        show([judge(case, chip) for case in cases])
    else:
        others = [(case, fitted([c for c in cases if c is not case], chip)) for case in cases]
        show([judge(case, found) for case, found in others])


if __name__ == "__main__":
    main()
