"""Writes ``model.so``: appends device code, weights and report to a shared library and seals it."""

import hashlib
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from dlc.errors import about_file
from dlc.runtime.artifact import (
    SEGMENT_ALIGNMENT,
    Trailer,
    WeightsTrailer,
    digest_of_file,
    own_weights_file,
    read_trailer,
    weights_path_of,
)
from dlc.scratch import ScratchFolder

TENSOR_ALIGNMENT = 256
"""Bytes; a weight begins at a multiple of it, so that vector and GPU loads are aligned."""

_BEGINNING = 256
"""Weights whose size and first bytes agree are compared; hashing all would take 1 s per GB."""
_PIECE = 1 << 20


class WeightFile:
    """Collects weights in one temporary file, equal ones once; a context manager.

    Only the array being added is in memory.
    """

    def __init__(self, folder: Path | None = None):
        self._folder = ScratchFolder("dlc-weights-", folder)
        self.path = self._folder.path / "weights"
        self.bytes = 0
        self._file = self.path.open("w+b")
        self._offsets: dict[tuple[int, bytes], list[int]] = {}
        self._digests: dict[int, bytes] = {}

    def add(self, array: NDArray[np.generic]) -> int:
        """Store a weight, row-major, and return its offset in the segment."""
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        candidates = self._offsets.setdefault((data.size, data[:_BEGINNING].tobytes()), [])
        for offset in candidates:
            if self._holds(data, offset):
                return offset
        candidates.append(self._append(data))
        return candidates[-1]

    def _holds(self, data: NDArray[np.uint8], offset: int) -> bool:
        """Return whether the file has ``data`` at ``offset``."""
        self._flush()
        for start in range(0, data.size, _PIECE):
            part = data[start : start + _PIECE]
            if os.pread(self._file.fileno(), part.size, offset + start) != part.tobytes():
                return False
        return True

    def _append(self, data: NDArray[np.uint8]) -> int:
        offset = self.bytes + -self.bytes % TENSOR_ALIGNMENT
        with about_file(self.path):
            self._file.write(bytes(offset - self.bytes))
            self._file.write(data.data)
        self.bytes = offset + data.size
        return offset

    def digest(self) -> bytes:
        """Return the digest of what was added so far (``digest_of_file``)."""
        known = self._digests.get(self.bytes)
        if known is None:
            self._flush()
            known = self._digests[self.bytes] = digest_of_file(self.path, 0, self.bytes)
        return known

    def _flush(self) -> None:
        with about_file(self.path):
            self._file.flush()

    def finish(self) -> None:
        """Write everything to the file; nothing can be added after it. Raises OSError."""
        with about_file(self.path):
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.finish()
        self._folder.remove()


def payload_identity(weights: WeightFile, device_code: bytes = b"") -> bytes:
    """Return what tells the data of an artifact from that of any other; its library holds it, too.

    So a library never takes offsets of its own into the data of another one.
    """
    return hashlib.sha256(hashlib.sha256(device_code).digest() + weights.digest()).digest()


def write_artifact(
    path: Path,
    library: Path,
    weights: WeightFile,
    report: bytes,
    device_code: bytes = b"",
    weights_beside: bool = False,
) -> None:
    """Write ``model.so`` (and ``model.so.weights``) under temporary names, then rename them.

    library: the linked ELF file. Raises OSError; then neither file has appeared.
    """
    identity = payload_identity(weights, device_code)
    digest = weights.digest() if weights_beside else bytes(32)
    weights.finish()
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    beside = weights_path_of(temporary)
    try:
        digests = (digest, identity)
        with about_file(path):
            _write_model(temporary, library, weights, report, device_code, weights_beside, digests)
        if weights_beside:
            shutil.copyfile(weights.path, beside)
            with about_file(weights_path_of(path)), beside.open("ab") as file:
                file.write(WeightsTrailer(weights.bytes, digest).pack())
        move_artifact(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
        beside.unlink(missing_ok=True)


def move_artifact(source: Path, target: Path) -> None:
    """Rename an artifact and its weights file. The artifact that was at ``target`` goes, with its
    weights file, but no weights file that is not its own. Raises OSError.
    """
    old, new = own_weights_file(target), weights_path_of(source)
    if new.exists():
        old = None
        new.replace(weights_path_of(target))
    source.replace(target)
    if old:
        old.unlink()


def _write_model(
    path: Path,
    library: Path,
    weights: WeightFile,
    report: bytes,
    device_code: bytes,
    weights_beside: bool,
    digests: tuple[bytes, bytes],
) -> None:
    shutil.copyfile(library, path)
    with path.open("r+b") as file:  # sendfile writes to no file that is open for appending
        file.seek(0, os.SEEK_END)
        code_at = _start_segment(file)
        file.write(device_code)
        weights_at = 0 if weights_beside else _start_segment(file)
        if not weights_beside:
            _append_file(file, weights)
        report_at = _start_segment(file)
    code = (code_at, len(device_code))
    place = (weights_at, weights.bytes)
    end = Trailer(weights_beside, code, place, (report_at, 0), *digests, 0)
    _finish_model(path, end, report)
    path.chmod(0o755)


def replace_report(path: Path, report: bytes) -> None:
    """Put another report into an artifact and seal it anew. Raises ArtifactError, OSError."""
    _finish_model(path, read_trailer(path), report)


def _finish_model(path: Path, trailer: Trailer, report: bytes) -> None:
    """Write the report where the trailer says that it begins, then the trailer and the seal."""
    start, _ = trailer.report
    size = start + len(report) + Trailer.BYTES
    trailer = replace(trailer, report=(start, len(report)), file_bytes=size)
    with path.open("r+b") as file:
        file.seek(start)
        file.write(report)
        file.write(trailer.pack())
        file.truncate()
    sealed = digest_of_file(path, 0, size - 32)
    with path.open("ab") as file:
        file.write(sealed)


def _append_file(file: BinaryIO, weights: WeightFile) -> None:
    """Copy inside the kernel, which takes a fourth of the time of reading and writing."""
    file.flush()
    with weights.path.open("rb") as source:
        at = 0
        while count := os.sendfile(file.fileno(), source.fileno(), at, weights.bytes - at):
            at += count
    file.seek(0, os.SEEK_END)


def _start_segment(file: BinaryIO) -> int:
    """Fill up to the alignment of segments and return the position."""
    file.write(bytes(-file.tell() % SEGMENT_ALIGNMENT))
    return file.tell()
