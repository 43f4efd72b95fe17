"""``dlc-opt``: IR in, passes by flag, IR or the text of a backend out.

Exit code 0: done. 1: the input or a pass is at fault, and standard error says why. 2: a wrong
command line. 70: a fault of the compiler itself.
"""

import argparse
import re
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from xdsl.passes import ModulePass

from dlc import registry
from dlc.core.context import DlcContext
from dlc.core.diagnostics import Diagnostic, compare, diagnostics_of, expected_errors
from dlc.core.instrumentation import PassManager
from dlc.core.options import instantiate, parse_steps
from dlc.core.parser import parse_module
from dlc.core.printer import operation_as_text
from dlc.core.timing import Timing
from dlc.errors import CompileError
from dlc.tools._command import FAILURE, INTERNAL_ERROR, SUCCESS, run_command
from dlc.tools._opt_arguments import dumps_of, parse_arguments, reproducer_arguments
from dlc.tools._terminal import show

_SPLIT = re.compile(r"^// -----+[ \t]*$", re.MULTILINE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``dlc-opt`` and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    sys.setrecursionlimit(20_000)  # nested regions: xDSL recurses about six frames per level
    return run_command("dlc-opt", lambda: _run(given))


def _run(given: Sequence[str]) -> int:
    options = parse_arguments(given)
    if options.list_passes:
        from dlc.tools._opt_catalogue import catalogue

        sys.stdout.write(catalogue())
        return SUCCESS
    text = _read(options.input)
    if options.run_reproducer:
        options = parse_arguments([*reproducer_arguments(text), *given])
    return Driver(options, text).run()


def _read(path: str) -> str:
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return data.decode()
    except OSError as error:
        raise CompileError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CompileError(f"{path} is not text: byte {error.start} is not UTF-8") from error


@dataclass
class Outcome:
    """What became of one part of the input: its text, or the errors."""

    text: str = ""
    errors: Sequence[Diagnostic] = ()
    internal: bool = False


class Driver:
    """One run over one input, part by part."""

    def __init__(self, options: argparse.Namespace, text: str):
        self.options = options
        self.text = text
        self.name = "<stdin>" if options.input == "-" else options.input
        self.timing = Timing()
        target = parse_steps(options.target)
        if len(target) != 1:
            raise CompileError(f'"{options.target}" is not one target')
        self.target = target[0]
        if self.target.name not in registry.backend_names():
            registry.load_backend(self.target.name)
        with self.timing.measure("Import of passes"):
            self.passes: Sequence[ModulePass] = registry.build_passes(options.pipeline)

    def run(self) -> int:
        """Treat every part, write the output if nothing failed, and return the exit code."""
        outcomes = [self._checked(part) for part in self._parts()]
        for outcome in outcomes:
            for error in outcome.errors:
                here = error.place is not None and error.place.startswith(f"{self.name}:")
                print(error.text(self.text if here else None), file=sys.stderr)
        if self.options.timing:
            sys.stderr.write(self.timing.report())
        failed = any(o.errors for o in outcomes)
        if not (failed and self.options.output):
            self._write("// -----\n".join(o.text for o in outcomes if o.text))
        if any(o.internal for o in outcomes):
            return INTERNAL_ERROR
        return FAILURE if failed else SUCCESS

    def _write(self, text: str) -> None:
        if self.options.output is None:
            sys.stdout.write(text)
            return
        try:
            self.options.output.write_text(text)
        except OSError as error:
            raise CompileError(f"cannot write {self.options.output}: {error.strerror}") from error

    def _parts(self) -> list[str]:
        """Return the parts, each after as many empty lines as come before it in the file."""
        if not self.options.split_input_file:
            return [self.text]
        parts: list[str] = []
        lines = 0
        for part in _SPLIT.split(self.text):
            parts.append("\n" * lines + part)
            lines += part.count("\n")
        return parts

    def _checked(self, part: str) -> Outcome:
        outcome = self._treated(part)
        if not self.options.verify_diagnostics or outcome.internal:
            return outcome
        return Outcome(outcome.text, compare(expected_errors(part), list(outcome.errors)))

    def _treated(self, part: str) -> Outcome:
        try:
            return Outcome(self._compiled(part))
        except Exception as error:
            known = diagnostics_of(error)
            if known is not None:
                return Outcome(errors=known)
            if self.options.traceback:
                traceback.print_exc()
            message = f"internal error: {type(error).__name__}: {error} (see --traceback)"
            return Outcome(errors=[Diagnostic(message)], internal=True)

    def _compiled(self, part: str) -> str:
        context = self._context()
        with self.timing.measure("Parser"):
            module = parse_module(part, context, self.name)
        self._pass_manager().run(context, module)
        if self.options.rewrite_limit is not None:
            counter = context.rewrites
            show(f"rewrites: {counter.done}, the last: {counter.last}", sys.stderr)
        with self.timing.measure("Output"):
            if self.target.name == "mlir":
                return operation_as_text(
                    module,
                    generic=self.options.print_op_generic,
                    locations=self.options.locations,
                    elide_above=self.options.elide,
                )
            output = StringIO()
            kind = registry.load_backend(self.target.name)
            instantiate(kind, self.target).emit(context, module, output)
            return output.getvalue()

    def _context(self) -> DlcContext:
        context = registry.new_context()
        context.allow_unregistered = self.options.allow_unregistered_dialect
        context.rewrites.limit = self.options.rewrite_limit
        if self.options.weights is not None:
            from dlc.tools._opt_weights import read_weights

            context.weights = read_weights(self.options.weights)
        return context

    def _pass_manager(self) -> PassManager:
        weights = self.options.weights
        return PassManager(
            self.passes,
            verify=not self.options.no_verify,
            verify_each=not self.options.no_verify_each,
            dumps=dumps_of(self.options),
            timing=self.timing,
            reproducer=self.options.reproducer,
            arguments=["--weights", str(weights)] if weights is not None else [],
        )


if __name__ == "__main__":
    sys.exit(main())
