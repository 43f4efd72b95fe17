"""``dlc-bench``: times models that dlc compiles beside PyTorch, ONNX Runtime and XLA.

Exit code 0: every model was timed; what its peers could not do is said. 1: a model could not be
compiled or run, or an option is at fault. 2: a wrong command line.
"""

import argparse
import json
import os
import platform
import sys
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dlc import __version__
from dlc.benchmark.build import Job, build_all
from dlc.benchmark.case import CaseFound, run_case
from dlc.benchmark.contestant import Place, peer_by_name, peer_names
from dlc.benchmark.onnx_source import OnnxSource
from dlc.benchmark.op_source import OpSource
from dlc.benchmark.single_op import parse_op
from dlc.benchmark.text import as_data, case_lines, summary_lines
from dlc.benchmark.torch_source import TorchSource
from dlc.benchmark.workload import Source
from dlc.compiler.ir_files import source_files
from dlc.compiler.options import PRECISIONS
from dlc.compiler.output_place import check_writable
from dlc.compiler.targets import Target, check_libraries, parse_targets
from dlc.core.cache import write_atomically
from dlc.errors import CompileError
from dlc.runtime.gpu_clock import gpu_clock
from dlc.runtime.timing import HostClock
from dlc.scratch import ScratchFolder
from dlc.tools._command import (
    FAILURE,
    SUCCESS,
    CommandParser,
    Progress,
    natural,
    positive,
    run_command,
    seconds,
)
from dlc.tools._division_arguments import add_libraries, add_search
from dlc.tools._model_arguments import check_once, constant, shape
from dlc.tools._terminal import show

_PEERS = ("eager", "compile", "ort", "xla")
_NO_PEERS = "none"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``dlc-bench`` and return its exit code."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if not (given.models or given.torch or given.op):
        parser.error("nothing is to be timed; give a model, --torch or --op")
    if given.jax and len(given.models) + len(given.torch) != 1:
        parser.error("argument --jax: it is the form of one model; give one model or one --torch")
    if given.threads and given.device is not None:
        parser.error("argument --threads: is for the CPU, --device for GPUs")
    for option in ("shape", "constant"):
        if vars(given)[option] and not given.models:
            parser.error(f"argument --{option}: only with an ONNX file")
    check_once(parser, given)
    return run_command("dlc-bench", lambda: _run(given))


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "dlc-bench",
        description="Compile models and time them beside PyTorch, ONNX Runtime and XLA, in one "
        "process and by turns.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("models", type=Path, nargs="*", metavar="model.onnx", help="ONNX files")
    repeated: dict[str, Any] = {"action": "append", "default": []}
    add(
        "--torch",
        **repeated,
        metavar="FILE.py:FUNCTION",
        help="a function of the batch size that returns a torch module and its arguments, from "
        "which dlc's model is exported; may be repeated",
    )
    add(
        "--op",
        **repeated,
        metavar="KIND:SIZES",
        help="one operation: matmul:MxNxK, conv:NxCxHxW:OxRxS, attention:BxHxSxD, with "
        ":stride=2 and the like and :fp16 behind; may be repeated",
    )
    add(
        "--jax",
        metavar="FILE.py:FUNCTION",
        help="a function of the batch size and the precision that returns the model as a function "
        "of arrays, and its arguments, for XLA",
    )
    add("--batch", type=_batches, default=[None], metavar="1,8,64", help="sizes of the first axis")
    add(
        "--precision",
        type=_precisions,
        default=["fp32"],
        metavar="fp16,...",
        help=f"{', '.join(PRECISIONS)}; default: fp32",
    )
    add("--shape", **repeated, type=shape, metavar="NAME=1,3,224,224", help="as of dlc-compile")
    add("--constant", **repeated, type=constant, metavar="NAME=5", help="as of dlc-compile")
    add("--target", help="as of dlc-compile, of this machine; default: the GPU found, else cpu")
    add_search(parser)
    add_libraries(parser)
    add(
        "--peers",
        type=_peers,
        default=list(_PEERS),
        metavar="NAME,...",
        help=f"{', '.join(peer_names())}, or {_NO_PEERS}; default: {','.join(_PEERS)}",
    )
    add("--seconds", type=seconds, default=1.0, metavar="N", help="of each contestant; default: 1")
    add("--kernels", type=natural, default=12, metavar="N", help="kernels shown; default: 12")
    add("--json", type=Path, metavar="FILE", help="write all that is found")
    add("--device", type=natural, metavar="N", help="the number of the GPU; default: 0")
    add("--threads", type=positive, metavar="N", help="on the CPU, of each; default: one per core")
    add("--version", action="version", version=f"dlc {__version__}")
    return parser


