"""A lit format that runs ``dlc-opt | filecheck`` in a forked process: 15 ms a test, not 300.

Python and its imports are most of what a test costs. lit's worker has them loaded already, so a
fork of it runs the stages one after the other, with text in place of pipes. A RUN line with
anything else in it (another program, a redirection, a variable) goes to lit's own shell.
"""

import contextlib
import importlib
import io
import os
import re
import shlex
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import lit.Test
import lit.TestRunner
from lit.formats import ShTest

TIMEOUT_SECONDS = 240
"""The longest test takes 13 s of a core that has nothing else to do."""

_LABEL = re.compile(r"%dbg\([^)]*\)\s*")
_SHELL = re.compile(r"[;&<>`$*?\\]|\|\|")

Program = Callable[[list[str]], int]


@dataclass(frozen=True)
class Stage:
    """One program of a pipeline."""

    run: Program
    arguments: list[str]
    negated: bool
    merges_errors: bool


class InProcess(ShTest):
    """Runs the pipelines of ``programs()``; all others as ``ShTest`` does."""

    def __init__(self) -> None:
        super().__init__(execute_external=False)
        programs()  # imported once here, inherited by every fork

    # The parameter has lit's name: it may be given by name.
    def execute(self, test: lit.Test.Test, litConfig: object) -> lit.Test.Result:  # noqa: N803  (lit's name)
        """Run one test file."""
        script: Any = lit.TestRunner.parseIntegratedTestScript(test, require_script=True)
        if isinstance(script, lit.Test.Result):
            return script
        folder, base = lit.TestRunner.getTempPaths(test)
        substitutions = lit.TestRunner.getDefaultSubstitutions(test, folder, base)
        lines: list[str] = lit.TestRunner.applySubstitutions(script, substitutions)
        commands = [_LABEL.sub("", line, count=1) for line in lines]
        pipelines = [self._stages(command) for command in commands]
        if any(stages is None for stages in pipelines):
            return cast(lit.Test.Result, super().execute(test, litConfig))
        os.makedirs(os.path.dirname(base), exist_ok=True)
        for command, stages in zip(commands, pipelines, strict=True):
            passed, log = _forked(lambda stages=stages: _run(stages or []))
            if not passed:
                return lit.Test.Result(lit.Test.FAIL, f"{command}\n{log}")
        return lit.Test.Result(lit.Test.PASS)

    def _stages(self, command: str) -> list[Stage] | None:
        """Return the stages of a command line, or ``None`` if it needs a shell."""
        merged = command.replace("2>&1", " --merge-errors ")
        bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", merged)
        if _SHELL.search(bare):
            return None
        words = shlex.split(re.sub(r"\|(?=(?:[^'\"]|'[^']*'|\"[^\"]*\")*$)", " | ", merged))
        stages = [self._stage(part) for part in _split(words, "|")]
        return None if any(s is None for s in stages) else [s for s in stages if s is not None]

    def _stage(self, words: list[str]) -> Stage | None:
        negated = words[:1] == ["not"]
        words = words[negated:]
        merges = "--merge-errors" in words
        words = [w for w in words if w != "--merge-errors"]
        if words[:2] != [sys.executable, "-m"] or words[2] not in programs():
            return None
        return Stage(programs()[words[2]], words[3:], negated, merges)


@cache
def programs() -> dict[str, Program]:
    """Return the programs that can run in this process, imported."""
    filecheck = importlib.import_module("filecheck.main")
    dlc_opt = importlib.import_module("dlc.tools.dlc_opt")
    registry = importlib.import_module("dlc.registry")
    for name in (*registry.XDSL_DIALECTS, *registry.dialect_names()):
        registry.load_dialect(name)
    return {
        "dlc.tools.dlc_opt": dlc_opt.main,
        "filecheck": lambda arguments: filecheck.main(["filecheck", *arguments]) or 0,
    }


def _split(words: Sequence[str], separator: str) -> Iterator[list[str]]:
    part: list[str] = []
    for word in words:
        if word == separator:
            yield part
            part = []
        else:
            part.append(word)
    yield part


def _run(stages: Sequence[Stage]) -> tuple[bool, str]:
    """Run a pipeline; return whether every stage succeeded and what they said."""
    text, log, passed = "", "", True
    for stage in stages:
        code, text, errors = _run_stage(stage, text)
        log += errors
        passed = passed and (code == 0) != stage.negated
    return passed, log + ("" if passed else text)


def _run_stage(stage: Stage, text: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error of a program that reads ``text``."""
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")
    output = io.StringIO()
    errors = output if stage.merges_errors else io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            code = stage.run(stage.arguments)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        except BaseException:
            traceback.print_exc()
            code = 1
    return code, output.getvalue(), "" if stage.merges_errors else errors.getvalue()


def _forked(work: Callable[[], tuple[bool, str]]) -> tuple[bool, str]:
    """Return what ``work`` returns in a forked process, which nothing it does can outlive."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        import signal

        signal.alarm(TIMEOUT_SECONDS)
        passed, log = work()
        with os.fdopen(writing, "w") as pipe:
            pipe.write(f"{int(passed)}{log}")
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if status != 0 or not answer:
        return False, f"the process ended with status {status} (14: after {TIMEOUT_SECONDS} s)"
    return answer[0] == "1", answer[1:]
