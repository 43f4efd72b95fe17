"""Times whole models beside PyTorch, as ``dlc-bench`` does, many models in one go.

Each model has a process of its own, so that no peer sees what another model left. All processes
prepare at the same time: the export, the compile, PyTorch's compile, the first runs. They are timed
one after the other, when all are prepared, so that nothing else runs on the device. A case is
``name:batch`` of ``workloads.py``, or ``FILE.py:function:batch``.

    python test/benchmarks/models.py bert_base:1 bert_base:64 gpt2:16 --json models.json
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from dlc.benchmark.build import Job, build_all
from dlc.benchmark.case import run_case
from dlc.benchmark.contestant import Place
from dlc.benchmark.text import as_data
from dlc.benchmark.torch_source import TorchSource
from dlc.compiler.targets import parse_targets
from dlc.runtime.gpu_clock import gpu_clock
from dlc.runtime.timing import HostClock
from dlc.scratch import ScratchFolder

WORKLOADS = Path(__file__).with_name("workloads.py")
PREPARED = "prepared"
Row = dict[str, Any]


def job_of(case: str, precision: str, target: str | None) -> Job:
    """Return what is timed; target: ``None`` is this machine's."""
    name, _, batch = case.rpartition(":")
    function = name if ":" in name else f"{WORKLOADS}:{name}"
    return Job(TorchSource(function), int(batch), precision, parse_targets(target)[0].name)


def prepare_and_time(job: Job, peers: Sequence[str], seconds: float) -> Row:
    """Return the row of a case. Says on standard output when all contestants are prepared, and
    waits for a line on standard input before it times them.
    """

    def wait(stage: str) -> None:
        if stage.endswith("timing"):
            print(PREPARED, flush=True)
            sys.stdin.readline()

    with ScratchFolder("dlc-models-") as folder, ExitStack() as kept:
        place = Place(HostClock())
        if job.target != "cpu":
            clock = kept.enter_context(gpu_clock())
            place = Place(clock, clock.stream.value, 0)
        (built,) = build_all([job], Path(folder), lambda _: None)
        found = run_case(job, built, peers, place, seconds, wait)
    (row,) = as_data([found], {})["cases"]
    return row


class Child:
    """A process that prepares a case and times it when it is told to."""

    def __init__(self, case: str, given: argparse.Namespace):
        self.case = case
        options = ["--peers", given.peers, "--precision", given.precision]
        options += ["--seconds", str(given.seconds)]
        options += ["--target", given.target] if given.target else []
        self._process = subprocess.Popen(
            [sys.executable, __file__, case, "--one", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

        self._first = ""

    def prepare(self) -> None:
        """Wait until it is prepared, or has ended since dlc could not make the artifact."""
        assert self._process.stdout is not None
        self._first = self._process.stdout.readline()

    def timed(self) -> Row:
        """Let it time its case, wait for its end, and return its row, or the ``error``."""
        found, errors = self._process.communicate("\n")
        *_, last = (self._first + found).splitlines() or [PREPARED]
        if last == PREPARED:
            lines = errors.strip().splitlines() or ["ended without a row"]
            return {"name": self.case, "error": lines[-1]}
        row = json.loads(last)
        mine = row["contestants"][0].get("error")
        return {"name": self.case, "error": mine} if mine else row


def rows(cases: Sequence[str], given: argparse.Namespace) -> Iterator[Row]:
    """Yield the row of each case, in waves of as many processes as may run at a time."""
    for start in range(0, len(cases), given.at_once):
        children = [Child(case, given) for case in cases[start : start + given.at_once]]
        with ThreadPoolExecutor(len(children)) as pool:
            list(pool.map(Child.prepare, children))
        for child in children:
            yield child.timed()


def line_of(row: Row) -> str:
    """Return the line of a case: the milliseconds of each contestant, and the ratio."""
    if "error" in row:
        return f"{row['name']:16} {row['error']}"
    times = {
        each["name"]: f"{each['median_ms']:.3f}" if "median_ms" in each else "-"
        for each in row["contestants"]
    }
    ratio = f"{row['ratio']:.2f}" if row["ratio"] else "-"
    columns = "".join(f"  {name} {ms:>8}" for name, ms in times.items())
    return f"{row['name']:16} {row['batch']:4}{columns}  {ratio:>6}"


def run(given: argparse.Namespace) -> int:
    """Print the line of each case, and the geometric mean; 1 where a case failed."""
    found: list[Row] = []
    for row in rows(given.cases, given):
        found.append(row)
        print(line_of(row), flush=True)
        if given.json:
            given.json.write_text(json.dumps(found, indent=1) + "\n")
    if ratios := [row["ratio"] for row in found if row.get("ratio")]:
        print(f"geometric mean of {len(ratios)}: {geometric_mean(ratios):.3f}")
    return 0 if all("error" not in row for row in found) else 1


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--precision", default="fp16")
    parser.add_argument("--peers", default="eager,compile", help="as of dlc-bench")
    parser.add_argument("--target", help="default: that of this machine's GPU")
    parser.add_argument("--seconds", type=float, default=0.6, help="of each contestant")
    parser.add_argument("--at-once", type=int, default=12, help="models prepared at a time")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.one:
        return run(given)
    job = job_of(given.cases[0], given.precision, given.target)
    print(json.dumps(prepare_and_time(job, given.peers.split(","), given.seconds)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
