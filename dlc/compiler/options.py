"""What a user may choose about a compile."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from importlib.util import find_spec
from math import inf
from numbers import Integral, Real
from pathlib import Path
from typing import cast

import numpy as np
from onnx import ModelProto

from dlc import libraries
from dlc.core.weights import Array
from dlc.errors import CompileError
from dlc.frontends.onnx.shapes import Shapes
from dlc.option_text import option
from dlc.runtime.comparison import Tolerance

PRECISIONS = ("fp32", "tf32", "fp16", "bf16")
WEIGHTS = ("embed", "file")
SEARCHES = ("beam", "dp", "evolve", "greedy")
DEFAULT_SEARCH = "greedy"
TEXT_BACKENDS = ("cuda", "c")
VERIFICATIONS = ("quick", "full", "onnxruntime", "off")
IMPORT = "import"
LEVELS = (IMPORT, "graph", "fused-group", "loop", "gpu", *TEXT_BACKENDS)
"""What ``--emit`` takes, from the model to the text of kernels."""


@dataclass(frozen=True)
class Options:
    """Options of ``dlc.compile``.

    target: ``cpu`` (this machine's), a CPU with certain instructions (``cpu-avx2``; a row of
    ``dlc/arch/cpus.py``), or GPUs as ``sm_80,sm_90a``; ``None``: the GPU found, else ``cpu``.
    precision: of ``f32`` tensors and products. shapes: sizes of inputs by name (or one size, in a
    list or not, by the name of a symbolic size). constants: values of inputs that are compiled in.
    weights: in the artifact (``embed``) or in a ``file`` beside it. weights_from: where the source
    is IR (a ``.mlir`` file), the model that it was made of, or its weights by symbol. verify: how
    the result is checked: ``quick`` (or true) in about the time of the compile, ``full`` on all
    that there is to check however long it takes, ``onnxruntime`` as ``quick`` and the whole model
    against ONNX Runtime, ``off`` (or false) not at all. verify_inputs, verify_outputs: inputs by
    name on which the model is checked too, and what it should give for them. rtol, atol: an element
    of an output may be off by ``atol + rtol * |wanted|``, in place of the bounds from rounding
    errors. tune: measure schedules, where this machine has the target; for so many seconds, or true
    for as long as it takes; 0 takes only what is in the database. lock: the file to write the
    choices to. locked: the lock file whose choices are taken; nothing is measured. search: how ops
    are divided into kernels: ``greedy`` (the default), ``beam``, ``dp`` or ``evolve``, which goes
    by measured times where ``tune`` is given. search_budget: after so many seconds all but
    ``greedy`` take the best that they have, at least that of ``greedy``, which runs to its end;
    what is found then depends on the speed of the machine, and a lock keeps it. libraries: those
    that may compute groups, where a model finds them when it is loaded (``dlc/libraries``); the
    kernels that else run are in the artifact, too. jobs: compilers at a time, by default one per
    core. progress: is told what is being done.
    """

    target: str | None = None
    precision: str = "fp32"
    shapes: Shapes | None = None
    constants: Mapping[str, Array] | None = None
    weights: str = "embed"
    weights_from: str | Path | ModelProto | Mapping[str, Array] | None = None
    verify: bool | str = "quick"
    verify_inputs: Mapping[str, Array] | None = None
    verify_outputs: Mapping[str, Array] | None = None
    rtol: float | None = None
    atol: float | None = None
    tune: bool | float | None = None
    lock: str | Path | None = None
    locked: str | Path | None = None
    search: str | None = None
    search_budget: float | None = None
    libraries: Sequence[str] = ()
    jobs: int | None = None
    progress: Callable[[str], None] = field(default=lambda _: None)

    def check(self) -> None:
        """Raise CompileError for a value that is none of those allowed."""
        _check_type("target", self.target, str)
        _check_type("jobs", self.jobs, int)
        _check_type("shapes", self.shapes, Mapping)
        _check_arrays("constants", self.constants)
        _check_choice("precision", self.precision, PRECISIONS)
        _check_choice("weights", self.weights, WEIGHTS)
        self._check_verification()
        self._check_tuning()
        self._check_search()
        self._check_libraries()
        for name, sizes in (self.shapes or {}).items():
            if not _are_sizes(sizes):
                raise CompileError(
                    f"shapes[{name!r}] is {sizes!r}; give a list of integers, or one integer"
                )
        if self.jobs is not None and self.jobs < 1:
            raise CompileError(f"jobs is {self.jobs}; give 1 or more")

    def _check_verification(self) -> None:
        _check_choice("verify", self.verification, VERIFICATIONS)
        if self.verification == "onnxruntime" and find_spec("onnxruntime") is None:
            raise CompileError(
                "verify 'onnxruntime' needs the package onnxruntime, which is not installed; "
                "install it with pip install onnxruntime"
            )
        _check_arrays("verify_inputs", self.verify_inputs)
        _check_arrays("verify_outputs", self.verify_outputs)
        if self.verify_outputs is not None and self.verify_inputs is None:
            raise CompileError(
                f"{option('verify-outputs')} needs {option('verify-inputs')}, the inputs that "
                "give them"
            )
        for name, value in (("rtol", self.rtol), ("atol", self.atol)):
            _check_type(name, value, Real)
            if value is not None and not 0 <= value < inf:
                raise CompileError(f"{name} is {value}; give a number of 0 or more")
        wishes = (self.verify_inputs, self.rtol, self.atol)
        if self.verification == "off" and any(x is not None for x in wishes):
            raise CompileError("verify is off; inputs and tolerances have no effect without it")

    def _check_tuning(self) -> None:
        _check_type("tune", self.tune, Real)
        _check_path("lock", self.lock)
        _check_path("locked", self.locked)
        if self.tune is not None and not self.tune >= 0:
            raise CompileError(f"tune is {self.tune}; give seconds, 0 or more")
        if self.tune_seconds is not None and self.locked is not None:
            raise CompileError(
                f"{option('locked')} takes the schedules of the lock file; {option('tune')} has no "
                "effect with it"
            )

    def _check_search(self) -> None:
        if self.search is not None:
            _check_choice("search", self.search, SEARCHES)
        _check_type("search_budget", self.search_budget, Real)
        if self.search_budget is None:
            return
        if not 0 <= self.search_budget < inf:
            raise CompileError(f"search_budget is {self.search_budget}; give seconds, 0 or more")
        if self.search in (None, "greedy"):
            raise CompileError(
                f"{option('search-budget')} has no effect on the search greedy, which is quick; "
                f"give {option('search')} beam, dp or evolve with it"
            )
        if self.locked is not None:
            raise CompileError(
                f"{option('locked')} is for the same groups each time, and what is found within "
                f"{option('search-budget')} depends on the speed of the machine; leave out "
                "one of them"
            )

    def _check_libraries(self) -> None:
        _check_type("libraries", self.libraries, Sequence)
        if isinstance(self.libraries, str):
            raise CompileError(f"libraries is {self.libraries!r}; give a list of names")
        libraries.check_names(self.libraries)

    @property
    def fusion(self) -> str:
        """The options of the pass ``fuse`` that say how to search."""
        search = f"search={self.search or DEFAULT_SEARCH}"
        budget = "" if self.search_budget is None else f" budget={self.search_budget}"
        return search + budget + self.calling

    @property
    def calling(self) -> str:
        """The options of ``fuse`` and ``tile`` that say which libraries may be called."""
        return f" libraries={','.join(self.libraries)}" if self.libraries else ""

    @property
    def tune_seconds(self) -> float | None:
        """How long to measure, without an end perhaps; ``None``: not at all, by the model."""
        if self.tune is None or self.tune is False:
            return None
        return inf if self.tune is True else float(self.tune)

    def show_detail(self, text: str) -> None:
        """Show what changes often, where ``progress`` has a place for it (``progress.detail``)."""
        getattr(self.progress, "detail", lambda _: None)(text)

    @property
    def verification(self) -> str:
        """How the result is checked, one of ``VERIFICATIONS``."""
        names: Mapping[object, str] = {True: "quick", False: "off"}
        return names.get(self.verify, str(self.verify))

    @property
    def is_checked_as_usual(self) -> bool:
        """Whether what was found for the same artifact before is all that is asked for."""
        usual = self.verification != "onnxruntime" and self.verify_inputs is None
        return usual and self.tolerance is None

    @property
    def budget_factor(self) -> float:
        """How much more than the ordinary is verified."""
        return inf if self.verification == "full" else 1.0

    @property
    def tolerance(self) -> Tolerance | None:
        """The user's own tolerance, if there is one."""
        if self.rtol is None and self.atol is None:
            return None
        return Tolerance(self.rtol or 0.0, self.atol or 0.0)

    @property
    def job_count(self) -> int:
        """How many compilers run at a time."""
        return self.jobs or len(os.sched_getaffinity(0))


