"""Finished artifacts, kept for the next compile of the same model.

Equal identities give equal bytes, so a copy is as good as a compile. An entry is a record under the
identity, which names the files of the artifact by the digests that seal them; compiles that came to
the same artifact share its files.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from dlc.compiler.identity import Identity
from dlc.compiler.outcome import Outcome, Report
from dlc.core.cache import Cache
from dlc.errors import ArtifactError, CompileError
from dlc.runtime.artifact import check_artifact, read_report, seal_of, weights_path_of

DEFAULT_GB = 5.0
KERNELS_BYTES = 5e8
"""What machine code of kernels, and that of host programs, may take each: about 100 models."""
_RECORDS_BYTES = 1e7


@dataclass(frozen=True)
class Coverage:
    """How far an artifact is verified. factor: of ``Plan``; running: the target that is run, if the
    machine has it.
    """

    factor: float
    running: str | None

    def holds(self, asked: "Coverage") -> bool:
        """Return whether this is as much as is asked for."""
        return self.factor >= asked.factor and self.running == asked.running


@dataclass(frozen=True)
class _Record:
    """What is kept beside the files. seals: of ``model.so`` and of its weights file, if it has one.

    coverage: ``None`` where the artifact was not verified.
    """

    seals: Sequence[str]
    coverage: Report | None
    verification: Report | None
    simulated: Sequence[Report]
    emulated: Sequence[Report]
    checked: str
    imported: Report | None
    cautions: Sequence[str]

    def is_verified(self, asked: Coverage) -> bool:
        """Return whether the artifact was verified as far as is asked for."""
        return self.coverage is not None and Coverage(**self.coverage).holds(asked)


def limit_bytes() -> float:
    """Return what finished artifacts may take on disk: ``$DLC_CACHE_GB``, else ``DEFAULT_GB``.

    Raises CompileError when it is no size.
    """
    text = os.environ.get("DLC_CACHE_GB") or str(DEFAULT_GB)
    try:
        gigabytes = float(text)
    except ValueError:
        gigabytes = -1.0
    if not gigabytes >= 0:
        raise CompileError(f"DLC_CACHE_GB is {text!r}; give gigabytes, 0 to do without")
    return gigabytes * 1e9


def restore(identity: Identity, to: Path, asked: Coverage | None) -> Outcome | None:
    """Copy the artifact of an identity to ``to``; ``None`` where there is none, or a damaged one.

    asked: only one that was verified as far as this will do.
    """
    data = Cache("record").get(identity.key)
    if data is None:
        return None
    record = _Record(**json.loads(data))
    if asked and not record.is_verified(asked):
        return None
    report = _copy_files(record, to)
    if report is None:
        return None
    checked = record.checked
    if record.coverage:
        checked += " (when it was first compiled)"
    found = record.verification, record.simulated, record.emulated, checked
    return Outcome(report, {}, *found, {"artifact": (1, 1)}, record.imported, record.cautions)


def _copy_files(record: _Record, to: Path) -> Report | None:
    """Copy the files of a record and return the report in them, ``None`` if a byte is wrong."""
    files = _files(to)[: len(record.seals)]
    try:
        for file, seal in zip(files, record.seals, strict=True):
            Cache("artifact").copy_from(seal, file)
        trailer = check_artifact(to)
        if [seal_of(file) for file in files] != record.seals:
            raise ArtifactError("another artifact", at=str(to))
        to.chmod(0o755)
        return json.loads(read_report(to, trailer))
    except (ArtifactError, OSError):
        for file in files:
            file.unlink(missing_ok=True)
        return None


def store(identity: Identity, artifact: Path, outcome: Outcome, asked: Coverage | None) -> None:
    """Keep an artifact that was just made, unless what it was made from has changed meanwhile.

    asked: how far it was verified.
    """
    files = [file for file in _files(artifact) if file.exists()]
    fits = sum(file.stat().st_size for file in files) <= limit_bytes()
    if not fits or not identity.holds():
        return
    seals = list(map(seal_of, files))
    for seal, file in zip(seals, files, strict=True):
        Cache("artifact").copy_to(seal, file)
    coverage = asdict(asked) if asked else None
    found = outcome.verification, outcome.simulated, outcome.emulated, outcome.checked
    record = _Record(seals, coverage, *found, outcome.imported, outcome.cautions)
    Cache("record").put(identity.key, json.dumps(asdict(record)).encode())


def trim() -> None:
    """Delete from the cache what was not used for longest and is too much.

    Artifacts are few and large: their limit holds after each compile.
    """
    if limit := limit_bytes():  # who compiles once without the cache wants it as it is
        Cache("artifact").trim(limit)
    Cache("record").trim_hourly(_RECORDS_BYTES)
    for kind in ("cubin", "object"):
        Cache(kind).trim_hourly(KERNELS_BYTES)


def _files(artifact: Path) -> list[Path]:
    return [artifact, weights_path_of(artifact)]
