"""Who is wrong where a compiled model and another implementation differ by more than the bound."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dlc.dialects.graph.structure import Array
from dlc.verification.judge import Judge
from dlc.verification.onnx_faults import NoReferenceError

Arrays = Mapping[str, Array]
Run = Callable[[Arrays], Arrays]


@dataclass(frozen=True)
class Dispute:
    """The outputs of a model, and what another implementation gives for the same inputs.

    The reference of ``judge`` cannot decide: where the import of the model is wrong, it is, too.
    """

    judge: Judge
    feeds: Arrays
    ours: Arrays
    theirs: Arrays

    def others_are_wrong(self, errors: Mapping[str, float], arbiter: Run) -> str | None:
        """Return how it is seen that the others are wrong, if they are in all that differs.

        errors: how far each output is from theirs. They are wrong where theirs is beyond the bound
        from what the arbiter gives, and ours is not. An arbiter that has no answer says nothing.
        """
        beyond = [name for name, error in errors.items() if not error <= self.judge.bound]
        if not beyond:
            return None
        try:
            meant = arbiter(self.feeds)
        except NoReferenceError:
            return None
        theirs = self._errors(self.theirs, meant)
        ours = self._errors(self.ours, meant)
        bound = self.judge.bound
        if any(theirs[name] <= bound or not ours[name] <= bound for name in beyond):
            return None
        name = max(beyond, key=lambda name: theirs[name])
        return (
            f"its output {name!r} is off by {theirs[name]:.1e} of the largest value from ONNX's "
            f"reference implementation, the compiled model's by {ours[name]:.1e}, bound {bound:.1e}"
        )

    def _errors(self, got: Arrays, meant: Arrays) -> Mapping[str, float]:
        return self.judge.errors(self.feeds, {**meant, **got}, meant)