def _batches(text: str) -> list[int]:
    return [positive(part) for part in text.split(",")]


def _precisions(text: str) -> list[str]:
    for part in text.split(","):
        if part not in PRECISIONS:
            message = f"{part!r} is unknown; give {', '.join(PRECISIONS)}"
            raise argparse.ArgumentTypeError(message)
    return text.split(",")


def _peers(text: str) -> list[str]:
    names = [] if text == _NO_PEERS else list(dict.fromkeys(text.split(",")))
    for name in names:
        try:
            peer_by_name(name)
        except CompileError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
    return names


def _run(given: argparse.Namespace) -> int:
    target = _target(given.target)
    check_libraries(given.libraries, [target])
    _check_place(given, target)
    jobs = list(_jobs(given, target.name))
    progress = Progress()
    try:
        with ScratchFolder("dlc-bench-") as folder, _place(given, target) as (place, machine):
            built = build_all(jobs, Path(folder), progress)
            cases: list[CaseFound] = []
            for job, each in zip(jobs, built, strict=True):
                cases.append(run_case(job, each, given.peers, place, given.seconds, progress))
                progress.finish()
                for line in case_lines(cases[-1], machine, given.kernels):
                    show(line)
                if given.json:  # after each: what was found stays when the next is interrupted
                    _write(given.json, cases, machine)
    finally:
        progress.finish()
    for line in summary_lines(cases):
        show(line)
    return SUCCESS if all(case.results[0].times for case in cases) else FAILURE


def _check_place(given: argparse.Namespace, target: Target) -> None:
    """Raise CompileError for what has no effect, and for a result that cannot be written."""
    if target.is_gpu and given.threads:
        raise CompileError("is for the CPU; this is a GPU", at="--threads")
    if not target.is_gpu and given.device is not None:
        raise CompileError("is the number of a GPU; this is the CPU", at="--device")
    if given.json:
        check_writable(given.json)
        read = [file for model in given.models for file in _files(model)]
        if any(os.path.realpath(given.json) == os.path.realpath(file) for file in read):
            raise CompileError("is a file of a model; give another file", at=str(given.json))


def _files(model: Path) -> Collection[Path]:
    """Return the files of a model; of what is none, which is said in its turn, the file itself."""
    try:
        return source_files(model)
    except CompileError:
        return [model]


def _write(to: Path, cases: Sequence[CaseFound], machine: str) -> None:
    facts = {"name": machine, "system": platform.platform(), "python": sys.version.split()[0]}
    write_atomically(to, (json.dumps(as_data(cases, facts), indent=1) + "\n").encode())


def _target(text: str | None) -> Target:
    """Return the only target; raises CompileError unless this machine runs it."""
    targets = parse_targets(text)
    if len(targets) != 1:
        raise CompileError("give one target", at=f"--target {text}")
    if not targets[0].runs_here:
        raise CompileError(
            "this machine does not run it; times are taken where the model runs", at=targets[0].name
        )
    return targets[0]


def _jobs(given: argparse.Namespace, target: str) -> Iterator[Job]:
    """Yield what is timed: every model at every batch size and precision, and the operations."""
    sizes, known = dict(given.shape), dict(given.constant)
    ways = given.search, given.libraries
    sources: list[Source] = [OnnxSource(x, sizes, given.jax, known) for x in given.models]
    sources += [TorchSource(name, given.jax) for name in given.torch]
    for source in sources:
        for batch in given.batch:
            for precision in given.precision:
                yield Job(source, batch or source.usual_batch, precision, target, *ways)
    for op in dict.fromkeys((text, p) for text in given.op for p in given.precision):
        parsed = parse_op(*op)
        yield Job(OpSource(parsed), None, parsed.precision, target, *ways)


@contextmanager
def _place(given: argparse.Namespace, target: Target) -> Generator[tuple[Place, str]]:
    """Yield where all is timed, and what the tables call that."""
    if not target.is_gpu:
        yield Place(HostClock(), threads=given.threads), target.name
        return
    device = given.device or 0
    with gpu_clock(device) as clock:
        name = f"{clock.driver.device_name(device)} ({target.name})"
        yield Place(clock, clock.stream.value, device), name


if __name__ == "__main__":
    sys.exit(main())
