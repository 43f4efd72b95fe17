"""A hand-written program of one kernel through linking, packing, loading and running."""

import copy
import ctypes
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_artifact import WEIGHT, X, build

from dlc.core.c_compiler import find_c_compiler
from dlc.errors import ArtifactError, InputError
from dlc.runtime.artifact import Trailer, WeightsTrailer, weights_path_of
from dlc.runtime.model import Model
from dlc.runtime.native import FOLDER


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("artifact") / "model.so")


def test_a_model_runs(artifact: Path) -> None:
    model = Model(artifact)
    assert [(i.name, i.dtype, i.shape) for i in model.inputs] == [('x "in"??/', np.float32, (2, 3))]
    results = model.run({'x "in"??/': X})
    np.testing.assert_array_equal(results["y"], 2 * X.ravel() + WEIGHT)
    np.testing.assert_array_equal(results["x again"], X)


def test_every_run_gives_new_arrays(artifact: Path) -> None:
    model = Model(artifact)
    first, _ = model(X)
    second, _ = model(X + 1)
    np.testing.assert_array_equal(first, 2 * X.ravel() + WEIGHT)
    np.testing.assert_array_equal(second, 2 * X.ravel() + 2 + WEIGHT)


def test_arrays_that_are_not_dense_are_copied(artifact: Path) -> None:
    y, _ = Model(artifact)(np.asfortranarray(X))
    np.testing.assert_array_equal(y, 2 * X.ravel() + WEIGHT)


@pytest.mark.parametrize(
    ("feeds", "message"),
    [
        ({}, "input 'x \"in\"??/' is missing; given: none"),
        ({"x": X}, "is missing; given: 'x'"),
        ({'x "in"??/': X, "z": X}, "the model has no input 'z'"),
        ({'x "in"??/': X.astype(np.float64)}, "dtype float64 given, the model takes float32"),
        ({'x "in"??/': X.T}, r"shape \[3, 2\] given, the model was compiled for \[2, 3\]"),
        ({'x "in"??/': [1.0]}, "a list is no array"),
    ],
)
def test_wrong_inputs_are_named(artifact: Path, feeds: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("??", r"\?\?")):
        Model(artifact).run(feeds)


@pytest.mark.parametrize("feeds", [None, X, [X]])
def test_feeds_that_name_nothing(artifact: Path, feeds: Any) -> None:
    with pytest.raises(InputError, match="does not name the inputs; give a dictionary of arrays"):
        Model(artifact).run(feeds)


def test_a_deep_copy_has_its_own_memory_and_outlives_the_original(tmp_path: Path) -> None:
    model = Model(build(tmp_path / "model.so"))
    assert copy.copy(model) is model
    other = copy.deepcopy(model)
    del model
    np.testing.assert_array_equal(other(X)[0], 2 * X.ravel() + WEIGHT)


def test_a_model_is_not_pickled(artifact: Path) -> None:
    with pytest.raises(TypeError, match="save it, and load it in the other process"):
        pickle.dumps(Model(artifact))


@pytest.mark.parametrize("place", ["no folder/model.so", "."])
def test_save_leaves_nothing_where_it_cannot_write(
    artifact: Path, tmp_path: Path, place: str
) -> None:
    with pytest.raises(OSError, match=r"No such file|Is a directory") as raised:
        Model(artifact).save(tmp_path / place)
    assert raised.value.filename == str(tmp_path / place)
    assert list(tmp_path.iterdir()) == []
    assert not list(tmp_path.parent.glob(f".{tmp_path.name}*"))


@pytest.mark.parametrize("save", [False, True])
def test_a_weights_file_goes_with_its_artifact(artifact: Path, tmp_path: Path, save: bool) -> None:
    path = build(tmp_path / "model.so", weights_beside=True)
    if save:
        Model(artifact).save(path)
    else:
        build(path)
    assert [file.name for file in tmp_path.iterdir()] == ["model.so"]
    np.testing.assert_array_equal(Model(path)(X)[0], 2 * X.ravel() + WEIGHT)


