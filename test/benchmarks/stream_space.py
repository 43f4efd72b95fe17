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
from statistics import median
from typing import Any

import onnx
from choice import trials
from stream_cases import StreamCase, cases
from streams import artifact, chosen, copy_graph, random_input, timed

from dlc import arch, registry
from dlc.analysis.entry import find_main, groups
from dlc.compiler import Options, compile_to
from dlc.compiler.emission import emit
from dlc.core.parser import parse_module
from dlc.errors import CompileError

RUNS = 5
Row = dict[str, Any]
Job = tuple[str, int, Row, Path, str]


def build(given: argparse.Namespace) -> None:
    """Compile all schedules of all cases, and write what they are to ``space.json``."""
    given.folder.mkdir(parents=True, exist_ok=True)
    start, names = time.monotonic(), [case.name for case in chosen(given)]
    count = len(names)
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        settings = [given.folder] * count, [given.target] * count, [given.most] * count
        drawn = list(pool.map(_draw, names, *settings))
        todo = [
            (name, number, row, given.folder, given.target)
            for name, rows in zip(names, drawn, strict=True)
            for number, row in enumerate(rows)
        ]
        errors = list(pool.map(_build, todo, chunksize=4))
    found = [
        {**row, "name": name, "artifact": str(_path(folder, name, number))}
        for (name, number, row, folder, _), error in zip(todo, errors, strict=True)
        if not error
    ]
    for (name, _, row, _, _), error in zip(todo, errors, strict=True):
        if error:
            print(f"{name} {row['schedule']}: {error}")
    (given.folder / "space.json").write_text(json.dumps(found))
    print(f"{len(todo)} schedules in {time.monotonic() - start:.0f} s", flush=True)


def _case(name: str) -> StreamCase:
    return next(case for case in cases() if case.name == name)


def _path(folder: Path, name: str, number: int) -> Path:
    path = artifact(folder, _case(name))
    return path.with_name(f"{path.stem}~{number}.so")


def _options(case: StreamCase, target: str, **more: Any) -> Options:
    return Options(target, next(iter(case.inputs.values()))[0], verify=False, jobs=1, **more)


def _draw(name: str, folder: Path, target: str, most: int) -> list[Row]:
    """Return schedules of a case with one group, and the text of the group."""
    case = _case(name)
    model = artifact(folder, case).with_suffix(".onnx")
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


def _build(job: Job) -> str:
    name, number, row, folder, target = job
    case, path = _case(name), _path(folder, name, number)
    model = artifact(folder, case).with_suffix(".onnx")
    *head, line = model.with_suffix(".lock").read_text().strip().splitlines()
    lock = path.with_suffix(".lock")
    chosen = f"{line.split()[0]} {row['schedule']} estimated"
    lock.write_text("\n".join([*head, chosen, ""]))
    try:
        compile_to(path, model, _options(case, target, locked=lock))
    except CompileError as error:
        return str(error)
    return ""


def run(given: argparse.Namespace) -> None:
    """Time everything that was built."""
    import torch  # pyright: ignore[reportMissingImports]  (optional)

    rows: list[Row] = json.loads((given.folder / "space.json").read_text())
    names = dict.fromkeys(row["name"] for row in rows)
    end = time.monotonic() + given.seconds
    stream = torch.cuda.Stream()
    with given.out.open("w") as file:
        for name in names:
            if time.monotonic() > end:
                print(f"out of time before {name}")
                return
            case = _case(name)
            inputs = [random_input(torch, case, *each) for each in case.inputs.values()]
            copy = copy_graph(torch, stream, case.bytes)
            wanted = None
            for row in [row for row in rows if row["name"] == name]:
                found, output = _time(torch, stream, row, inputs)
                row["us"], row["copy_us"] = found, _median(torch, stream, copy.replay)
                wanted = output if wanted is None else wanted
                row["differs"] = float((wanted.double() - output.double()).abs().max())
                file.write(json.dumps(row) + "\n")
            _print(name, [row for row in rows if row["name"] == name])


def _time(torch: Any, stream: Any, row: Row, inputs: list[Any]) -> tuple[float, Any]:
    import dlc

    model = dlc.load(row["artifact"])
    outputs = [
        torch.empty(tuple(i.shape), dtype=getattr(torch, i.dtype.name), device="cuda")
        for i in model.outputs
    ]
    read, written = ([x.data_ptr() for x in side] for side in (inputs, outputs))
    torch.cuda.synchronize()
    return _median(
        torch, stream, lambda: model.enqueue(read, written, stream.cuda_stream)
    ), outputs[0]


def _median(torch: Any, stream: Any, function: Any) -> float:
    with torch.cuda.stream(stream):
        return median(timed(torch, stream, function) for _ in range(RUNS))


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
