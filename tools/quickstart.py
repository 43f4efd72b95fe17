"""Compiles a real model and lets it name the types of this repository's files: a first run of dlc.

Exit code 0: compiled, verified, and the files whose suffix tells their type were recognised.
"""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import dlc
from dlc.compiler import Options, Outcome, compile_to
from dlc.compiler.emission import emit
from dlc.compiler.outcome import Report
from dlc.errors import CompileError
from dlc.runtime.model import Model
from dlc.tools import _magika
from dlc.tools._command import SUCCESS, run_command

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "build" / "quickstart"
GPU = "sm_90a"
BATCH = 16

KNOWN = {".py": "python", ".md": "markdown", ".toml": "toml", ".yaml": "yaml", ".c": "c"}
"""The type that a suffix tells for sure."""

REQUIRED = 0.9
"""The share of files with a known suffix that must be named right; Magika's own is about 0.99 on
files of its test set, and short files are hard."""


def main() -> int:
    """Run the quickstart and return its exit code."""
    return run_command("quickstart", _run)


def _run() -> int:
    source, labels = _magika.fetch(OUTPUT)
    shapes = {"bytes": [BATCH, 2048]}
    artifact = OUTPUT / "magika.so"
    start = time.perf_counter()
    outcome = compile_to(artifact, source, Options("cpu", shapes=shapes))
    compiled_s = time.perf_counter() - start
    model = dlc.load(artifact)
    files = list(_repository_files())
    start = time.perf_counter()
    names = _classify(model, labels, files)
    named_s = time.perf_counter() - start
    right, known = _score(files, names)
    print(_summary(artifact, outcome, compiled_s, files, names, named_s))
    print(f"{right} of {known} files with a telling suffix were named right")
    print(_compile_for_gpu(source, shapes))
    if right < REQUIRED * known:
        raise CompileError(f"only {right} of {known} files were named right")
    return SUCCESS


def _repository_files() -> Iterator[Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in done.stdout.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file() and not path.is_symlink() and path.stat().st_size >= 64:
            yield path


def _classify(model: Model, labels: Sequence[str], files: Sequence[Path]) -> list[str]:
    (name,) = (tensor.name for tensor in model.inputs)
    names: list[str] = []
    for first in range(0, len(files), BATCH):
        batch = np.full((BATCH, 2048), 0, np.int32)
        part = files[first : first + BATCH]
        for row, path in enumerate(part):
            batch[row] = _magika.features(path.read_bytes())
        (scores,) = model.run({name: batch}).values()
        names += _names(scores[: len(part)], labels)
    return names


def _names(scores: NDArray[np.float32], labels: Sequence[str]) -> list[str]:
    return [labels[int(best)] for best in scores.argmax(axis=1)]


def _score(files: Sequence[Path], names: Sequence[str]) -> tuple[int, int]:
    expected = [(KNOWN.get(path.suffix), name) for path, name in zip(files, names, strict=True)]
    told = [(want, name) for want, name in expected if want is not None]
    return sum(want == name for want, name in told), len(told)


def _summary(
    artifact: Path,
    outcome: Outcome,
    compiled_s: float,
    files: Sequence[Path],
    names: Sequence[str],
    named_s: float,
) -> str:
    cached = f", {text}" if (text := outcome.cached_text()) else ""
    counts = ", ".join(f"{n} {name}" for name, n in Counter(names).most_common(5))
    return "\n".join(
        [
            f"compiled Magika (214 file types, real weights) in {compiled_s:.1f} s{cached}",
            f"  {artifact.relative_to(ROOT)}: {artifact.stat().st_size / 1e6:.1f} MB,"
            f" {outcome.launches_text()}; {outcome.checked}",
            f"named the types of {len(files)} files of this repository in {named_s:.2f} s"
            f" ({1e3 * named_s / max(1, len(files)):.2f} ms each): {counts}",
        ]
    )


def _compile_for_gpu(source: Path, shapes: dict[str, list[int]]) -> str:
    """Compile the model for a GPU, be there one or not, write its CUDA, and say what came of it."""
    artifact, cuda = OUTPUT / f"magika-{GPU}.so", OUTPUT / f"magika-{GPU}.cu"
    options = Options(GPU, "fp16", shapes=shapes)
    start = time.perf_counter()
    outcome = compile_to(artifact, source, options)
    compiled_s = time.perf_counter() - start
    cuda.write_text(emit(source, options, "cuda"))
    groups = {each["group"]: each for each in outcome.report["variants"][0]["kernels"]}
    kernels = groups.values()
    largest, total = max(kernels, key=_least_us), sum(map(_least_us, kernels))
    return "\n".join(
        [
            f"compiled it for {GPU} in fp16 in {compiled_s:.1f} s: {artifact.relative_to(ROOT)}",
            f"  {outcome.launches_text()}; {outcome.checked}",
            f"  largest group: {largest['name']}, at least {_least_us(largest):.1f} of"
            f" {total:.1f} us by the model of the chip; its CUDA is the function"
            f" {largest['name']} in {cuda.relative_to(ROOT)}",
        ]
    )


def _least_us(kernel: Report) -> float:
    """Return the time that the architecture model predicts for the group of a kernel."""
    return kernel["bound"].get("time_us", 0.0)


if __name__ == "__main__":
    sys.exit(main())