def test_a_weights_file_of_another_artifact_stays(artifact: Path, tmp_path: Path) -> None:
    path = build(tmp_path / "model.so", weights_beside=True, factor=2)
    weights = weights_path_of(path)
    path.unlink()
    before = weights.read_bytes()
    build(path)
    Model(artifact).save(path)
    assert weights.read_bytes() == before
    build(path, weights_beside=True)
    weights.write_bytes(before)
    build(path)
    assert weights.read_bytes() == before


def test_weights_may_stand_beside(tmp_path: Path) -> None:
    path = build(tmp_path / "model.so", weights_beside=True)
    assert weights_path_of(path).stat().st_size > 256
    moved = Model(path).save(tmp_path / "moved.so")
    path.unlink()
    weights_path_of(path).unlink()
    np.testing.assert_array_equal(Model(moved)(X)[0], 2 * X.ravel() + WEIGHT)


def _flip(position: int) -> Callable[[bytes], bytes]:
    return lambda data: (
        data[:position] + bytes([data[position] ^ 1]) + data[len(data[:position]) + 1 :]
    )


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:100],
        lambda data: data[:-1],
        lambda data: data + b"\0",
        lambda data: b"\x7fELF" + bytes(5000),
        lambda data: b"text" * 500,
        _flip(40),
        _flip(4096),
        _flip(-Trailer.BYTES - 1),
        _flip(-Trailer.BYTES),
        _flip(-100),
        _flip(-1),
    ],
)
def test_a_damaged_artifact_is_refused(
    artifact: Path, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "damaged.so"
    path.write_bytes(damage(artifact.read_bytes()))
    with pytest.raises(ArtifactError, match=r"damaged\.so: "):
        Model(path)


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"", _flip(5), _flip(-1)])
def test_a_damaged_weights_file_is_refused(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = weights_path_of(build(tmp_path / "model.so", weights_beside=True))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ArtifactError, match=r"model\.so\.weights: "):
        Model(tmp_path / "model.so")


def test_another_library_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "foreign.so"
    path.write_bytes(b"\x7fELF" + bytes(5000))
    with pytest.raises(ArtifactError, match="not a model compiled by dlc or one that was cut off"):
        Model(path)


def test_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    one = build(tmp_path / "one.so", weights_beside=True)
    other = build(tmp_path / "other.so", weights_beside=True, factor=2)
    weights_path_of(other).replace(weights_path_of(one))
    with pytest.raises(ArtifactError, match="belong to another model"):
        Model(one)


def test_two_models_in_one_process(artifact: Path, tmp_path: Path) -> None:
    one, two = Model(artifact), Model(build(tmp_path / "two.so", factor=3))
    np.testing.assert_array_equal(one(X)[0], 2 * X.ravel() + WEIGHT)
    np.testing.assert_array_equal(two(X)[0], 2 * X.ravel() + 3 * WEIGHT)
    np.testing.assert_array_equal(one(X)[0], 2 * X.ravel() + WEIGHT)


def test_a_replaced_file_is_loaded_anew(tmp_path: Path) -> None:
    path = tmp_path / "model.so"
    for factor in (1, 2, 5):
        model = Model(build(path, factor=factor))
        np.testing.assert_array_equal(model(X)[0], 2 * X.ravel() + factor * WEIGHT)


def test_same_input_same_bytes(artifact: Path, tmp_path: Path) -> None:
    again = build(tmp_path / "another name.so")
    assert again.read_bytes() == artifact.read_bytes()
    assert str(tmp_path).encode() not in again.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["another name.so"]


def test_only_the_entry_is_exported(artifact: Path) -> None:
    library = ctypes.CDLL(str(artifact))
    assert library.dlc_entry
    for hidden in ("g0", "dlc_program", "dlc_message", "dlc_inputs"):
        with pytest.raises(AttributeError):
            getattr(library, hidden)


