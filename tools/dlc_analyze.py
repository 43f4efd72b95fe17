"""``dlc-analyze``: what the layers of an ONNX model have to do, and bounds of its time.

Exit code 0: done. 1: the model or an option is at fault, and standard error says why; no file was
written. 2: a wrong command line. 70: a fault of the compiler itself.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from dlc import __version__, arch
from dlc.compiler.options import PRECISIONS, Options
from dlc.compiler.output_place import check_places
from dlc.errors import CompileError
from dlc.option_text import option
from dlc.report.analyses.layer_page import layer_page
from dlc.report.analyses.layer_table import layer_text
from dlc.tools._command import SUCCESS, CommandParser, Progress, positive, run_command
from dlc.tools._division_arguments import add_libraries, add_search
from dlc.tools._model_arguments import add_inputs, check_once, constants
from dlc.tools._terminal import show
from dlc.tools._text_output import STANDARD_OUTPUT, is_device, write_text
from dlc.tools._tune_argument import joined, tuning

_PURPOSE = "Say what the layers of an ONNX model have to do, and how fast it can be at most."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``dlc-analyze`` and return its exit code."""
    parser = _parser()
    given = parser.parse_args(joined(sys.argv[1:] if arguments is None else arguments))
    check_once(parser, given)
    return run_command("dlc-analyze", lambda: _run(given))


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser("dlc-analyze", description=_PURPOSE, allow_abbrev=False)
    parser.add_argument("model", type=Path, help="the ONNX file")
    _add_what(parser)
    _add_reports(parser)
    add_search(parser)
    add_libraries(parser)
    _add_times(parser)
    parser.add_argument("--version", action="version", version=f"dlc {__version__}")
    return parser


def _add_what(parser: argparse.ArgumentParser) -> None:
    """Add what decides which computation is looked at, and for which chip."""
    add = parser.add_argument
    add(
        "--batch",
        type=_batches,
        default=(),
        metavar="N[,N...]",
        help="the sizes of the batch: of the first axis of the inputs, where the file leaves it "
        "open, else of the only size that it leaves open",
    )
    add(
        "--target",
        help=f"cpu (this machine's), {', '.join(row.name for row in arch.CPUS)}, or a GPU: sm_70, "
        "sm_80...; default: the GPU found, else cpu",
    )
    add("--precision", default="fp32", choices=PRECISIONS, help="of fp32 tensors and products")
    add_inputs(parser)
    add(
        "--backward",
        action="store_true",
        help="say what the gradients of each layer take, too: of what it reads, and of its weights",
    )


def _add_reports(parser: argparse.ArgumentParser) -> None:
    """Add where reports go besides the terminal."""
    add = partial(parser.add_argument, type=Path, metavar="FILE")
    add("--json", help="write all layers, patterns and bounds to this file; -: to standard output")
    add(
        "--html",
        help="write charts of layers, bounds and batch sizes to this file: one page of HTML, which "
        "needs no network; -: to standard output",
    )


def _add_times(parser: argparse.ArgumentParser) -> None:
    """Add where times come from besides the model of the chip."""
    parser.add_argument(
        "--tune",
        type=tuning,
        metavar="[=SECONDS]",
        help="measure each different kernel, and each algorithm of the libraries, on this machine, "
        "and keep the times in the tuning database; 0: only take what is there",
    )
    add = partial(parser.add_argument, type=Path, metavar="FILE")
    add(
        "--times",
        help="take measured times from this tuning database, or export of one, of any machine with "
        "this chip",
    )
    add(
        "--profile",
        help="what another system measured of this model: a profile of ONNX Runtime, a trace of "
        "torch.profiler, what ncu --csv prints, or a trace of dlc-run --profile",
    )


def _batches(text: str) -> tuple[int, ...]:
    return tuple(map(positive, text.split(",")))


def _files(given: argparse.Namespace) -> list[Path]:
    """Return where reports go. Raises CompileError where one cannot be written, or over a file that
    is read.
    """
    files = [file for file in (given.json, given.html) if file]
    if files.count(STANDARD_OUTPUT) > 1:
        raise CompileError(
            f"both {option('json')} and {option('html')} go to standard output; "
            "give one of them a file"
        )
    check_places([file for file in files if not is_device(file)], given.model)
    for read in filter(None, (given.profile, given.times)):
        for file in files:
            if read.exists() and file.exists() and file.samefile(read):
                raise CompileError("is read; give another file for what is written", str(file))
    return files


def _run(given: argparse.Namespace) -> int:
    files = _files(given)
    from dlc.analyze import analyze

    progress = Progress()
    options = Options(
        given.target,
        given.precision,
        dict(given.shape),
        constants(given.constant, given.model),
        search=given.search,
        tune=given.tune,
        libraries=given.libraries,
        progress=progress,
    )
    try:
        report = analyze(
            given.model, options, given.batch, given.times, given.profile, given.backward
        )
    finally:
        progress.finish()
    if given.json:
        write_text(given.json, json.dumps(report, indent=1) + "\n")
    if given.html:
        write_text(given.html, layer_page(report))
    to = sys.stderr if STANDARD_OUTPUT in files else sys.stdout
    for line in layer_text(report).splitlines():
        show(line, to)
    return SUCCESS


if __name__ == "__main__":
    sys.exit(main())
