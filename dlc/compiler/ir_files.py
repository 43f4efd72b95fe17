"""Sources that are IR and no model."""

from collections.abc import Collection
from pathlib import Path

from dlc.frontends.onnx.loading import ModelSource
from dlc.frontends.onnx.model_files import model_files

IR_SUFFIX = ".mlir"
"""What the name of a file of IR ends in."""


def is_ir(source: ModelSource) -> bool:
    """Return whether a source is a file of IR."""
    return isinstance(source, str | Path) and Path(source).suffix == IR_SUFFIX


def source_files(source: ModelSource) -> Collection[Path]:
    """Return the files that a compile of a source reads; raises CompileError for a bad model."""
    if isinstance(source, str | Path) and is_ir(source):
        return [Path(source)]
    return model_files(source)
