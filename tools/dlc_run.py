"""``dlc-run``: runs a compiled model on arrays of files or on random ones, and times it.

Exit code 0: done. 1: the artifact or an input is at fault, and standard error says why. 2: a wrong
command line.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dlc import __version__
from dlc.core.array_files import Arrays, write_arrays
from dlc.core.cache import write_atomically
from dlc.errors import CompileError, counted
from dlc.report.values import missing_lines
from dlc.runtime.comparison import Comparison, Tolerance
from dlc.runtime.library import TensorInfo
from dlc.runtime.model import Model, load
from dlc.runtime.profile import Profile, profile
from dlc.runtime.trace import chrome_trace
from dlc.tools._bench import Bench, bench, bench_lines
from dlc.tools._command import (
    FAILURE,
    SUCCESS,
    CommandParser,
    natural,
    positive,
    run_command,
    seconds,
    tolerance,
)
from dlc.tools._compare import compare_with_file
from dlc.tools._explain import add_arguments as add_explanation
from dlc.tools._explain import explanation
from dlc.tools._run_inputs import named_file, read_inputs
from dlc.tools._terminal import show

_BENCH_ONLY = ("warm_up", "iterations", "duration", "bench_json")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``dlc-run`` and return its exit code."""
    parser = _parser()
    given = parser.parse_args(arguments)
    for name in ("outputs", "compare"):
        if getattr(given, name) and not _runs(given):
            parser.error(
                f"argument --{name}: nothing is run without --inputs, --input, --random, --bench "
                "or --profile"
            )
        if getattr(given, name) and given.explain:
            parser.error(f"argument --{name}: not with --explain, which ends with what it prints")
    if (given.rtol, given.atol) != (None, None) and not given.compare:
        parser.error("argument --rtol, --atol: only with --compare")
    if given.emit and not given.explain:
        parser.error("argument --emit: only with --explain")
    if given.emit and given.json:
        parser.error("argument --emit: not with --json, which is another form of the same")
    for name in _BENCH_ONLY:
        if getattr(given, name) is not None and not given.bench:
            parser.error(f"argument --{name.replace('_', '-')}: only with --bench")
    return run_command("dlc-run", lambda: _run(given))


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "dlc-run",
        description="Run a compiled model; without inputs, say what it is.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("model", type=Path, help="model.so")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--inputs", type=Path, metavar="IN.NPZ", help="the inputs, by name")
    source.add_argument("--random", action="store_true", help="random inputs where none are given")
    add(
        "--input",
        action="append",
        default=[],
        type=named_file,
        metavar="[NAME=]FILE.NPY",
        help="one input; the name may be left out if there is no other input; may be repeated",
    )
    add("--seed", type=natural, metavar="N", default=0, help="of the random inputs")
    add("--outputs", type=Path, metavar="OUT.NPZ", help="write the outputs, by name")
    add("--compare", type=Path, metavar="OUT.NPZ", help="compare the outputs with these, by name")
    add(
        "--rtol",
        type=tolerance,
        help="of --compare: outputs may be off by atol + rtol * |wanted|; "
        "default 0 where --atol is given",
    )
    add(
        "--atol",
        type=tolerance,
        help="--compare: see --rtol; without both, the bound of the model's verification",
    )
    add(
        "--check-indices",
        action="store_true",
        help="refuse inputs that name places outside of tensors",
    )
    add("--device", type=natural, metavar="N", help="the number of the GPU; default: 0")
    add("--threads", type=positive, metavar="N", help="on the CPU; default: one per core")
    add("--json", action="store_true", help="print the result as JSON")
    add_explanation(parser)
    _add_bench(parser)
    add("--version", action="version", version=f"dlc {__version__}")
    return parser


