"""Times the artifacts of two checkouts of dlc by turns on one GPU.

Each model is compiled by both trees, on all cores and without verification, and each artifact is
run by the runtime of its own tree, in a process of its own: the trees may differ in the interface
of artifacts. Prints a line per model with the times of both, new over old for each precision, and
the geometric means. Needs PyTorch. What each kernel takes is in ``dlc-run --profile``.

    python test/benchmarks/two_trees.py OLD NEW --models a/model.onnx b/model.onnx --json out.json
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median
from typing import IO, Any

RUNS, TURNS, WARM_UP = 40, 5, 10
Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A model in a precision."""

    model: Path
    precision: str

    @property
    def name(self) -> str:
        """The name of the file, of its folder where it is ``model.onnx``."""
        return self.model.parent.name if self.model.stem == "model" else self.model.stem

    def artifact(self, folder: Path, side: str) -> Path:
        """Return where the artifact of a tree stands."""
        return folder / f"{self.name}.{self.precision}.{side}.so"


def compile_all(
    cases: Sequence[Case], trees: Mapping[str, Path], given: argparse.Namespace
) -> dict[Path, str]:
    """Make all artifacts, as many at a time as there are cores; return what went wrong."""
    jobs = [(case, side) for case in cases for side in trees]
    if given.keep:
        jobs = [(case, side) for case, side in jobs if not case.artifact(given.work, side).exists()]

    def one(job: tuple[Case, str]) -> tuple[Path, str]:
        case, side = job
        path = case.artifact(given.work, side)
        model = str(case.model.absolute())
        command = ["-m", "dlc.tools.dlc_compile", model, "--target", given.target]
        options = ["--precision", case.precision, "--no-verify", "--jobs", "1", "-o", str(path)]
        found = _python([*command, *options], trees[side], capture_output=True, text=True)
        return path, found.stderr.strip()[-300:] if found.returncode else ""

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return {path: error for path, error in pool.map(one, jobs) if error}


def _environment(tree: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(tree.absolute()), "OMP_NUM_THREADS": "1"}


def _python(arguments: list[str], tree: Path, **options: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments], cwd=tree, env=_environment(tree), check=False, **options
    )


class Runner:
    """A process that runs the artifacts of one tree."""

    def __init__(self, tree: Path):
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).absolute()), "--serve"],
            cwd=tree,
            env=_environment(tree),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **request: Any) -> Any:
        """Return the answer to a request; raises RuntimeError with the error of the process."""
        self.send(**request)
        return self.answer()

    def send(self, **request: Any) -> None:
        """Begin a request."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()

    def answer(self) -> Any:
        """Return the answer to what was sent; raises RuntimeError."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        found = json.loads(line) if line else {"error": "the process has ended"}
        if "error" in found:
            raise RuntimeError(found["error"])
        return found["answer"]

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def measured(case: Case, runners: Mapping[str, Runner], given: argparse.Namespace) -> Row:
    """Return the microseconds of each side, and how far the outputs are apart."""
    folder = given.work
    for side, runner in runners.items():
        runner.send(load=str(case.artifact(folder, side)))
    launches = {side: runner.answer() for side, runner in runners.items()}
    times: dict[str, list[float]] = {side: [] for side in runners}
    for _ in range(TURNS):
        for side, runner in runners.items():
            times[side].append(median(runner.ask(time=RUNS)))
    outputs = [Path(runner.ask(outputs=str(folder / side))) for side, runner in runners.items()]
    us = {side: round(median(found), 2) for side, found in times.items()}
    row = {"us": us, "turns": times, "launches": launches, "apart": apart(*outputs)}
    return row


def apart(one: Path, other: Path) -> float:
    """Return the largest difference of all outputs as a share of the largest."""
    import numpy as np

    found = 0.0
    with np.load(one) as a, np.load(other) as b:
        for name in a.files:
            x, y = a[name].astype(np.float64), b[name].astype(np.float64)
            share = np.abs(x - y).max(initial=0.0) / max(np.abs(x).max(initial=0.0), 1e-30)
            found = max(found, float(share))
    return found


def compare(cases: Sequence[Case], trees: Mapping[str, Path], given: argparse.Namespace) -> None:
    """Compile, time and print; a fault of a case is its row."""
    start = time.monotonic()
    errors = compile_all(cases, trees, given)
    for path, error in errors.items():
        print(f"{path.name}: {error}", flush=True)
    print(f"compiled in {time.monotonic() - start:.0f} s", flush=True)
    rows: list[Row] = []
    runners: dict[str, Runner] = {}
    for case in cases:
        if time.monotonic() - start > given.seconds:
            print(f"out of time before {case.name} {case.precision}")
            break
        if not all(case.artifact(given.work, side).exists() for side in trees):
            continue
        runners = runners or {side: Runner(tree) for side, tree in trees.items()}
        row: Row = {"model": case.name, "precision": case.precision}
        try:
            row |= measured(case, runners, given)
        except RuntimeError as error:
            row["error"] = str(error)
            print(f"{case.name} {case.precision}: {error}", flush=True)
            for runner in runners.values():
                runner.close()
            runners = {}
        rows.append(row)
        given.json.write_text(json.dumps(rows))
    for runner in runners.values():
        runner.close()
    print_table(rows, list(dict.fromkeys(case.precision for case in cases)))


