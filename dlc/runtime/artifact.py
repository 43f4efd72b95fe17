"""The file format of ``model.so``: a shared library with data appended and a trailer that seals it.

``| ELF shared library | device code | weights | report (JSON) | trailer |``, the segments at
multiples of 4096 bytes. With ``--weights=file`` the weights stand in ``model.so.weights`` with a
trailer of their own. ``native/payload.c`` reads the same; ``docs/artifact.md`` describes it.
"""

import hashlib
import os
import stat
import struct
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, ClassVar

from dlc.errors import ArtifactError

FORMAT_VERSION = 2
SEGMENT_ALIGNMENT = 4096
_DIGEST_BLOCK = 16 << 20
_DAMAGED = "the file is damaged or incomplete; compile the model again"


@dataclass(frozen=True)
class Trailer:
    """The last bytes of ``model.so``; offsets and sizes in bytes."""

    weights_beside: bool
    device_code: tuple[int, int]
    weights: tuple[int, int]
    report: tuple[int, int]
    weights_digest: bytes
    identity: bytes
    file_bytes: int

    LAYOUT: ClassVar = struct.Struct("<8sII6Q32s32sQ")
    MAGIC: ClassVar = b"DLCMODEL"
    BYTES: ClassVar = LAYOUT.size + 32

    def pack(self) -> bytes:
        """Return the trailer without the digest of the file, which follows it."""
        return self.LAYOUT.pack(
            self.MAGIC,
            FORMAT_VERSION,
            int(self.weights_beside),
            *self.device_code,
            *self.weights,
            *self.report,
            self.weights_digest,
            self.identity,
            self.file_bytes,
        )


@dataclass(frozen=True)
class WeightsTrailer:
    """The last bytes of ``model.so.weights``."""

    weights_bytes: int
    digest: bytes

    LAYOUT: ClassVar = struct.Struct("<8sQ32s")
    MAGIC: ClassVar = b"DLCWEIGH"

    def pack(self) -> bytes:
        """Return the trailer's bytes."""
        return self.LAYOUT.pack(self.MAGIC, self.weights_bytes, self.digest)


def digest_of_file(path: Path, start: int, end: int) -> bytes:
    """Return the digest of the bytes ``start`` to ``end``: SHA-256 of the SHA-256 of 16 MiB blocks.

    Blocks, so that several cores can work on a large file.
    """
    file = os.open(path, os.O_RDONLY)

    def block(offset: int) -> bytes:
        count = min(_DIGEST_BLOCK, end - offset)
        return hashlib.sha256(os.pread(file, count, offset)).digest()

    try:
        with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
            return hashlib.sha256(
                b"".join(pool.map(block, range(start, end, _DIGEST_BLOCK)))
            ).digest()
    finally:
        os.close(file)


def weights_path_of(path: Path) -> Path:
    """Return the file that holds the weights of an artifact written with ``--weights=file``."""
    return path.with_name(path.name + ".weights")


State = tuple[tuple[int, ...], ...]
"""Which files were found, and when they were written to."""


def state_of(path: Path) -> State:
    """Return the state of an artifact's files, to see later whether they are still the same."""
    try:
        found = [file.stat() for file in (path, weights_path_of(path)) if file.exists()]
    except OSError as error:
        raise ArtifactError((error.strerror or str(error)).lower(), at=str(path)) from error
    return tuple((x.st_dev, x.st_ino, x.st_size, x.st_mtime_ns) for x in found)


def check_state(path: Path, known: State) -> None:
    """Raise ArtifactError when the files of an artifact are not those of the state ``known``."""
    if state_of(path) != known:
        raise ArtifactError("the file was changed since it was loaded; load it again", at=str(path))


def check_artifact(path: Path) -> Trailer:
    """Read the trailer of ``model.so`` and check the whole file, and its weights file, against it.

    Raises ArtifactError when a byte is missing or wrong. Nothing of the file is executed.
    """
    trailer = read_trailer(path)
    sealed = trailer.file_bytes - 32
    with _open(path) as file:
        file.seek(sealed)
        expected = file.read(32)
    if digest_of_file(path, 0, sealed) != expected:
        raise ArtifactError(_DAMAGED, at=str(path))
    if trailer.weights_beside:
        beside = weights_path_of(path)
        count = _weights_bytes(beside, trailer)
        if digest_of_file(beside, 0, count) != trailer.weights_digest:
            raise ArtifactError(_DAMAGED, at=str(beside))
    return trailer


