"""Decides whether the outputs of a compiled model are those that the model means."""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.dialects.graph.composite import decompose_composites
from dlc.dialects.graph.structure import Array, CompositeOp
from dlc.oracle import Noise, run_reference
from dlc.verification.error_bound import error_bound, relative_error
from dlc.verification.evidence import Evidence
from dlc.verification.hidden_keys import HiddenKeys
from dlc.verification.miscompile import MiscompileError
from dlc.verification.reference import Reference
from dlc.verification.rounding_noise import Run, errors_beyond, finite_elements, shares_hidden
from dlc.verification.value_range import check_range, check_underflow


class Judge:
    """Compares outputs with a reference.

    Nothing that a pass has made of the graph is asked: a fault of a pass would excuse itself.
    runs: how often the reference ran for the last outputs. hidden: by name, of those that have
    numbers, the share of these that rounding errors hide (``rounding_noise``). evidence: what the
    outputs were that others were compared with.
    """

    def __init__(self, reference: Reference, precision: str):
        self.reference = reference
        self.module = reference.module
        self.weights = reference.weights
        self.precision = precision
        self.bound = error_bound(self.module, precision)
        self.evidence = Evidence(self.module)
        self.measured_noise = False
        self.runs = 1
        self.hidden: dict[str, float] = {}

    def check(self, feeds: Mapping[str, Array], got: Mapping[str, Array], case: str) -> float:
        """Return the largest error of the outputs ``got`` of a run on ``feeds``.

        case: the name of the inputs, for messages. Raises MiscompileError when it is above the
        bound, RangeError when the values of the model itself do not fit into the precision.
        """
        errors = self.errors(feeds, got)
        if self._any_beyond(errors):  # the model itself may be at fault
            for check in (check_range, check_underflow):
                check(self.module, feeds, self.weights, self.precision, case)
        for name, error in errors.items():
            if not error <= self.bound:
                raise MiscompileError(
                    f"output {name!r} is off by {error:.1e} of its largest value on {case} input, "
                    f"bound {self.bound:.1e}"
                )
        return max(errors.values(), default=0.0)

    def errors(
        self,
        feeds: Mapping[str, Array],
        got: Mapping[str, Array],
        wanted: Mapping[str, Array] | None = None,
    ) -> dict[str, float]:
        """Return the errors of outputs by name; where one is above the bound, those that rounding
        errors do not explain. wanted: what they should be, by default what the reference gives.
        """
        self.runs = 1
        if wanted is None:
            wanted = self.reference.outputs(feeds)
        self.evidence.add(wanted)
        self.hidden = {name: 0.0 for name, array in wanted.items() if finite_elements(array)}
        errors = {name: relative_error(array, got[name]) for name, array in wanted.items()}
        if not self._any_beyond(errors):
            return errors
        self.measured_noise = True
        return self._errors_beyond(feeds, wanted, got)

    def _any_beyond(self, errors: Mapping[str, float]) -> bool:
        return any(not error <= self.bound for error in errors.values())

    def _errors_beyond(
        self, feeds: Mapping[str, Array], wanted: Mapping[str, Array], got: Mapping[str, Array]
    ) -> dict[str, float]:
        """Return the errors that rounding errors do not explain."""
        modules = (
            [self.module, self._written_out] if _has_composites(self.module) else [self.module]
        )

        def runs(module: ModuleOp) -> Run:
            return lambda **how: [*self._run(module, feeds, **how).values()]

        results = [got[name] for name in wanted]
        references = [*wanted.values()]
        forms = list(map(runs, modules))
        special = any(_has_specials(x) for x in feeds.values())
        if special and (hidden := HiddenKeys.of(modules[-1])) is not None:
            forms.append(partial(self._run_hidden, modules[-1], feeds, hidden))
        found = errors_beyond(forms, references, results, self.precision, self.bound, special)
        shares = dict(zip(wanted, shares_hidden(found, references), strict=True))
        self.hidden = {name: shares[name] for name in self.hidden}
        return dict(zip(wanted, found.errors, strict=True))

    def _run(self, module: ModuleOp, feeds: Mapping[str, Array], **how: Any) -> dict[str, Array]:
        self.runs += 1
        return run_reference(module, feeds, self.weights, **how)

    def _run_hidden(
        self,
        module: ModuleOp,
        feeds: Mapping[str, Array],
        hidden: HiddenKeys,
        *,
        float_type: DTypeLike = np.float64,
        noise: Noise | None = None,
    ) -> Sequence[Array]:
        """Return the results where hidden keys of attention add nothing."""
        how = {"float_type": float_type, "noise": hidden.beside(noise)}
        return [*self._run(module, feeds, **how).values()]

    @cached_property
    def _written_out(self) -> ModuleOp:
        """The module with composite ops as the ops that they mean: kernels round between these."""
        module = self.module.clone()
        decompose_composites(registry.new_context(self.weights), module)
        return module


def _has_composites(module: ModuleOp) -> bool:
    return any(isinstance(op, CompositeOp) for op in module.walk())


def _has_specials(array: Array) -> bool:
    """Return whether there are NaN or infinities."""
    return not np.isfinite(array.astype(np.float64)).all()
