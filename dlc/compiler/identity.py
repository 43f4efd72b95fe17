"""What an artifact is made from, as one digest: equal digests mean equal artifacts."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
import onnx
from google.protobuf.message import EncodeError

import dlc
from dlc import arch, libraries
from dlc.compiler.options import Options
from dlc.compiler.targets import Target
from dlc.core import nvrtc
from dlc.core.c_compiler import find_c_compiler
from dlc.core.cache import cache_key
from dlc.core.weights import Array
from dlc.errors import CompileError
from dlc.frontends.onnx.loading import ModelSource
from dlc.frontends.onnx.model_files import model_files
from dlc.frontends.onnx.shapes import size_lists
from dlc.runtime.artifact import digest_of_file

_PACKAGES = ("ml_dtypes", "numpy", "onnx", "xdsl")

Part = str | bytes


def source_digest() -> str:
    """Return a digest of all files of this package."""
    root = Path(dlc.__file__).parent
    files = sorted(
        Path(folder, name)
        for folder, _, names in os.walk(root, followlinks=True)
        for name in names
        if not name.endswith(".pyc")
    )
    return cache_key(*(x for p in files for x in (str(p.relative_to(root)), p.read_bytes())))


LOADED_SOURCES = source_digest()
"""Of the files when they were imported: this is the compiler that runs here."""

OWN_VERSION = f"{dlc.__version__}+{LOADED_SOURCES[:12]}"
"""Of dlc, in measured times: other files may write other kernels."""


@dataclass(frozen=True)
class Identity:
    """A digest of everything that goes into an artifact. key: the digest.

    files: those of the model, each with what changes when it is written to.
    """

    key: str
    files: Mapping[Path, tuple[int, ...]]

    @classmethod
    def of(cls, source: ModelSource, options: Options, targets: Sequence[Target]) -> "Identity":
        """Read all of a model; jobs and verification leave an artifact as it is.

        Raises CompileError, OSError, ValueError for what cannot be compiled.
        """
        files = {path: _state(path) for path in model_files(source)}
        parts = [LOADED_SOURCES, *_tools(targets), *_choices(options), *_model(source, files)]
        return cls(cache_key(*parts), files)

    def holds(self) -> bool:
        """Return whether the model and the compiler are still what they were."""
        try:
            unchanged = all(_state(path) == state for path, state in self.files.items())
        except OSError:
            return False
        return unchanged and source_digest() == LOADED_SOURCES


def _state(path: Path) -> tuple[int, ...]:
    if not path.is_file():  # a pipe could be read only once
        raise FileNotFoundError(str(path))
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _tools(targets: Sequence[Target]) -> Iterator[Part]:
    """Yield what the machine adds: versions, the rows of the targets, what may run here."""
    yield sys.version
    yield from map(version, _PACKAGES)
    yield find_c_compiler().version
    yield str(arch.host().compiler_flags)
    for target in targets:
        yield target.name
        yield str(target.runs_here)  # decides how the artifact is verified
        yield json.dumps(asdict(arch.by_name(target.name)), default=sorted, sort_keys=True)
        if target.is_gpu:
            yield nvrtc.version()


def _choices(options: Options) -> Iterator[Part]:
    yield options.precision
    yield options.weights
    yield options.fusion
    yield from libraries.brought()
    yield "" if options.locked is None else Path(options.locked).read_bytes()
    yield json.dumps(size_lists(options.shapes or {}), sort_keys=True)
    yield from _constants(options.constants)


def _constants(given: Mapping[str, Array] | None) -> Iterator[Part]:
    constants = {name: np.asarray(x) for name, x in (given or {}).items()}
    yield json.dumps({n: [str(x.dtype), x.shape] for n, x in constants.items()}, sort_keys=True)
    yield from (constants[name].tobytes() for name in sorted(constants))


def _model(source: ModelSource, files: Mapping[Path, tuple[int, ...]]) -> Iterator[Part]:
    """Yield the content of a model; its own name does not matter, those of its other files do."""
    if isinstance(source, onnx.ModelProto):
        yield source.SerializeToString(deterministic=True)
        return
    own = Path(source)
    yield _content(own)
    for path in sorted(files.keys() - {own}):
        yield os.path.relpath(path, own.parent)
        yield _content(path)


def _content(path: Path) -> bytes:
    return digest_of_file(path, 0, path.stat().st_size)


def model_digest(source: ModelSource, constants: Mapping[str, Array] | None) -> str:
    """Return a digest of a model's content and of the constants that are compiled in.

    Raises CompileError, OSError.
    """
    files = {path: _state(path) for path in model_files(source)}
    return cache_key(*_model(source, files), *_constants(constants))[:32]


def identity(source: ModelSource, options: Options, targets: Sequence[Target]) -> Identity | None:
    """Return the identity of a compile; ``None`` for one that will say itself what is wrong."""
    try:
        return Identity.of(source, options, targets)
    except (CompileError, EncodeError, OSError, TypeError, ValueError):
        return None
