"""Compiles an ONNX model to one shared library for an NVIDIA GPU or the CPU, and runs it."""

import importlib
from typing import TYPE_CHECKING, Any

from dlc.errors import ArtifactError, CompileError, InputError

if TYPE_CHECKING:
    from dlc.compiler import Options, compile
    from dlc.inference_session import InferenceSession, get_available_providers, get_device
    from dlc.runtime.model import Model, load
    from dlc.session_options import (
        ExecutionMode,
        GraphOptimizationLevel,
        RunOptions,
        SessionOptions,
        set_default_logger_severity,
    )

__version__ = "0.1.0"
__all__ = [
    "ArtifactError",
    "CompileError",
    "ExecutionMode",
    "GraphOptimizationLevel",
    "InferenceSession",
    "InputError",
    "Model",
    "Options",
    "RunOptions",
    "SessionOptions",
    "compile",
    "get_available_providers",
    "get_device",
    "get_include",
    "load",
    "set_default_logger_severity",
]

_LAZY = {
    "compile": ("dlc.compiler", "compile"),
    "load": ("dlc.runtime.model", "load"),
    "Model": ("dlc.runtime.model", "Model"),
    "Options": ("dlc.compiler", "Options"),
    **{
        name: ("dlc.inference_session", name)
        for name in ("InferenceSession", "get_available_providers", "get_device")
    },
    **{
        name: ("dlc.session_options", name)
        for name in (
            "ExecutionMode",
            "GraphOptimizationLevel",
            "RunOptions",
            "SessionOptions",
            "set_default_logger_severity",
        )
    },
}
"""Where each name is; imported when first used, since loading a model needs no compiler."""


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'dlc' has no attribute {name!r}")
    module, attribute = _LAZY[name]
    return getattr(importlib.import_module(module), attribute)


def get_include() -> str:
    """Return the folder of ``dlc.h``, the C interface of a compiled model."""
    from dlc.runtime.native import FOLDER

    return str(FOLDER)
