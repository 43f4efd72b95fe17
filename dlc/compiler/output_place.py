"""Where a compile writes: looked at before the work, so that no compile is lost at its end."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from dlc.compiler.ir_files import source_files
from dlc.errors import CompileError
from dlc.frontends.onnx.loading import ModelSource
from dlc.runtime.artifact import weights_path_of


def files_written(output: Path, weights: str) -> list[Path]:
    """Return the files of an artifact. weights: ``embed`` or ``file``."""
    return [output, weights_path_of(output)] if weights == "file" else [output]


def check_places(paths: Iterable[Path], source: ModelSource) -> None:
    """Raise CompileError when no file can be written at one of ``paths``, when two of them are one
    file, or one is a file of the model that is compiled: its own or one that holds its tensors.
    """
    read = {os.path.realpath(file) for file in source_files(source)}
    taken = dict.fromkeys(read, "is a file of the model that is compiled")
    for path in paths:
        check_writable(path)
        file = os.path.realpath(path)
        if file in taken:
            raise CompileError(f"{taken[file]}; give another file", str(path))
        taken[file] = "is to be written twice"


def check_writable(path: Path) -> None:
    """Raise CompileError when no file can be written there."""
    at = str(path)
    if path.is_dir():
        raise CompileError("cannot be written: is a directory; name a file in it", at)
    if path.exists() and not path.is_file():
        raise CompileError("cannot be written: is no ordinary file", at)
    try:
        with tempfile.TemporaryFile(dir=path.absolute().parent):
            pass
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CompileError(f"cannot be written: {reason}", at) from error
