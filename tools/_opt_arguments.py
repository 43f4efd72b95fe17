"""The command line of ``dlc-opt``: pass flags in their order, and everything else."""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from dlc import __version__, registry
from dlc.core.instrumentation import Dumps
from dlc.errors import CompileError
from dlc.pipelines import PIPELINES
from dlc.tools._command import CommandParser, natural

# What add_argument_group returns has no public name.
Group: TypeAlias = argparse._ArgumentGroup  # pyright: ignore[reportPrivateUsage]  (it has no public name)

_FLAG = re.compile(r"--?([A-Za-z][\w-]*)(?:=(.*))?", re.DOTALL)
_CONFIGURATION = "// configuration:"


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options, with the whole pipeline as text in ``pipeline``.

    argparse ends the process with code 2 for an option that does not exist, and where pass flags
    and ``-p`` are mixed.
    """
    flags, others = split_pass_flags(arguments)
    parser = _argument_parser()
    options = parser.parse_args(others)
    if flags and options.pipeline is not None:
        parser.error("pass flags and -p cannot be mixed; put all passes into one of them")
    options.pipeline = options.pipeline if options.pipeline is not None else ",".join(flags)
    return options


def split_pass_flags(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the passes as pipeline steps, in order, and the arguments that are no pass.

    Passes are taken out before argparse, which would read the file name in ``--tile input.mlir`` as
    the value of ``--tile``.
    """
    known = {*registry.pass_names(), *PIPELINES}
    flags: list[str] = []
    others: list[str] = []
    for place, argument in enumerate(arguments):
        if argument == "--":
            others.extend(arguments[place:])
            break
        match = _FLAG.fullmatch(argument)
        if match is None or match[1] not in known:
            others.append(argument)
        else:
            options = (match[2] or "").strip().removeprefix("{").removesuffix("}").strip()
            flags.append(f"{match[1]}{{{options}}}" if options else match[1])
    return flags, others


def reproducer_arguments(text: str) -> list[str]:
    """Return the arguments in the first line of a reproducer; raises CompileError if it is none."""
    import shlex

    first = text.split("\n", 1)[0]
    if not first.startswith(_CONFIGURATION):
        raise CompileError(f"not a reproducer: its first line does not begin with {_CONFIGURATION}")
    return shlex.split(first.removeprefix(_CONFIGURATION))


def dumps_of(options: argparse.Namespace) -> Dumps:
    """Return which dumps the options ask for."""
    return Dumps(
        before_all=options.print_ir_before_all,
        after_all=options.print_ir_after_all,
        before=frozenset(options.print_ir_before or ()),
        after=frozenset(options.print_ir_after or ()),
        after_change=options.print_ir_after_change,
        after_failure=options.print_ir_after_failure,
        generic=options.print_op_generic,
        locations=options.locations,
        elide_above=options.elide,
        folder=options.print_ir_tree_dir,
    )


def _argument_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="dlc-opt",
        usage="dlc-opt [--PASS[=OPTIONS]]... [options] [input.mlir]",
        description="Run passes on a module, in the order of their flags, and print the result.",
        epilog="Passes and named pipelines: see --list-passes.",
        allow_abbrev=False,
    )
    parser.add_argument("input", nargs="?", default="-", help="a file; default: standard input")
    parser.add_argument("-o", "--output", type=Path, help="default: standard output")
    parser.add_argument(
        "-p", "--passes", "--pass-pipeline", dest="pipeline", help="passes as a,b{x=1 y=2,3}"
    )
    parser.add_argument("-t", "--target", default="mlir", help="mlir, or a backend: c, cuda, ...")
    parser.add_argument(
        "--weights",
        "--weights-from",
        type=Path,
        help="tensors that graph.weight names: an .npz file, or a model for --emit import",
    )
    parser.add_argument("--list-passes", action="store_true", help="list passes with their options")
    parser.add_argument("--version", action="version", version=f"dlc {__version__}")
    _add_checking(parser.add_argument_group("checking"))
    _add_printing(parser.add_argument_group("printing"))
    _add_looking_on(parser.add_argument_group("looking on (all to standard error)"))
    return parser


def _pass_names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in registry.pass_names()]:
        raise argparse.ArgumentTypeError(f"there is no pass {unknown[0]}")
    return names


def _flag(group: Group, name: str, help: str) -> None:
    """Add a switch under its own name and under that of ``mlir-opt``."""
    group.add_argument(f"--{name}", f"--mlir-{name}", action="store_true", help=help)


def _add_checking(group: Group) -> None:
    group.add_argument(
        "--split-input-file", action="store_true", help="treat parts between // ----- lines apart"
    )
    group.add_argument(
        "--verify-diagnostics",
        action="store_true",
        help="succeed if exactly the errors announced by // expected-error {{...}} come",
    )
    group.add_argument("--no-verify-each", action="store_true", help="verify at start and end only")
    group.add_argument("--no-verify", action="store_true", help="do not verify at all")
    group.add_argument(
        "--allow-unregistered-dialect", action="store_true", help="accept ops that no dialect has"
    )
    group.add_argument(
        "--rewrite-limit",
        type=natural,
        metavar="N",
        help="stop applying patterns after N rewrites",
    )


def _add_printing(group: Group) -> None:
    _flag(group, "print-op-generic", "print MLIR's generic form")
    group.add_argument(
        "--locations",
        "--mlir-print-debuginfo",
        action="store_true",
        help="print each op's ONNX node, or its place in the file",
    )
    group.add_argument(
        "--elide-elements-if-larger",
        "--mlir-elide-elementsattrs-if-larger",
        dest="elide",
        type=int,
        metavar="N",
        help="leave out dense constants of more than N elements",
    )


def _add_looking_on(group: Group) -> None:
    _flag(group, "print-ir-before-all", "print the module before each pass")
    _flag(group, "print-ir-after-all", "print the module after each pass")
    _flag(group, "print-ir-after-change", "print the module after each pass that changed it")
    _flag(group, "print-ir-after-failure", "print the module when a pass fails")
    for when in ("before", "after"):
        group.add_argument(
            f"--print-ir-{when}",
            f"--mlir-print-ir-{when}",
            type=_pass_names,
            metavar="PASS,...",
            help=f"print the module {when} these passes",
        )
    group.add_argument(
        "--print-ir-tree-dir",
        "--mlir-print-ir-tree-dir",
        type=Path,
        metavar="DIR",
        help="write the dumps to numbered files in DIR",
    )
    group.add_argument(
        "--timing", "--mlir-timing", action="store_true", help="print the time of each pass"
    )
    group.add_argument(
        "--reproducer",
        "--mlir-pass-pipeline-crash-reproducer",
        type=Path,
        metavar="FILE",
        help="when a pass fails, write the module before it and the rest of the pipeline",
    )
    group.add_argument(
        "--run-reproducer", action="store_true", help="take the pipeline from the first line"
    )
    group.add_argument(
        "--traceback", action="store_true", help="show where an internal error arose"
    )
