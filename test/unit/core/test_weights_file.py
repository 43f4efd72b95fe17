"""``dlc-opt --weights``: arrays by name."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from dlc.errors import CompileError
from dlc.tools._opt_weights import read_weights


def test_arrays_are_found_by_symbol(tmp_path: Path) -> None:
    file = tmp_path / "w.npz"
    half = np.array([1.5, 2.5], ml_dtypes.bfloat16)
    np.savez(file, w0=np.arange(6, dtype=np.float32).reshape(2, 3), half=half)
    store = read_weights(file)
    assert store.array("w0").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert store.array("half").dtype == half.dtype
    assert store.add("another", np.zeros(3)) not in {"w0", "half"}
    with pytest.raises(CompileError, match="w0 is defined twice"):
        store.define("w0", np.zeros(1))


@pytest.mark.parametrize("content", [b"", b"not an archive", b"PK\x03\x04 broken"])
def test_broken_files_are_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "w.npz"
    file.write_bytes(content)
    with pytest.raises(CompileError):
        read_weights(file)


def test_pickles_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "w.npz"
    np.savez(file, w0=np.array([{}], dtype=object))
    with pytest.raises(CompileError, match=r"not an .npz file of plain arrays"):
        read_weights(file)