def _add_bench(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("timing").add_argument
    add("--bench", action="store_true", help="time runs; without inputs, on random ones")
    add("--warm-up", type=natural, metavar="N", help="runs before; default: 0.2 seconds of them")
    add("--iterations", type=positive, metavar="N", help="runs; default: as many as fit")
    add("--duration", type=seconds, metavar="SECONDS", help="at most so long; default: 2")
    add(
        "--bench-json", type=Path, metavar="FILE", help="write the result with the time of each run"
    )
    add(
        "--profile",
        type=Path,
        metavar="TRACE.JSON",
        help="write how long each kernel takes, for chrome://tracing or ui.perfetto.dev; without "
        "inputs, on random ones",
    )


def _runs(given: argparse.Namespace) -> bool:
    return bool(given.inputs or given.input or given.random or given.bench or given.profile)


def _run(given: argparse.Namespace) -> int:
    _check_places(given)
    start = time.perf_counter()
    model = load(given.model, given.device, given.threads)
    load_s = time.perf_counter() - start
    for line in missing_lines(model.report):
        show(f"dlc-run: warning: {line}", sys.stderr)
    if given.explain and not given.profile:
        print(explanation(model, given, None))
        return SUCCESS
    if not _runs(given):
        _print(_listing(model), given.json)
        return SUCCESS
    is_random = given.random or not (given.inputs or given.input)
    if given.check_indices and (unchecked := model.report.get("computed_indices")):
        names = ", ".join(unchecked)
        show(f"dlc-run: warning: not checked, as the model computes them: {names}", sys.stderr)
    feeds = read_inputs(model, given.inputs, given.input, given.seed if is_random else None)
    if given.explain:
        print(explanation(model, given, _profile(model, feeds, given.profile)))
        return SUCCESS
    results = model.run(feeds, check_indices=given.check_indices)
    if given.outputs:
        write_arrays(given.outputs, results)
    facts: dict[str, Any] = {"outputs": _describe(results)}
    compared: dict[str, Comparison] = {}
    if given.compare:
        compared = compare_with_file(results, given.compare, _tolerance(given), model.report)
        if given.json:
            facts["compared"] = {name: asdict(found) for name, found in compared.items()}
    inputs = "random" if is_random else "given"
    _measure(given, model, feeds, facts, {"inputs": inputs, "load_s": load_s})
    _print(facts, given.json)
    for name, found in compared.items() if not given.json else ():
        show(f"compared {name}: {found}")
    return FAILURE if any(found.mismatches for found in compared.values()) else SUCCESS


def _measure(
    given: argparse.Namespace,
    model: Model,
    feeds: Arrays,
    facts: dict[str, Any],
    start: Mapping[str, Any],
) -> None:
    """Add what ``--bench`` and ``--profile`` find to ``facts``, and write their files.

    start: what is said of the times beside them.
    """
    if given.bench:
        timing = Bench(given.warm_up, given.iterations, given.duration, given.threads)
        facts["bench"] = {**start, **bench(model, feeds, timing)}
        if given.bench_json:
            text = json.dumps({**_listing(model), **facts}, indent=1)
            write_atomically(given.bench_json, text.encode())
    if given.profile:
        found = _profile(model, feeds, given.profile)
        steps_ms, run_ms = 1e3 * sum(found.steps), 1e3 * found.run.median
        told = {"steps": len(found.steps), "steps_ms": steps_ms, "run_ms": run_ms}
        facts["profile"] = {"trace": str(given.profile), **told}


def _profile(model: Model, feeds: Arrays, to: Path) -> Profile:
    """Return a profile, whose trace is written."""
    found = profile(model, feeds)
    write_atomically(to, chrome_trace(model.report, model.steps(), found).encode())
    return found


def _check_places(given: argparse.Namespace) -> None:
    """Raise CompileError where a file that is read would be overwritten."""
    read = [given.model, given.inputs, given.compare, *(path for _, path in given.input)]
    known = [path for path in read if path and path.exists()]
    for path in filter(None, (given.outputs, given.bench_json, given.profile)):
        if path.exists() and any(map(path.samefile, known)):
            raise CompileError("is read by this run; give another file to write", str(path))


def _tolerance(given: argparse.Namespace) -> Tolerance | None:
    if (given.rtol, given.atol) == (None, None):
        return None
    return Tolerance(given.rtol or 0.0, given.atol or 0.0)


def _listing(model: Model) -> dict[str, Any]:
    facts = {key: model.report[key] for key in ("target", "precision")}
    return {**facts, "inputs": _infos(model.inputs), "outputs": _infos(model.outputs)}


def _infos(tensors: Sequence[TensorInfo]) -> dict[str, Any]:
    return {i.name: {"dtype": str(i.dtype), "shape": list(i.shape)} for i in tensors}


def _describe(arrays: Arrays) -> dict[str, Any]:
    """Return dtype and shape of each array, and the range and mean of numbers."""
    described: dict[str, Any] = {}
    for name, array in arrays.items():
        facts: dict[str, Any] = {"dtype": str(array.dtype), "shape": list(array.shape)}
        if array.size and array.dtype.kind != "b":
            values = array.astype("f8")
            facts |= {"min": values.min(), "max": values.max(), "mean": values.mean()}
        described[name] = facts
    return described


def _print(facts: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(_finite(facts)))
        return
    for key, value in facts.items():
        if key == "bench":
            print("\n".join(bench_lines(value)))
        elif key == "profile":
            show(_profile_line(value))
        elif isinstance(value, Mapping):
            show(f"{key}:")
            for name, tensor in value.items():
                show(f"  {name}: {_tensor_text(tensor)}")
        else:
            show(f"{key}: {value}")


def _profile_line(found: Mapping[str, Any]) -> str:
    return (
        f"profile: {counted(found['steps'], 'step')}, together {found['steps_ms']:.4g} ms; a run "
        f"takes {found['run_ms']:.4g} ms; open {found['trace']} at https://ui.perfetto.dev"
    )


def _tensor_text(facts: Mapping[str, Any]) -> str:
    values = [f" {key} {facts[key]:.4g}" for key in ("min", "max", "mean") if key in facts]
    return f"{facts['dtype']}{facts['shape']}{''.join(values)}"


def _finite(value: Any) -> Any:
    """Return data for JSON, which has no NaN and no infinity: they become their names."""
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


if __name__ == "__main__":
    sys.exit(main())
