"""``dlc-compile``: an ONNX model in, ``model.so`` out.

Exit code 0: done. 1: the model or an option is at fault, and standard error says why; no file was
written. 2: a wrong command line. 70: a fault of the compiler itself.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from dlc import __version__, arch
from dlc.compiler import Options, Outcome, compile_to
from dlc.compiler.options import (
    LEVELS,
    PRECISIONS,
    VERIFICATIONS,
    WEIGHTS,
)
from dlc.compiler.output_place import check_places, files_written
from dlc.core.array_files import Arrays, read_arrays, write_arrays
from dlc.core.weights import Array
from dlc.tools._command import FAILURE, SUCCESS, CommandParser, Progress, run_command, tolerance
from dlc.tools._division_arguments import add_libraries, add_search
from dlc.tools._model_arguments import add_inputs, check_once, constants
from dlc.tools._terminal import show
from dlc.tools._text_output import STANDARD_OUTPUT, is_device, write_text
from dlc.tools._tune_argument import joined, tuning

_PURPOSE = "Compile an ONNX model to one shared library."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``dlc-compile`` and return its exit code."""
    parser = _parser()
    given = parser.parse_args(joined(sys.argv[1:] if arguments is None else arguments))
    check_once(parser, given)
    if not given.emit and (given.weights_to or given.locations):
        parser.error("arguments --weights-to, --locations: only with argument --emit")
    if given.json and given.emit:
        parser.error("argument --json: not allowed with argument --emit")
    if given.check and (given.tune is not None or given.lock or given.locked):
        parser.error("arguments --tune, --lock, --locked: not allowed with argument --check")
    if given.check and (given.search or given.search_budget is not None or given.libraries):
        parser.error(
            "arguments --search, --search-budget, --libraries: not allowed with argument --check"
        )
    return run_command("dlc-compile", lambda: _run(given))


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser("dlc-compile", description=_PURPOSE, allow_abbrev=False)
    add = parser.add_argument
    add("model", type=Path, help="the ONNX file")
    add("-o", "--output", type=Path, help="the file to write; default: the model's name with .so")
    add(
        "--target",
        help=f"cpu (this machine's), {', '.join(row.name for row in arch.CPUS)}, or GPUs: "
        "sm_80[,sm_90a...]; default: the GPU found, else cpu",
    )
    add("--precision", default="fp32", choices=PRECISIONS, help="of fp32 tensors and products")
    add_inputs(parser)
    add(
        "--weights-from",
        type=Path,
        metavar="FILE",
        help="where the model is IR (.mlir): the ONNX file it was made of, or an .npz file",
    )
    add("--weights-to", type=Path, metavar="FILE.npz", help="with --emit: write the weights, too")
    add("--locations", action="store_true", help="with --emit: print each op's ONNX node")
    add("--weights", default="embed", choices=WEIGHTS, help="in model.so, or in a file beside it")
    result = parser.add_mutually_exclusive_group()
    result.add_argument("--emit", choices=LEVELS, help="print the model at this level instead")
    result.add_argument(
        "--check", action="store_true", help="list the operators and everything unsupported instead"
    )
    add(
        "--json",
        type=Path,
        metavar="FILE",
        help="write the report, or what --check finds, to this file; -: to standard output",
    )
    _add_verification(parser)
    _add_search(parser)
    _add_tuning(parser)
    add("--jobs", type=int, metavar="N", help="compilers at a time; default: one per core")
    add("--version", action="version", version=f"dlc {__version__}")
    return parser


def _add_search(parser: argparse.ArgumentParser) -> None:
    add_search(parser)
    parser.add_argument(
        "--search-budget",
        type=float,
        metavar="SECONDS",
        help="with --search beam, dp or evolve: take the best that was found by then, which is "
        "never worse than greedy's",
    )
    add_libraries(parser)


def _add_tuning(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--tune",
        type=tuning,
        metavar="[=SECONDS]",
        help="measure the best few schedules of each kind of groups and take the fastest; without "
        "=SECONDS for as long as it takes, =0: only what the database knows",
    )
    add("--lock", type=Path, metavar="FILE", help="write the schedules that were chosen")
    add("--locked", type=Path, metavar="FILE", help="take the schedules of a lock file")