def own_weights_file(path: Path) -> Path | None:
    """Return the weights file that was written together with the artifact at ``path``, if any."""
    beside = weights_path_of(path)
    if not (path.is_file() and beside.is_file()):
        return None
    try:
        trailer = read_trailer(path)
        _weights_bytes(beside, trailer)
    except ArtifactError:
        return None
    return beside if trailer.weights_beside else None


def seal_of(path: Path) -> str:
    """Return the digest at the end of ``model.so`` or of its weights file, in hexadecimal digits.

    ``check_artifact`` says whether it is right.
    """
    with _open(path) as file:
        file.seek(-32, os.SEEK_END)
        return file.read().hex()


def read_trailer(path: Path) -> Trailer:
    """Return the trailer of ``model.so``; raises ArtifactError when none fits the file."""
    with _open(path) as file:
        file_bytes = file.seek(0, os.SEEK_END)
        if file_bytes < Trailer.BYTES:
            raise ArtifactError("not a model compiled by dlc", at=str(path))
        file.seek(file_bytes - Trailer.BYTES)
        fields = Trailer.LAYOUT.unpack(file.read(Trailer.LAYOUT.size))
        file.seek(0)
        is_library = file.read(4) == b"\x7fELF"
    magic, version, beside, *numbers, digest, identity, sealed_bytes = fields
    if magic != Trailer.MAGIC:
        cut = " or one that was cut off" if is_library else ""
        raise ArtifactError(f"not a model compiled by dlc{cut}", at=str(path))
    if version != FORMAT_VERSION:
        raise ArtifactError(
            f"artifact format {version}, this dlc reads {FORMAT_VERSION}; compile the model again",
            at=str(path),
        )
    device_code, weights, report = zip(numbers[::2], numbers[1::2], strict=True)
    trailer = Trailer(bool(beside), device_code, weights, report, digest, identity, sealed_bytes)
    if sealed_bytes != file_bytes:
        raise ArtifactError(_DAMAGED, at=str(path))
    return trailer


def read_report(path: Path, trailer: Trailer) -> bytes:
    """Return the report (JSON) of an artifact."""
    offset, count = trailer.report
    with _open(path) as file:
        file.seek(offset)
        return file.read(count)


def _weights_bytes(path: Path, trailer: Trailer) -> int:
    """Return the bytes of weights in a file; raises ArtifactError when its trailer does not fit."""
    with _open(path) as file:
        count = file.seek(0, os.SEEK_END) - WeightsTrailer.LAYOUT.size
        if count < 0:
            raise ArtifactError(_DAMAGED, at=str(path))
        if count != trailer.weights[1]:
            raise ArtifactError(
                f"weights file has {count} bytes, the model needs {trailer.weights[1]}",
                at=str(path),
            )
        file.seek(count)
        magic, size, digest = WeightsTrailer.LAYOUT.unpack(file.read())
    if magic != WeightsTrailer.MAGIC or size != count:
        raise ArtifactError(_DAMAGED, at=str(path))
    if digest != trailer.weights_digest:
        raise ArtifactError("these weights belong to another model", at=str(path))
    return count


def _open(path: Path) -> BinaryIO:
    """Open for reading; an OSError becomes an ArtifactError of one line."""
    try:
        # A FIFO must not be waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        file = os.fdopen(descriptor, "rb") if _is_ordinary(descriptor) else None
    except OSError as error:
        raise ArtifactError((error.strerror or str(error)).lower(), at=str(path)) from error
    if file is None:
        os.close(descriptor)
        raise ArtifactError("is no ordinary file", at=str(path))
    return file


def _is_ordinary(descriptor: int) -> bool:
    return stat.S_ISREG(os.fstat(descriptor).st_mode)