def print_table(rows: Sequence[Row], precisions: Sequence[str]) -> None:
    """Print a line per model: us of new, and new over old, for each precision; then the means."""
    print(f"{'us of new, new / old':20}", *(f"{p:>16}" for p in precisions))
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for row in rows:
        if us := row.get("us"):
            ratio = us["new"] / us["old"]
            found.setdefault(row["model"], {})[row["precision"]] = us["new"], ratio
    for model, by in found.items():
        cells = [f"{by[p][0]:9.1f} {by[p][1]:6.3f}" if p in by else "" for p in precisions]
        print(f"{model:20}", *(f"{cell:>16}" for cell in cells))
    means = [[by[p][1] for by in found.values() if p in by] for p in precisions]
    cells = [f"{geometric_mean(ratios):6.3f}" if ratios else "" for ratios in means]
    print(f"{'geometric mean':20}", *(f"{cell:>16}" for cell in cells))


def serve(requests: IO[str]) -> None:
    """Answer requests, one a line (``REQUESTS``)."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what others print must not come among the answers
    state: dict[str, Any] = {}
    for line in requests:
        try:
            ((what, value),) = json.loads(line).items()
            answer = REQUESTS[what](state, value)
            found = {"answer": answer}
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {error}"[:300]}
        answers.write(json.dumps(found) + "\n")
        answers.flush()


def _load(state: dict[str, Any], path: str) -> int:
    """Load an artifact with random inputs and run it; return its launches."""
    import torch  # pyright: ignore[reportMissingImports]  (optional)

    import dlc

    state.clear()
    torch.cuda.empty_cache()
    torch.manual_seed(0)
    model = dlc.load(path)
    state["inputs"] = [_random(torch, info) for info in model.inputs]
    state["outputs"] = [
        torch.zeros(tuple(i.shape), dtype=getattr(torch, i.dtype.name), device="cuda")
        for i in model.outputs
    ]
    read, written = ([x.data_ptr() for x in state[key]] for key in ("inputs", "outputs"))
    stream = state["stream"] = torch.cuda.Stream()
    state["run"] = lambda: model.enqueue(read, written, stream.cuda_stream)
    state["run"]()
    torch.cuda.synchronize()
    return model.report["variants"][0]["launches"]


def _random(torch: Any, info: Any) -> Any:
    kind = getattr(torch, info.dtype.name)
    if kind.is_floating_point:
        return torch.randn(tuple(info.shape), device="cuda").to(kind)
    return torch.randint(0, 2, tuple(info.shape), device="cuda").to(kind)


def _time(state: dict[str, Any], count: int) -> list[float]:
    """Return the microseconds of so many runs."""
    import torch  # pyright: ignore[reportMissingImports]  (optional)

    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(count)]
    for _ in range(WARM_UP):
        state["run"]()
    for start, end in events:
        start.record(state["stream"])
        state["run"]()
        end.record(state["stream"])
    torch.cuda.synchronize()
    return [1e3 * start.elapsed_time(end) for start, end in events]


def _outputs(state: dict[str, Any], path: str) -> str:
    """Write the outputs; return the file."""
    import numpy as np

    np.savez(f"{path}.npz", *[x.cpu().float().numpy() for x in state["outputs"]])
    return f"{path}.npz"


REQUESTS: dict[str, Callable[[dict[str, Any], Any], Any]] = {
    "load": _load,
    "time": _time,
    "outputs": _outputs,
}


def main() -> int:
    """Read the command line."""
    if sys.argv[1:] == ["--serve"]:
        serve(sys.stdin)
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--models", type=Path, nargs="+", required=True)
    parser.add_argument("--precisions", default="fp16,tf32,fp32")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--work", type=Path, default=Path("build/two-trees"))
    parser.add_argument("--json", type=Path, default=Path("two-trees.json"))
    parser.add_argument("--keep", action="store_true", help="artifacts that are there are not made")
    parser.add_argument("--seconds", type=float, default=600, help="begin nothing new after these")
    given = parser.parse_args()
    given.work = given.work.absolute()
    given.work.mkdir(parents=True, exist_ok=True)
    cases = [Case(m, p) for p in given.precisions.split(",") for m in given.models]
    compare(cases, {"old": given.old, "new": given.new}, given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