def _add_verification(parser: argparse.ArgumentParser) -> None:
    verify = parser.add_mutually_exclusive_group()
    verify.add_argument(
        "--verify",
        default="quick",
        choices=VERIFICATIONS,
        help="quick (the default): in about the time of the compile; full: everything, however "
        "long it takes; onnxruntime: quick, and the whole model against ONNX Runtime; off: nothing",
    )
    verify.add_argument(
        "--no-verify", dest="verify", action="store_const", const="off", help="--verify=off"
    )
    parser.add_argument(
        "--verify-inputs", type=Path, metavar="IN.NPZ", help="check the model on these inputs, too"
    )
    parser.add_argument(
        "--verify-outputs", type=Path, metavar="OUT.NPZ", help="what it should give for them"
    )
    parser.add_argument(
        "--rtol",
        type=tolerance,
        help="outputs may be off by atol + rtol * |wanted|, instead of by the bounds from rounding "
        "errors; default 0 where --atol is given",
    )
    parser.add_argument(
        "--atol",
        type=tolerance,
        help="atol of the tolerance that --rtol describes; default 0 where --rtol is given",
    )


def _run(given: argparse.Namespace) -> int:
    if given.check:
        return _check(given)
    output = given.output or given.model.parent / f"{given.model.stem}.so"
    check_places(_files(given, output), given.model)
    progress = Progress()
    options = Options(
        given.target,
        given.precision,
        dict(given.shape),
        constants(given.constant, given.model),
        given.weights,
        verify=given.verify,
        verify_inputs=_arrays(given.verify_inputs),
        verify_outputs=_arrays(given.verify_outputs),
        rtol=given.rtol,
        atol=given.atol,
        tune=given.tune,
        lock=given.lock,
        locked=given.locked,
        search=given.search,
        search_budget=given.search_budget,
        libraries=given.libraries,
        jobs=given.jobs,
        progress=progress,
        weights_from=_weights_from(given.weights_from),
    )
    try:
        if given.emit:
            from dlc.compiler.emission import emit

            weights: dict[str, Array] | None = {} if given.weights_to else None
            text = emit(given.model, options, given.emit, given.locations, weights)
            if weights is not None:
                write_arrays(given.weights_to, weights)
            write_text(given.output, text)
            return SUCCESS
        outcome = compile_to(output, given.model, options)
    finally:
        progress.finish()
    if given.json:
        write_text(given.json, _report_text(outcome))
    for warning in (*outcome.warnings(), *_hidden_module(output)):
        show(f"dlc-compile: warning: {warning}", sys.stderr)
    to = sys.stderr if given.json == STANDARD_OUTPUT else sys.stdout
    if outcome.tuned:
        show(outcome.tuned["text"], to)
    show(_summary(output, outcome), to)
    return SUCCESS


def _hidden_module(output: Path) -> Iterator[str]:
    """Yield a warning where Python would import the artifact in place of a module beside it."""
    if output.suffix == ".so" and output.with_suffix(".py").exists():
        yield f"{output.name} hides {output.stem}.py from import; give another name with -o"


def _files(given: argparse.Namespace, output: Path) -> list[Path]:
    """Return the ordinary files that are to be written. output: where an artifact goes."""
    artifact = [] if given.emit else files_written(output, given.weights)
    texts = [given.output if given.emit else None, given.json, given.weights_to, given.lock]
    return [*artifact, *(path for path in texts if path and not is_device(path))]


def _weights_from(path: Path | None) -> Path | Arrays | None:
    """Return the weights in a file of arrays; any other file is a model that has them."""
    return read_arrays(path) if path and path.suffix == ".npz" else path


def _arrays(path: Path | None) -> Arrays | None:
    return None if path is None else read_arrays(path)


def _check(given: argparse.Namespace) -> int:
    """Print the operators of a model, all that keeps it from being compiled, and its open sizes."""
    from dlc.frontends.onnx.check import check_model

    found = check_model(given.model, dict(given.shape), constants(given.constant, given.model))
    if given.json:
        write_text(given.json, json.dumps(found.data(), indent=1) + "\n")
    if given.json != STANDARD_OUTPUT:
        for line in found.lines():
            show(line)
    return FAILURE if found.problems else SUCCESS


def _report_text(outcome: Outcome) -> str:
    steps = asdict(outcome)
    report = {**steps.pop("report"), **steps}
    return json.dumps(report, indent=1) + "\n"


def _summary(output: Path, outcome: Outcome) -> str:
    megabytes = output.stat().st_size / 1e6
    seconds = sum(outcome.seconds.values())
    cached = f", {text}" if (text := outcome.cached_text()) else ""
    return (
        f"{output}: {megabytes:.1f} MB, target {outcome.report['target']}, "
        f"{outcome.launches_text()}, {seconds:.1f} s{cached}; {outcome.checked}"
    )


if __name__ == "__main__":
    sys.exit(main())
