"""Times many schedules of the cases of ``streams.py``, for the model that chooses between them.

``build FOLDER`` compiles each case with schedules drawn from its space (``choice.py``), ``run``
times them and a copy of as many bytes, and writes a line of JSON for each.

    python test/benchmarks/stream_space.py build /tmp/space --cases "softmax*" --most 12
    python test/benchmarks/stream_space.py run /tmp/space --out space.jsonl
"""

import argparse
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import onnx
from artifacts import Artifact, make
from choice import trials
from gpu import Gpu, Launches, open_gpu
from stream_cases import StreamCase
from streams import LAUNCHES, Export, artifact_path, case_named, chosen, copy, ours, random_input

from dlc import arch, registry
from dlc.analysis.entry import find_main, groups
from dlc.compiler import Options, compile_to
from dlc.compiler.emission import emit
from dlc.core.parser import parse_module
from dlc.runtime.model import Model

Row = dict[str, Any]


def build(given: argparse.Namespace) -> None:
    """Compile all schedules of all cases, and write what they are to ``space.json``."""
    given.folder.mkdir(parents=True, exist_ok=True)
    start, names = time.monotonic(), [case.name for case in chosen(given)]
    count = len(names)
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        settings = [given.folder] * count, [given.target] * count, [given.most] * count
        drawn = list(pool.map(_draw, names, *settings))
    todo = [
        (_artifact(name, number, row, given.folder, given.target), {**row, "name": name})
        for name, rows in zip(names, drawn, strict=True)
        for number, row in enumerate(rows)
    ]
    found: list[Row] = []
    for (artifact, row), error in zip(todo, make([each for each, _ in todo]), strict=True):
        if error:
            print(f"{row['name']} {row['schedule']}: {error}")
        else:
            found.append({**row, "artifact": str(artifact.path)})
    (given.folder / "space.json").write_text(json.dumps(found))
    print(f"{len(todo)} schedules in {time.monotonic() - start:.0f} s", flush=True)


def _options(case: StreamCase, target: str, **more: Any) -> Options:
    return Options(target, case.precision, verify=False, jobs=1, **more)


def _draw(name: str, folder: Path, target: str, most: int) -> list[Row]:
    """Return schedules of a case with one group, and the text of the group."""
    case = case_named(name)
    model = artifact_path(folder, case).with_suffix(".onnx")
    onnx.save(case.model(), model)
    text = emit(model, _options(case, target), "fused-group", False, None)
    found = groups(find_main(parse_module(text, registry.new_context())))
    if len(found) != 1:
        return []
    lock = model.with_suffix(".lock")
    compile_to(model.with_suffix(".so"), model, _options(case, target, lock=lock))
    _, some = trials(found[0], arch.by_name(target), most)
    return [
        {
            "schedule": str(each.schedule.attribute()),
            "estimate_us": each.estimate_us,
            "bound_us": each.bound_us,
            "first": each.first,
            "text": text,
        }
        for each in some
    ]


def _artifact(name: str, number: int, row: Row, folder: Path, target: str) -> Artifact:
    """Return the artifact of a schedule, with a lock file that says it."""
    case = case_named(name)
    first = artifact_path(folder, case)
    path = first.with_name(f"{first.stem}~{number}.so")
    *head, line = first.with_suffix(".lock").read_text().strip().splitlines()
    lock = path.with_suffix(".lock")
    lock.write_text("\n".join([*head, f"{line.split()[0]} {row['schedule']} estimated", ""]))
    return Artifact(path, Export(name), target, case.precision, lock)


def run(given: argparse.Namespace) -> None:
    """Time everything that was built."""
    rows: list[Row] = json.loads((given.folder / "space.json").read_text())
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        by_name.setdefault(row["name"], []).append(row)
    end = time.monotonic() + given.seconds
    with given.out.open("w") as file, open_gpu() as gpu:
        for name, some in by_name.items():
            if time.monotonic() > end:
                print(f"out of time before {name}")
                return
            _time(gpu, case_named(name), some)
            file.writelines(json.dumps(row) + "\n" for row in some)
            file.flush()
            _print(name, some)


def _time(gpu: Gpu, case: StreamCase, rows: list[Row]) -> None:
    """Write into each row its time, that of a copy, and how far its result is from the first."""
    inputs = [random_input(gpu.torch, case, *each) for each in case.inputs.values()]
    copied, wanted = copy(gpu, case.bytes), None
    for row in rows:
        model = Model(row["artifact"])
        contestants: dict[str, Launches] = {"us": ours(gpu, model, inputs), "copy_us": copied}
        row |= gpu.by_turns({n: each.repeated(LAUNCHES) for n, each in contestants.items()})
        output = contestants["us"].result.double()
        wanted = output if wanted is None else wanted
        row["differs"] = float((wanted - output).abs().max())


def _print(name: str, rows: list[Row]) -> None:
    first = min(rows, key=lambda r: 99 if r["first"] is None else r["first"])
    best = min(rows, key=lambda r: r["us"])
    print(
        f"{name:44} {len(rows):3} best {best['us']:7.1f} first {first['us']:7.1f} copy "
        f"{best['copy_us']:7.1f} {best['schedule'][24:]} {max(r['differs'] for r in rows):.1e}",
        flush=True,
    )


def main() -> int:
    """Read the command line."""
    sys.setrecursionlimit(20_000)  # xDSL recurses per region
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", choices=("build", "run"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", default="*", help="patterns of names, with commas between them")
    parser.add_argument("--most", type=int, default=12, help="schedules of a case")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--out", type=Path, default=Path("space.jsonl"))
    parser.add_argument("--seconds", type=float, default=600, help="begin nothing new after these")
    given = parser.parse_args()
    {"build": build, "run": run}[given.what](given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
