"""What a user may choose about a compile."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import cast

from onnx import ModelProto

from dlc.core.weights import Array
from dlc.errors import CompileError
from dlc.frontends.onnx.shapes import Shapes

PRECISIONS = ("fp32", "tf32", "fp16", "bf16")
WEIGHTS = ("embed", "file")
TEXT_BACKENDS = ("cuda", "c")
IMPORT = "import"
LEVELS = (IMPORT, "graph", "fused-group", "loop", "gpu", *TEXT_BACKENDS)
"""What ``--emit`` takes, from the model to the text of kernels."""


@dataclass(frozen=True)
class Options:
    """Options of ``dlc.compile``.

    target: ``cpu`` (this machine's), a CPU with certain instructions (``cpu-avx512``, ``cpu-avx2``,
    ``cpu-generic``), or GPUs as ``sm_80,sm_90a``; ``None``: the GPU found, else ``cpu``.
    precision: of ``f32`` tensors and products. shapes: sizes of inputs by name (or one size, in a
    list or not, by the name of a symbolic size). constants: values of inputs that are compiled in.
    weights: in the artifact (``embed``) or in a ``file`` beside it. weights_from: where the source
    is IR (a ``.mlir`` file), the model that it was made of, or its weights by symbol. verify: run
    the result against the reference. jobs: compilers at a time, by default one per core. progress:
    is told what is being done.
    """

    target: str | None = None
    precision: str = "fp32"
    shapes: Shapes | None = None
    constants: Mapping[str, Array] | None = None
    weights: str = "embed"
    weights_from: str | Path | ModelProto | Mapping[str, Array] | None = None
    verify: bool = True
    jobs: int | None = None
    progress: Callable[[str], None] = field(default=lambda _: None)

    def check(self) -> None:
        """Raise CompileError for a value that is none of those allowed."""
        _check_type("target", self.target, str)
        _check_type("jobs", self.jobs, int)
        _check_type("shapes", self.shapes, Mapping)
        _check_choice("precision", self.precision, PRECISIONS)
        _check_choice("weights", self.weights, WEIGHTS)
        for name, sizes in (self.shapes or {}).items():
            if not _are_sizes(sizes):
                raise CompileError(
                    f"shapes[{name!r}] is {sizes!r}; give a list of integers, or one integer"
                )
        if self.jobs is not None and self.jobs < 1:
            raise CompileError(f"jobs is {self.jobs}; give 1 or more")

    @property
    def job_count(self) -> int:
        """How many compilers run at a time."""
        return self.jobs or len(os.sched_getaffinity(0))


def _check_type(what: str, value: object, kind: type) -> None:
    if value is not None and not isinstance(value, kind):
        raise CompileError(f"{what} is {value!r}, expected {kind.__name__.lower()}")


def _are_sizes(value: object) -> bool:
    sizes = cast("Sequence[object]", value) if isinstance(value, Sequence) else [value]
    return all(isinstance(size, Integral) for size in sizes)


def _check_choice(what: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise CompileError(f"{what} {value!r} is unknown; give {', '.join(allowed)}")