def _check_type(what: str, value: object, kind: type) -> None:
    if value is not None and not isinstance(value, kind):
        name = {"Real": "a number", "str": "a string"}.get(kind.__name__, kind.__name__.lower())
        raise CompileError(f"{what} is {value!r}, expected {name}")


def _check_path(what: str, value: object) -> None:
    if value is not None and not isinstance(value, str | Path):
        raise CompileError(f"{what} is {value!r}, expected a path")


def _check_arrays(what: str, value: object) -> None:
    _check_type(what, value, Mapping)
    for name, array in cast("Mapping[str, object]", value or {}).items():
        if not isinstance(array, np.ndarray | np.generic):
            raise CompileError(
                f"{what}[{name!r}] is {array!r}; give a numpy array, such as np.array(5)"
            )


def check_names(given: Iterable[str]) -> None:
    """Raise TypeError, as Python does, when an option of ``dlc.compile`` is none."""
    known = [each.name for each in fields(Options)]
    for name in given:
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
            raise TypeError(f"dlc.compile has no option {name!r}; {hint}")


def _are_sizes(value: object) -> bool:
    sizes = cast("Sequence[object]", value) if isinstance(value, Sequence) else [value]
    return all(isinstance(size, Integral) for size in sizes)


def _check_choice(what: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise CompileError(f"{what} {value!r} is unknown; give {', '.join(allowed)}")
