"""Runs passes in order and lets one look on: dumps, timing, reproducers."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dlc.core.garbage import rare_collections
from dlc.core.options import step_text
from dlc.core.printer import operation_as_text
from dlc.core.timing import Timing
from dlc.core.verify import Fault, InvalidModule, find_faults
from dlc.errors import CompileError


@dataclass
class Dumps:
    """When to print the module, as ``mlir-opt`` does; all passes or only those named."""

    before_all: bool = False
    after_all: bool = False
    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    after_change: bool = False
    after_failure: bool = False
    generic: bool = False
    locations: bool = False
    elide_above: int | None = None
    stream: IO[str] | None = None
    folder: Path | None = None
    _number: int = 0

    def text(self, module: ModuleOp) -> str:
        """Return the module as dumps print it."""
        return operation_as_text(
            module, generic=self.generic, locations=self.locations, elide_above=self.elide_above
        )

    def write(self, when: str, pass_: ModulePass, module: ModuleOp) -> None:
        """Print the module under a heading, to ``stream`` (stderr) or to a file of its own."""
        title = f"IR Dump {when} {type(pass_).__name__} ({pass_.name})"
        text = f"// -----// {title} //----- //\n{self.text(module)}"
        if self.folder is None:
            (self.stream or sys.stderr).write(text + "\n")
            return
        name = f"{self._number:03}-{when.split()[0].lower()}-{pass_.name}.mlir"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text)
        except OSError as error:
            raise CompileError(f"cannot write dumps to {self.folder}: {error.strerror}") from error
        self._number += 1


@dataclass
class PassManager:
    """A list of passes to run one after the other.

    verify_each: verify the module after every pass, not only before the first and after the last.
    verify: verify at all. verified: what comes in was verified. reproducer: where to write the
    module and the remaining pipeline when a pass fails; arguments: what else the reproducer's
    command line needs.
    """

    passes: Sequence[ModulePass]
    verify: bool = True
    verify_each: bool = True
    verified: bool = False
    dumps: Dumps = field(default_factory=Dumps)
    timing: Timing = field(default_factory=Timing)
    reproducer: Path | None = None
    arguments: Sequence[str] = ()

    def run(self, context: Context, module: ModuleOp) -> None:
        """Run the passes on ``module``, in place.

        Raises InvalidModule or what a pass raises; a CompileError without a place names the pass.
        """
        with rare_collections():
            if self.verify and not self.verified:
                self._verify(module, "")
            for number, pass_ in enumerate(self.passes):
                self._run_one(context, module, number, pass_)

    def _run_one(self, context: Context, module: ModuleOp, number: int, pass_: ModulePass) -> None:
        if self.dumps.before_all or pass_.name in self.dumps.before:
            self.dumps.write("Before", pass_, module)
        keep = self.reproducer is not None or self.dumps.after_change
        before = operation_as_text(module, locations=True) if keep else ""
        try:
            with self.timing.measure(f"{type(pass_).__name__} ({pass_.name})"):
                pass_.apply(context, module)
            if self.verify and (self.verify_each or number == len(self.passes) - 1):
                self._verify(module, f"after {pass_.name}: ")
        except Exception as error:
            self._failed(module, number, before)
            if isinstance(error, CompileError) and error.at is None:
                raise CompileError(error.message, at=f"pass {pass_.name}") from error
            raise
        if self._dumps_after(pass_, module, before):
            self.dumps.write("After", pass_, module)

    def _dumps_after(self, pass_: ModulePass, module: ModuleOp, before: str) -> bool:
        if self.dumps.after_all or pass_.name in self.dumps.after:
            return True
        return self.dumps.after_change and before != operation_as_text(module, locations=True)

    def _verify(self, module: ModuleOp, prefix: str) -> None:
        with self.timing.measure("Verifier"):
            faults = find_faults(module)
        if faults:
            raise InvalidModule([Fault(f.op, prefix + f.message) for f in faults])

    def _failed(self, module: ModuleOp, number: int, before: str) -> None:
        if self.dumps.after_failure:
            self.dumps.write("After Failure", self.passes[number], module)
        if self.reproducer is not None:
            rest = ",".join(map(step_text, self.passes[number:]))
            arguments = "".join(f" {a}" for a in self.arguments)
            text = f"// configuration: -p '{rest}'{arguments}\n{before}"
            try:
                self.reproducer.write_text(text)
            except OSError as error:  # the error of the pass must not be lost for it
                print(f"cannot write {self.reproducer}: {error.strerror}", file=sys.stderr)
