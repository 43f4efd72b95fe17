"""The exceptions that users see."""


class CompileError(Exception):
    """A model or an IR that cannot be compiled as it is, or a wrong argument.

    message: lower case, no full stop: what is wrong, the values, the limit, the way out.
    at: the ONNX node or the operation where it happened, as the user knows it, or ``None``.
    """

    def __init__(self, message: str, at: str | None = None):
        self.message = message
        self.at = at
        super().__init__(f"{at}: {message}" if at else message)


class InputError(CompileError):
    """An array given to a compiled model that does not fit its input (name, shape, dtype, device)."""


class ArtifactError(CompileError):
    """A ``model.so`` that cannot be loaded or run: damaged, of another version or for another device."""
