"""The error for code that does not compute what the model means."""

from dlc.errors import CompileError


class MiscompileError(CompileError):
    """Results that are not those of the model, which rounding does not explain.

    found: what is wrong with them. kernel: the symbol of the kernel that gave them; ``None`` where
    the whole model was run.
    """

    def __init__(self, found: str, at: str | None = None, kernel: str | None = None):
        self.found = found
        self.kernel = kernel
        super().__init__(
            f"verification failed: {found}; this is a fault of dlc, please report the model", at
        )
