"""Runs seeded bugs, each in a copy of the source, and says which of them verification catches."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from mutant import Mutant
from trial import Trial

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("dlc", "dialects", "passes", "tools")
SECONDS = 600
"""The most that the trials of one mutant may take."""


@dataclass(frozen=True)
class Result:
    """What became of a mutant for one target.

    verdict: ``caught``, ``missed``, ``no effect`` (it is no bug for these models) or ``stopped``
    (nothing is compiled, with or without verification).
    """

    mutant: str
    area: str
    target: str
    verdict: str
    effect: str
    message: str


def run_campaign(mutants: Sequence[Mutant], targets: Sequence[str], jobs: int) -> Iterator[Result]:
    """Yield the results of all mutants in order, ``jobs`` at a time."""
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):
            copies.put(copy_source(Path(folder, str(number))))

        def run(mutant: Mutant) -> list[Result]:
            copy = copies.get()
            try:
                return list(run_mutant(mutant, targets, copy))
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(jobs) as pool:
            for results in pool.map(run, mutants):
                yield from results


def copy_source(folder: Path) -> Path:
    """Copy what a compile reads, with compiled modules, and return the folder."""
    for name in SOURCES:
        shutil.copytree(ROOT / name, folder / name, symlinks=True)
    return folder


def run_mutant(mutant: Mutant, targets: Sequence[str], copy: Path) -> Iterator[Result]:
    """Try a mutant in a copy of the source."""
    own = [target for target in targets if target in mutant.targets]
    pairs = [[model, target] for target in own for model in mutant.models]
    with changed(mutant, copy):
        trials = _try(pairs, copy)
    for target in own:
        yield _result(mutant, target, [t for t in trials if t.target == target])


@contextmanager
def changed(mutant: Mutant, copy: Path) -> Generator[None]:
    """Let a copy of the source have the bug."""
    path = copy / mutant.file
    text, times = path.read_text(), path.stat()
    path.write_text(mutant.change(text))
    os.utime(path, (times.st_atime, times.st_mtime + 10))  # its compiled module is not used
    try:
        yield
    finally:
        path.write_text(text)
        os.utime(path, (times.st_atime, times.st_mtime))


def _try(pairs: Sequence[Sequence[str]], copy: Path) -> list[Trial]:
    here = ROOT / "test"
    folders = (copy, here / "fuzz", here / "mutation")
    with tempfile.TemporaryDirectory() as cache:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([*map(str, folders), *filter(None, sys.path)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "DLC_CACHE_GB": "0",
            "DLC_CACHE_DIR": cache,
        }
        try:
            done = subprocess.run(
                [sys.executable, str(here / "mutation" / "trial.py")],
                input=json.dumps(pairs),
                env=environment,
                cwd=copy,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return [Trial(*pair, stopped=f"took more than {SECONDS} s") for pair in pairs]
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        return [Trial(*pair, stopped=str(*last)) for pair in pairs]
    return [Trial(**trial) for trial in json.loads(done.stdout)]


def _result(mutant: Mutant, target: str, trials: Sequence[Trial]) -> Result:
    effects = [t for t in trials if t.effect]
    caught = next((t for t in trials if t.caught), None)
    stopped = next((t.stopped for t in trials if t.stopped), "")
    if caught:
        verdict, message, effects = "caught", caught.caught, [caught]
    elif effects:
        verdict, message = "missed", ""
    else:
        verdict, message = ("stopped", stopped) if stopped else ("no effect", "")
    effect = next((f"{t.model}: {t.effect}" for t in effects), "")
    return Result(mutant.name, mutant.area, target, verdict, effect, message)
