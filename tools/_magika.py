"""Magika, the file-type model of the quickstart: where it comes from and what it reads.

The model (Apache-2.0) ships inside the PyPI wheel ``magika``. It sees the first and the last 1024
bytes of a file, without the white space around them, and scores 214 types.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dlc.errors import CompileError

PACKAGE = "magika==1.0.3"
FOLDER = "magika/models/standard_v3_3"
SHA256 = "fe2d2eb49c5f88a9e0a6c048e15d6ffdf86235519c2afc535044de433169ec8c"

_SIDE = 1024
"""Bytes taken from the beginning, and from the end."""

_BLOCK = 4096
"""White space is looked for in so many bytes at each side."""

_PADDING = 256
"""The token where a file is too short."""


def fetch(folder: Path) -> tuple[Path, list[str]]:
    """Return the path of the model and the names of its types; download them if not there.

    Raises CompileError when the package cannot be had or its model is another one.
    """
    model, labels = folder / "magika.onnx", folder / "magika-labels.json"
    if not (model.exists() and labels.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as scratch:
            blob, config = _read(_download(Path(scratch)))
        if hashlib.sha256(blob).hexdigest() != SHA256:
            raise CompileError(f"the model in {PACKAGE} is not the one that was pinned")
        labels.write_text(json.dumps(config["target_labels_space"]))
        model.write_bytes(blob)
    return model, json.loads(labels.read_text())


def _download(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--dest", str(folder), PACKAGE]
    done = subprocess.run(command, capture_output=True, text=True)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        last = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
        raise CompileError(f"could not download {PACKAGE}: {last}")
    return wheels[0]


def _read(wheel: Path) -> tuple[bytes, dict[str, list[str]]]:
    """Return the bytes of the model and its configuration."""
    with zipfile.ZipFile(wheel) as archive:
        config = json.loads(archive.read(f"{FOLDER}/config.min.json"))
        return archive.read(f"{FOLDER}/model.onnx"), config


def features(data: bytes) -> NDArray[np.int32]:
    """Return the 2048 tokens of a file's contents: bytes, or 256 where the file is too short."""
    tokens = np.full(2 * _SIDE, _PADDING, np.int32)
    head = np.frombuffer(data[:_BLOCK].lstrip()[:_SIDE], np.uint8)
    tail = np.frombuffer(data[-_BLOCK:].rstrip()[-_SIDE:], np.uint8)
    tokens[: head.size] = head
    tokens[2 * _SIDE - tail.size :] = tail
    return tokens
