"""Compares outputs with what others give: ONNX Runtime, the user."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.entry import find_main, input_names, output_names, returned
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.frontends.onnx.loading import ModelSource
from dlc.ir.tensor import element_type, numpy_dtype, shape
from dlc.oracle import check_feeds
from dlc.runtime.comparison import Tolerance, check_comparable, compare
from dlc.runtime.library import TensorInfo
from dlc.verification.dispute import Arrays, Dispute, Run
from dlc.verification.evidence import Evidence, Silence
from dlc.verification.judge import Judge
from dlc.verification.onnx_reference import run_onnx_reference


@dataclass
class Compared:
    """What was compared. what: with what; cases: on which inputs; worst: the largest error met,
    relative to an output's largest value; allowed: how far it might have been off; silence: the
    outputs that told nothing; whose: what was compared, where that is not the artifact; disputed:
    by case on which the other side is wrong, how that was seen.
    """

    what: str
    allowed: str
    cases: list[str] = field(default_factory=list[str])
    worst: float = 0.0
    silence: Silence = field(default_factory=Silence)
    whose: str = ""
    disputed: dict[str, str] = field(default_factory=dict[str, str])

    def text(self) -> str:
        """Return a phrase for the user."""
        if self.disputed and not self.cases:
            return (
                f"not compared with {self.what}, which is wrong on {', '.join(self.disputed)} input"
            )
        names = ", ".join(self.cases)
        error = self.silence.text(f"error {self.worst:.1e}, {self.allowed}")
        return f"{self.whose} compared with {self.what} on {names} input, {error}".lstrip()

    def warnings(self) -> list[str]:
        """Return a line for the user for each case that was not compared."""
        return [
            f"{self.what} is wrong on {case} input, which was not compared: {how}"
            for case, how in self.disputed.items()
        ]


def compare_outputs(
    what: str,
    judge: Judge,
    cases: Iterable[tuple[str, Arrays]],
    run: Run,
    wanted: Run,
    tolerance: Tolerance | None,
    whose: str = "",
    arbiter: Run | None = None,
) -> Compared:
    """Compare the outputs of ``run`` with those of ``wanted`` on each of the cases.

    Within ``tolerance``, else as ``judge`` compares outputs with its reference. Raises CompileError
    for outputs that are further off, and for wanted ones that are none of the model. arbiter: says
    who is right where they are further off than the bound; it may raise NoReferenceError.
    """
    allowed = str(tolerance) if tolerance else f"bound {judge.bound:.1e}"
    found = Compared(what, allowed, whose=whose)
    evidence = Evidence(judge.module)
    for case, feeds in cases:
        got, right = run(feeds), wanted(feeds)
        check_comparable(got, right)
        errors = _errors(judge, feeds, got, right, tolerance)
        dispute = Dispute(judge, feeds, got, right)
        if tolerance is None and arbiter and (how := dispute.others_are_wrong(errors, arbiter)):
            found.disputed[case] = how
            continue
        evidence.add(right)
        for name, error in errors.items():
            found.worst = max(found.worst, error)
            if tolerance:
                _check_elements(name, got[name], right[name], tolerance, f"{case} input, {what}")
            elif not error <= judge.bound:
                raise CompileError(
                    f"verification failed: output {name!r} is off by {error:.1e} of its largest "
                    f"value on {case} input from {what}, bound {judge.bound:.1e}"
                )
        found.cases.append(case)
    found.silence = evidence.silence
    return found


def _errors(
    judge: Judge, feeds: Arrays, got: Arrays, right: Arrays, tolerance: Tolerance | None
) -> Mapping[str, float]:
    if tolerance is None:
        return judge.errors(feeds, got, {**got, **right})
    return {name: compare(got[name], right[name], tolerance).absolute for name in right}


def _check_elements(name: str, got: Array, wanted: Array, tolerance: Tolerance, where: str) -> None:
    found = compare(got, wanted, tolerance)
    if found.mismatches:
        raise CompileError(
            f"verification failed: output {name!r} on {where}: {found} ({tolerance})"
        )


def check_given(module: ModuleOp, inputs: Arrays, outputs: Arrays | None) -> None:
    """Raise CompileError when inputs are not those of a model, or outputs are none of it."""
    check_feeds(module, inputs)
    main = find_main(module)
    results = returned(main.body.block)
    names = output_names(main)
    types = {
        name: np.broadcast_to(np.zeros((), numpy_dtype(element_type(x))), shape(x))
        for name, x in zip(names, results, strict=True)
    }
    if outputs is not None:
        check_comparable(types, outputs)


def model_inputs(module: ModuleOp) -> list[TensorInfo]:
    """Return the arguments of ``main``."""
    main = find_main(module)
    names = input_names(main)
    return [
        TensorInfo(name, numpy_dtype(element_type(x)), shape(x))
        for name, x in zip(names, main.args, strict=True)
    ]


def onnx_reference(source: ModelSource, constants: Arrays) -> Run:
    """Return what runs the file in ONNX's own reference implementation."""

    def run(feeds: Arrays) -> Arrays:
        model = source if isinstance(source, onnx.ModelProto) else onnx.load(source)
        known = {**feeds, **constants}
        given = {x.name: np.asarray(known[x.name]) for x in model.graph.input if x.name in known}
        results = run_onnx_reference(model, given)
        return dict(zip([x.name for x in model.graph.output], results, strict=True))

    return run


def onnx_runtime(source: ModelSource, constants: Arrays) -> Run:
    """Return what runs the file in ONNX Runtime; raises CompileError when that cannot read it."""
    import onnxruntime

    options: Any = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    model = source.SerializeToString() if isinstance(source, onnx.ModelProto) else str(source)

    def guarded(act: Callable[[], Any]) -> Any:
        try:
            return act()
        except Exception as error:  # its own exceptions have no base of their own
            reason = " ".join(str(error).split())[:200]
            raise CompileError(f"ONNX Runtime cannot run the model: {reason}") from error

    session: Any = guarded(lambda: onnxruntime.InferenceSession(model, options))
    names = [x.name for x in session.get_inputs()]
    outputs = [x.name for x in session.get_outputs()]

    def run(feeds: Arrays) -> Arrays:
        known = {**feeds, **constants}
        given = {n: np.asarray(known[n]) for n in names}  # it takes no scalars of numpy
        results = guarded(lambda: session.run(None, given))
        return dict(zip(outputs, map(np.asarray, results), strict=True))

    return run
