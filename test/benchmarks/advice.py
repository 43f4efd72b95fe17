"""Follows the advice of ``dlc-analyze`` and times both sides of it, in one run on one machine.

    python test/benchmarks/advice.py squeezenet1.1.onnx --shape N=1   # the GPU if any, else the CPU
    python test/benchmarks/advice.py m.onnx --libraries cudnn,cublaslt --tune 120 --json a.json

For each answer it prints what the analysis promises, what came of it, and their ratio:

* Q2: the steps of a compile one after the other, and as they run;
* Q3: a compile with the algorithms that libraries advise, and one with the options of the advice;
* Q5: a compile in which layers share no kernel, and the whole compile, by the times of steps;
* Q6: a compile in fp32, and one with the options of the advice;
* joint: a compile in which layers share no kernel, its steps one after the other, and a run of the
  compile with the options of the advice.

With ``--tune`` promises come from measured times of kernels, else from estimates.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unfused import unfused

from dlc.analyze import analyze
from dlc.compiler.driver import compile_to
from dlc.compiler.options import Options
from dlc.errors import CompileError
from dlc.runtime.model import load
from dlc.runtime.profile import Profile, profile
from dlc.runtime.random_inputs import random_feeds
from dlc.tools._model_arguments import shape

_SECONDS = 1.0
"""Of each artifact."""


@dataclass
class Followed:
    """Compiles a model in every way that its advice names, and times what comes of it."""

    path: Path
    options: Options
    folder: Path
    alone: float | None = None

    def report(self) -> dict[str, Any]:
        """Return the analysis."""
        return analyze(self.path, replace(self.options, verify="off"))

    def timed(self, **changed: Any) -> Profile:
        """Return the times of a compile with some options changed."""
        options = replace(self.options, **{"tune": None, "verify": "off", **changed})
        made = self.folder / f"{len(list(self.folder.iterdir()))}.so"
        compile_to(made, self.path, options)
        model = load(made)
        return profile(model, random_feeds(model), _SECONDS)

    def alone_us(self, tune: bool) -> float:
        """Return what our kernels take of all layers, one after the other; timed once."""
        if self.alone is None:
            with unfused(joins_nodes=False):
                self.alone = self.steps_us(libraries=(), tune=tune or None)
        return self.alone

    def steps_us(self, **changed: Any) -> float:
        """Return what the steps of a compile take, one after the other."""
        return 1e6 * sum(self.timed(**changed).steps)

    def run_us(self, **changed: Any) -> float:
        """Return what a run of a compile takes."""
        return 1e6 * self.timed(**changed).run.median

    def gained_us(self, advice: dict[str, Any]) -> float | None:
        """Return what comes of advice, ``None`` where no compile follows it."""
        if (options := advice["options"]) is None:
            return None
        before, after = ({**x, "tune": options["tune"] or None} for x in ({}, options))
        match advice["question"]:
            case "Q2":
                found = self.timed(**after)
                return 1e6 * (found.line.median - found.run.median)
            case "Q3":
                return self.steps_us() - self.steps_us(**after)
            case "Q5":
                return self.alone_us(options["tune"]) - self.steps_us(**after)
            case "Q6":
                return self.run_us(**before) - self.run_us(**after)
            case "joint":
                return self.alone_us(options["tune"]) - self.run_us(**after)
            case _:
                return None


def follow(path: Path, options: Options) -> Iterator[dict[str, Any]]:
    """Yield what each answer promises and what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        followed = Followed(path, options, Path(folder))
        for advice in followed.report()["advice"]:
            facts = {"model": path.name, "question": advice["question"], "text": advice["text"]}
            promised_us = advice["gain_us"]
            try:
                gained_us = followed.gained_us(advice)
            except CompileError as error:
                yield {**facts, "promised_us": promised_us, "error": str(error)}
                continue
            ratio = None if gained_us is None else gained_us / promised_us
            yield {**facts, "promised_us": promised_us, "gained_us": gained_us, "ratio": ratio}


def main() -> None:
    """Follow the advice for each model that is given."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--target")
    parser.add_argument("--shape", type=shape, action="append", metavar="NAME=1,3,224,224")
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--libraries", default="")
    parser.add_argument("--tune", type=float, metavar="SECONDS", help="measure for the promises")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    libraries = tuple(filter(None, given.libraries.split(",")))
    options = Options(
        given.target,
        given.precision,
        shapes=dict(given.shape or ()),
        libraries=libraries,
        tune=given.tune,
    )
    found: list[dict[str, Any]] = []
    for path in given.models:
        for each in follow(path, options):
            found.append(each)
            print(json.dumps(each), flush=True)
            if given.json:
                given.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
