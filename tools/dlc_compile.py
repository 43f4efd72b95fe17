"""``dlc-compile``: an ONNX model in, ``model.so`` out.

Exit code 0: done. 1: the model or an option is at fault, and standard error says why; no file was
written. 2: a wrong command line. 70: a fault of the compiler itself.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from dlc import __version__
from dlc.compiler import Options, Outcome, compile_to
from dlc.compiler.options import LEVELS, PRECISIONS, WEIGHTS
from dlc.compiler.output_place import check_places, files_written
from dlc.core.cache import write_atomically
from dlc.tools._command import FAILURE, SUCCESS, Progress, run_command

_PURPOSE = "Compile an ONNX model to one shared library."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``dlc-compile`` and return its exit code."""
    parser = _parser()
    given = parser.parse_args(arguments)
    names = [name for name, _ in given.shape]
    if repeated := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        parser.error(f"argument --shape: {repeated[0]!r} is given twice")
    return run_command("dlc-compile", lambda: _run(given))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("dlc-compile", description=_PURPOSE, allow_abbrev=False)
    add = parser.add_argument
    add("model", type=Path, help="the ONNX file")
    add("-o", "--output", type=Path, help="the file to write; default: the model's name with .so")
    add("--target", help="cpu, or GPUs: sm_80[,sm_90a...]; default: the GPU found, else cpu")
    add("--precision", default="fp32", choices=PRECISIONS, help="of fp32 tensors and products")
    add(
        "--shape",
        action="append",
        default=[],
        type=_shape,
        metavar="NAME=1,3,224,224",
        help="the sizes of an input, or the value of a symbolic size; may be repeated",
    )
    add("--weights", default="embed", choices=WEIGHTS, help="in model.so, or in a file beside it")
    result = parser.add_mutually_exclusive_group()
    result.add_argument("--emit", choices=LEVELS, help="print the model at this level instead")
    result.add_argument("--check", action="store_true", help="list everything unsupported instead")
    result.add_argument("--json", type=Path, metavar="FILE", help="write the report to this file")
    add("--no-verify", action="store_true", help="do not run the result against the reference")
    add("--jobs", type=int, metavar="N", help="compilers at a time; default: one per core")
    add("--version", action="version", version=f"dlc {__version__}")
    return parser


def _shape(text: str) -> tuple[str, list[int]]:
    """Return the name and the sizes; ``x=`` is a tensor without axes."""
    name, _, sizes = text.rpartition("=")
    try:
        if name:
            return name, [int(size) for size in sizes.split(",")] if sizes else []
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is not NAME=SIZE,SIZE,...")


def _run(given: argparse.Namespace) -> int:
    shapes = dict(given.shape)
    if given.check:
        return _check(given.model, shapes)
    output = given.output or given.model.with_suffix(".so")
    check_places(_files(given, output), given.model)
    progress = Progress()
    options = Options(
        given.target,
        given.precision,
        shapes,
        weights=given.weights,
        verify=not given.no_verify,
        jobs=given.jobs,
        progress=progress,
    )
    try:
        if given.emit:
            from dlc.compiler.emission import emit

            _write_text(given.output, emit(given.model, options, given.emit))
            return SUCCESS
        outcome = compile_to(output, given.model, options)
    finally:
        progress.finish()
    if given.json:
        write_atomically(given.json, _report_text(outcome).encode())
    for warning in outcome.warnings():
        print(f"dlc-compile: warning: {warning}", file=sys.stderr)
    print(_summary(output, outcome))
    return SUCCESS


def _files(given: argparse.Namespace, output: Path) -> list[Path]:
    """Return the ordinary files that are to be written. output: where an artifact goes."""
    artifact = [] if given.emit else files_written(output, given.weights)
    texts = [given.output if given.emit else None, given.json]
    return [*artifact, *(path for path in texts if path and not _is_device(path))]


def _is_device(path: Path) -> bool:
    """Return whether text may go there as it is: a terminal, a pipe."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _check(model: Path, shapes: dict[str, list[int]]) -> int:
    """Print all that keeps a model from being compiled."""
    from dlc.frontends.onnx.check import check_model

    problems = check_model(model, shapes)
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"{model}: nothing unsupported")
    return FAILURE if problems else SUCCESS


def _write_text(output: Path | None, text: str) -> None:
    if output is None:
        sys.stdout.write(text)
    else:
        write_atomically(output, text.encode())


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
