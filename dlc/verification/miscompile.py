"""The error for code that does not compute what the model means."""

from collections.abc import Sequence

from dlc.errors import CompileError


class MiscompileError(CompileError):
    """Results that are not those of the model, which rounding does not explain.

    found: what is wrong with them. kernels: the symbols of those that gave them, in order; none
    where the whole model was run.
    """

    def __init__(self, found: str, at: str | None = None, kernels: Sequence[str] = ()):
        self.found = found
        self.kernels = tuple(dict.fromkeys(kernels))
        super().__init__(
            f"verification failed: {found}; this is a fault of dlc, please report the model", at
        )