def test_loading_imports_no_compiler(artifact: Path) -> None:
    script = (
        "import sys, dlc\n"
        f"model = dlc.load({str(artifact)!r})\n"
        "import numpy\n"
        "model(numpy.zeros((2, 3), numpy.float32)); model.explain()\n"
        "print([m for m in ('xdsl', 'onnx', 'ml_dtypes') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_explain_prints_the_report(artifact: Path) -> None:
    text = Model(artifact).explain()
    assert "g0: graph.mul + graph.add" in text
    assert "weights 24 bytes" in text
    assert "cpu: 1 launch of 1 kernel, intermediate values 256 bytes" in text


def test_the_page_of_the_artifact_shows_the_header() -> None:
    page = Path(__file__).parents[3] / "docs" / "artifact.md"
    assert (FOLDER / "dlc.h").read_text() in page.read_text()
    assert f"the last {Trailer.BYTES} bytes" in page.read_text()
    assert f"a trailer of {WeightsTrailer.LAYOUT.size} bytes" in page.read_text()


def test_the_fixed_c_files_compile_without_warnings(tmp_path: Path) -> None:
    command = find_c_compiler().command
    for source in sorted(FOLDER.glob("*.c")):
        flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2", "-c", str(source)]
        subprocess.run([*command, *flags, "-o", str(tmp_path / "x.o")], check=True)


C_PROGRAM = r"""
#include <dlfcn.h>
#include <stdio.h>
#include "dlc.h"

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return 2;
  dlc_entry_function entry = (dlc_entry_function)dlsym(library, "dlc_entry");
  const dlc_api *api = entry();
  if (api->abi_version != DLC_ABI_VERSION || api->target != DLC_CPU) return 3;
  dlc_model *model;
  const char *own = argc > 3 ? argv[3] : 0, *weights = argc > 2 && *argv[2] ? argv[2] : 0;
  if (api->create(own, weights, 0, &model) != DLC_OK)
    return printf("%s\n", api->message()), 4;
  float x[6] = {0, 1, 2, 3, 4, 5}, y[6], again[6];
  const void *inputs[] = {x};
  void *outputs[] = {y, again}, *no_outputs[] = {0, 0};
  if (api->run(model, 0, 0, inputs, no_outputs) != DLC_INVALID_ARGUMENT) return 5;
  if (api->run(model, 0, 0, inputs, outputs) != DLC_OK) return 6;
  const dlc_tensor *info = &api->outputs[0];
  printf("%s %d %d %d:", info->name, (int)info->dtype, (int)info->rank, (int)info->shape[0]);
  for (int i = 0; i < 6; i++) printf(" %g", y[i]);
  printf("\n");
  api->destroy(model);
  return 0;
}
"""


@pytest.fixture(scope="module")
def c_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("c")
    (folder / "main.c").write_text(C_PROGRAM)
    compiler = find_c_compiler().command
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-I", str(FOLDER)]
    subprocess.run([*compiler, *flags, "main.c", "-o", "program", "-ldl"], cwd=folder, check=True)
    return folder / "program"


def test_a_c_program_runs_a_model(artifact: Path, c_program: Path) -> None:
    done = subprocess.run([c_program, artifact], capture_output=True, text=True, check=True)
    assert done.stdout == "y 11 1 6: 0 12 24 36 48 60\n"


def test_a_c_program_gets_a_message_for_missing_weights(tmp_path: Path, c_program: Path) -> None:
    path = build(tmp_path / "model.so", weights_beside=True)
    kept = weights_path_of(path).rename(tmp_path / "kept")
    failed = subprocess.run([c_program, path], capture_output=True, text=True, check=False)
    assert failed.returncode == 4
    assert "model.so.weights: No such file or directory" in failed.stdout
    done = subprocess.run([c_program, path, kept], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("60\n")
    kept.write_bytes(kept.read_bytes()[:-1])
    failed = subprocess.run([c_program, path, kept], capture_output=True, text=True, check=False)
    assert "no complete weights file" in failed.stdout


@pytest.mark.parametrize("weights_beside", [False, True])
def test_create_refuses_the_file_of_another_model(
    tmp_path: Path, c_program: Path, weights_beside: bool
) -> None:
    one = build(tmp_path / "one.so", weights_beside)
    other = build(tmp_path / "other.so", weights_beside, factor=2)
    again = Model(one).save(tmp_path / "again.so")
    done = subprocess.run([c_program, one, "", again], capture_output=True, text=True, check=True)
    assert done.stdout == "y 11 1 6: 0 12 24 36 48 60\n"
    failed = subprocess.run(
        [c_program, one, "", other], capture_output=True, text=True, check=False
    )
    assert failed.returncode == 4
    assert "other.so: this file is another model than the library" in failed.stdout
