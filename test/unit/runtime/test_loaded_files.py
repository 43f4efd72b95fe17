"""A model that is loaded stays as it is, whatever becomes of its file."""

import copy
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from small_artifact import WEIGHT, X, build

from dlc.errors import ArtifactError
from dlc.runtime.artifact import weights_path_of
from dlc.runtime.model import Model

DAMAGE: dict[str, Callable[[bytes, bytes], bytes]] = {
    "another_model": lambda data, other: other,
    "half_another_model": lambda data, other: other[: len(data) // 2] + data[len(data) // 2 :],
    "cut_off": lambda data, other: data[: len(data) // 2],
    "empty": lambda data, other: b"",
    "zeros": lambda data, other: bytes(len(data)),
    "ones": lambda data, other: b"\xff" * len(data),
}

RUNS_FILES = """
import sys
import threading

import numpy as np

from dlc.runtime.model import Model

x = np.arange(6, dtype=np.float32).reshape(2, 3)
wanted = 2 * x.ravel() + np.arange(6, dtype=np.float32) * 10
for path in sys.argv[1:]:
    model = Model(path)
    print("loaded", flush=True)
    changed = threading.Thread(target=sys.stdin.readline)
    changed.start()
    runs = 0
    while changed.is_alive() or runs < 20:
        np.testing.assert_array_equal(model(x)[0], wanted)
        runs += not changed.is_alive()
print("right")
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """Return a model and another one, both of weights, tables and sizes of their own."""
    folder = tmp_path_factory.mktemp("files")
    return build(folder / "one.so").read_bytes(), build(folder / "two.so", factor=7).read_bytes()


def overwrite(path: Path, data: bytes) -> None:
    """Write in place, as ``cp`` does: the file stays the same one."""
    with path.open("r+b") as file:
        file.write(data)
        file.truncate()


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_model_in_use_does_not_notice_that_its_file_is_written_over(
    files: tuple[bytes, bytes], tmp_path: Path, damage: Callable[[bytes, bytes], bytes]
) -> None:
    """Ten files of each kind, so sixty in all, each while a process runs it without a break."""
    paths = [tmp_path / f"{number}.so" for number in range(10)]
    for path in paths:
        path.write_bytes(files[0])
    with subprocess.Popen(
        [sys.executable, "-c", RUNS_FILES, *paths],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin
        assert child.stdout
        for path in paths:
            assert child.stdout.readline() == "loaded\n"
            overwrite(path, damage(*files))
            child.stdin.write("\n")
            child.stdin.flush()
        assert child.stdout.readline() == "right\n"
    assert child.returncode == 0


def test_weights_beside_are_not_looked_at_again(tmp_path: Path) -> None:
    path = build(tmp_path / "model.so", weights_beside=True)
    model = Model(path)
    overwrite(weights_path_of(path), bytes(10))
    np.testing.assert_array_equal(model(X)[0], 2 * X.ravel() + WEIGHT)


@pytest.fixture
def busy_file(files: tuple[bytes, bytes], tmp_path: Path) -> Iterator[Path]:
    """Return a file in which one model and the other are written, again and again."""
    path = tmp_path / "busy.so"
    path.write_bytes(files[0])
    done = threading.Event()

    def write() -> None:
        while not done.is_set():
            for data in files:
                overwrite(path, data)

    writer = threading.Thread(target=write)
    writer.start()
    yield path
    done.set()
    writer.join()


def test_a_file_that_is_being_written_is_refused_or_whole(busy_file: Path) -> None:
    refused: list[str] = []
    for _ in range(200):
        try:
            result = Model(busy_file)(X)[0]
        except ArtifactError as error:
            refused.append(str(error))
            continue
        assert any(np.array_equal(result, 2 * X.ravel() + k * WEIGHT) for k in (1, 7))
    assert refused
    assert not any("\n" in line for line in refused)


def test_a_copy_of_a_model_whose_file_changed_is_refused(
    files: tuple[bytes, bytes], tmp_path: Path
) -> None:
    path = tmp_path / "model.so"
    path.write_bytes(files[0])
    model = Model(path)
    (tmp_path / "new").write_bytes(files[1])
    (tmp_path / "new").replace(path)
    for use in (copy.deepcopy, lambda m: m.save(tmp_path / "saved.so")):
        with pytest.raises(ArtifactError, match=r"model\.so: the file was changed since"):
            use(model)
    assert sorted(os.listdir(tmp_path)) == ["model.so"]
    np.testing.assert_array_equal(model(X)[0], 2 * X.ravel() + WEIGHT)


def test_saving_over_a_loaded_file_replaces_it(files: tuple[bytes, bytes], tmp_path: Path) -> None:
    one, two = tmp_path / "one.so", tmp_path / "two.so"
    one.write_bytes(files[0])
    two.write_bytes(files[1])
    before, model = one.stat().st_ino, Model(one)
    Model(two).save(one)
    assert one.stat().st_ino != before
    np.testing.assert_array_equal(model(X)[0], 2 * X.ravel() + WEIGHT)
    np.testing.assert_array_equal(Model(one)(X)[0], 2 * X.ravel() + 7 * WEIGHT)


def _mappings() -> int:
    return len(Path("/proc/self/maps").read_text().splitlines())


def test_models_that_are_dropped_leave_no_mapping(tmp_path: Path) -> None:
    path = tmp_path / "model.so"
    counts: list[int] = []
    for number in range(60):
        Model(build(path, note=str(number)))(X)
        counts.append(_mappings())
    # The first ones may still grow heaps and pools; a library has five mappings.
    assert counts[-1] - counts[9] < 5


def test_models_of_equal_files_share_their_library(
    files: tuple[bytes, bytes], tmp_path: Path
) -> None:
    models: list[Model] = []
    counts: list[int] = []
    for number in range(40):
        path = tmp_path / f"{number}.so"
        path.write_bytes(files[0])
        models.append(Model(path))
        counts.append(_mappings())
    assert counts[-1] - counts[9] < 5


def test_descriptors_are_closed(files: tuple[bytes, bytes], tmp_path: Path) -> None:
    path = tmp_path / "model.so"
    path.write_bytes(files[0])
    before = len(os.listdir("/proc/self/fd"))
    model = Model(path)
    assert len(os.listdir("/proc/self/fd")) == before
    del model


def test_where_there_are_no_files_in_memory_a_temporary_one_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str) -> int:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "memfd_create", refuse)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    path = build(tmp_path / "model.so", note="on disk")
    model = Model(path)
    overwrite(path, bytes(path.stat().st_size))
    np.testing.assert_array_equal(model(X)[0], 2 * X.ravel() + WEIGHT)
    assert os.listdir(tmp_path / "temporary") == []


def test_what_is_no_ordinary_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.so")
    for path in (tmp_path / "fifo.so", Path("/dev/zero"), tmp_path):
        with pytest.raises(ArtifactError, match="is no ordinary file"):
            Model(path)


def test_a_fifo_for_weights_is_refused(tmp_path: Path) -> None:
    path = weights_path_of(build(tmp_path / "model.so", weights_beside=True))
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ArtifactError, match=r"model\.so\.weights: is no ordinary file"):
        Model(tmp_path / "model.so")


def test_shutil_copies_are_the_same_model(tmp_path: Path) -> None:
    path = build(tmp_path / "model.so")
    shutil.copy(path, tmp_path / "copy.so")
    first, second = Model(path), Model(tmp_path / "copy.so")
    path.unlink()
    np.testing.assert_array_equal(first(X)[0], second(X)[0])
