"""What is printed of comparisons, and what is written of them as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from dlc import __version__
from dlc.benchmark import ours
from dlc.benchmark.case import CaseFound, Result
from dlc.benchmark.kernels import KernelRow
from dlc.errors import counted
from dlc.runtime.profile import Profile
from dlc.runtime.timing import geometric_mean

NODE_COLUMNS = 44
KERNEL_HEAD = (
    "kernel", "n", "us", "bound", "estimate", "of limit", "MB", "GFLOP", "limited by", "nodes",
)  # fmt: skip
CONTESTANT_HEAD = ("", "median ms", "spread", "dlc is", "differs", "")
Row = Sequence[str]


def case_lines(case: CaseFound, machine: str, kernels: int) -> Iterator[str]:
    """Yield the tables of a case. machine: where it ran. kernels: how many are shown."""
    yield f"{case.job.title()} on {machine}"
    timed = [result for result in case.results if result.times]
    mine = case.by_name[ours.NAME]
    if timed:
        rows = [_contestant(result, mine, case.flops) for result in timed]
        yield from _table([CONTESTANT_HEAD, *rows], left=(0, 5))
    for result in case.results:
        if not result.times:
            yield f"  {result.name}: {result.missing or f'failed: {result.error}'}"
    shown = case.kernels[:kernels]
    if shown:
        yield from _table([KERNEL_HEAD, *map(_kernel, shown)], left=(0, 8, 9))
    if hidden := len(case.kernels) - len(shown):
        rest = sum(row.us for row in case.kernels[len(shown) :])
        yield f"  and {counted(hidden, 'kernel')} of {rest:.1f} us; --kernels shows more"


def _contestant(result: Result, mine: Result, flops: int | None) -> Row:
    times = result.times
    assert times is not None
    speed = f"{times.median / mine.times.median:.2f}x" if mine.times else ""
    differs = "" if result.difference is None else f"{result.difference:.1e}"
    rate = f"{flops / times.median / 1e12:.3g} TFLOP/s, " if flops else ""
    return (
        result.name,
        f"{1e3 * times.median:.4g}",
        f"{100 * times.spread:.1f} %",
        "" if result.name == ours.NAME else speed,
        differs,
        rate + result.note,
    )


def _kernel(row: KernelRow) -> Row:
    nodes = " + ".join(row.nodes)
    return (
        row.kernel,
        str(row.launches),
        f"{row.us:.2f}",
        _number(row.bound_us, ".2f"),
        _number(row.estimate_us, ".2f"),
        _number(row.share and 100 * row.share, ".0f", " %"),
        _number(row.bytes and row.bytes / 1e6, ".3g"),
        _number(row.flops and row.flops / 1e9, ".3g"),
        row.limit or "-",
        nodes if len(nodes) <= NODE_COLUMNS else f"{nodes[: NODE_COLUMNS - 3]}...",
    )


def _number(value: float | None, form: str, unit: str = "") -> str:
    return "-" if value is None else f"{value:{form}}{unit}"


def _table(rows: Sequence[Row], left: Sequence[int]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if number in left else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield f"  {'  '.join(cells)}".rstrip()


def summary_lines(cases: Sequence[CaseFound]) -> Iterator[str]:
    """Yield a line for each case with a peer, and the geometric mean."""
    compared = [(case, case.ratio) for case in cases if case.ratio is not None]
    if len(compared) < 2:
        return
    rows = [
        (case.job.title(), case.best_peer.name if case.best_peer else "", f"{ratio:.2f}")
        for case, ratio in compared
    ]
    yield "time of the best peer over that of dlc (above 1: dlc is faster)"
    yield from _table(rows, left=(0, 1))
    yield f"  geometric mean of {len(compared)}: {_mean(cases):.3f}"


def _mean(cases: Sequence[CaseFound]) -> float | None:
    ratios = [case.ratio for case in cases if case.ratio is not None]
    return geometric_mean(ratios) if ratios else None


def as_data(cases: Sequence[CaseFound], machine: Mapping[str, Any]) -> dict[str, Any]:
    """Return all that was found, for JSON."""
    return {
        "dlc": __version__,
        "machine": dict(machine),
        "cases": [_case_data(case) for case in cases],
        "geometric_mean": _mean(cases),
    }


def _case_data(case: CaseFound) -> dict[str, Any]:
    job, best = case.job, case.best_peer
    return {
        "name": job.source.name,
        "batch": job.batch,
        "precision": job.precision,
        "target": job.target,
        "search": job.search,
        "libraries": list(job.libraries),
        "contestants": [_result_data(result, case.flops) for result in case.results],
        "best_peer": best.name if best else None,
        "ratio": case.ratio,
        "profile": _profile_data(case.profile) if case.profile else None,
        "kernels": [{**asdict(row), "share": row.share} for row in case.kernels],
    }


def _profile_data(found: Profile) -> dict[str, Any]:
    return {
        "steps": len(found.steps),
        "steps_us": 1e6 * sum(found.steps),
        "line_us": 1e6 * found.line.median,
        "run_us": 1e6 * found.run.median,
        "looking_us_per_step": 1e6 * found.looking,
    }


def _result_data(result: Result, flops: int | None) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": result.name, "note": result.note}
    if result.times is None:
        return {**facts, "missing": result.missing, "error": result.error}
    times = result.times
    facts |= {"difference": result.difference, "runs": len(times.seconds), **_times_data(result)}
    if flops:
        facts["tflops"] = flops / times.median / 1e12
    return facts


def _times_data(result: Result) -> dict[str, Any]:
    assert result.times is not None
    times = result.times
    return {
        "median_ms": 1e3 * times.median,
        "spread": times.spread,
        "min_ms": 1e3 * min(times.seconds),
        "times_ms": [1e3 * each for each in times.seconds],
    }
