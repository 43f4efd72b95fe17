"""Mutations of IR text, and what must hold of ``dlc-opt`` on any text."""

import io
import random
import re
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from child_process import Ending, Stage

from dlc.tools import dlc_opt
from dlc.tools._command import INTERNAL_ERROR

_TOKEN = re.compile(
    r'"[^"\n]*"|[A-Za-z_@%#][\w.$@-]*|\d+(?:\.\d+)?(?:e[+-]?\d+)?|->|\s+|.', re.DOTALL
)
NUMBERS = (
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "33",
    "1024",
    "65536",
    "2147483648",
    "9223372036854775807",
)
TYPES = ("f32", "f16", "bf16", "f64", "i1", "i8", "i32", "i64", "index", "ui8")
PIPELINES = (
    ["--optimize-graph"],
    ["--fuse=arch=sm_90a", "--tile=arch=sm_90a", "--lower-to-loop", "--lower-to-gpu=arch=sm_90a"],
    ["--fuse=arch=host", "--tile=arch=host", "--lower-to-loop", "-t", "c"],
)


@dataclass(frozen=True)
class TextCase:
    """A text and the flags with which it is read."""

    flags: tuple[str, ...]
    text: str


def text_seeds(folder: Path) -> Iterator[TextCase]:
    """Yield the inputs of the repository's own tests with the flags they are run with."""
    for path in sorted(folder.rglob("*.mlir")):
        text = path.read_text()
        for line in re.findall(r"// RUN: dlc-opt (.*)", text):
            words = line.split("|")[0].replace("%s", "").split()
            if not {"<", ">", "2>&1", "&&"} & set(words) and not any("%" in w for w in words):
                yield TextCase(tuple(words), re.sub(r"(?m)^\s*// .*\n", "", text))


def mutate_text(seed: TextCase, r: random.Random) -> TextCase:
    """Return the case with some tokens changed, and at times other flags."""
    tokens: list[str] = _TOKEN.findall(seed.text)
    for _ in range(r.choice([1, 1, 2, 4])):
        _change(tokens, r)
    flags = seed.flags if r.random() < 0.8 else tuple(r.choice(PIPELINES))
    return TextCase(flags, "".join(tokens))


def _change(tokens: list[str], r: random.Random) -> None:
    at = r.randrange(len(tokens)) if tokens else None
    if at is None:
        return
    numbers = [i for i, t in enumerate(tokens) if t.isdigit()]
    types = [i for i, t in enumerate(tokens) if t in TYPES]
    names = [i for i, t in enumerate(tokens) if t.startswith("%")]
    change = r.randrange(8)
    if change < 3 and numbers:
        tokens[r.choice(numbers)] = r.choice(NUMBERS)
    elif change == 3 and types:
        tokens[r.choice(types)] = r.choice(TYPES)
    elif change == 4 and names:
        tokens[r.choice(names)] = tokens[r.choice(names)]
    elif change == 5:
        del tokens[at : at + r.choice([1, 1, 2, 9])]
    elif change == 6:
        other = r.randrange(len(tokens))
        tokens[at], tokens[other] = tokens[other], tokens[at]
    else:
        tokens[at:at] = tokens[at : at + r.choice([1, 2, 9])]


def check_text(case: TextCase, stage: Stage) -> Ending:
    """Run ``dlc-opt``: it gives an output, or says what is wrong."""
    stage("dlc-opt")
    errors = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "input.mlir")
        path.write_text(case.text)
        try:
            with redirect_stdout(io.StringIO()), redirect_stderr(errors):
                code = dlc_opt.main([*case.flags, str(path)])
        except SystemExit as end:
            code = end.code
    said = errors.getvalue()
    if code == INTERNAL_ERROR or "Traceback" in said:
        found = re.search(r"internal error: (.*)", said)
        return Ending("internal error", _kind(found[1] if found else said), said[-1500:])
    if code not in (0, 1, 2) or (code and not said.strip()):
        return Ending("exit code", str(code), said[-1500:])
    return Ending("refused" if code else "ok", text=said[-300:])


def _kind(message: str) -> str:
    """Return a message without its numbers and names: the same for the same fault."""
    return re.sub(r"[%@]\w+|-?\d+|'[^']*'|\"[^\"]*\"", "_", message)[:80]
