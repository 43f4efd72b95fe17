"""How calls of a library are run in a trial on a GPU: by the library, in its own workspace."""

import pickle
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from called_on_gpu import product
from dnn_cases import PADDED, WEIGHTED, exact, feeds_of, weights_of
from dnn_models import convolution
from host_memory_driver import HostMemoryDriver
from small_cublaslt import ALGORITHMS, FACTOR, build_cublaslt
from small_cudnn import FACTORS, FULL_FACTORS, build_cudnn

from dlc import registry
from dlc.analysis.entry import find_main, groups
from dlc.backends.host.reader import interface
from dlc.core.parser import parse_module
from dlc.dialects.graph.structure import Array
from dlc.errors import ArtifactError
from dlc.runtime.gpu_driver import Driver
from dlc.runtime.library import TensorInfo
from dlc.strategies import read
from dlc.tuning.calling import RefusedCallError, UncallableError
from dlc.tuning.gpu_code import GpuKernel, gpu_code
from dlc.tuning.gpu_device import GpuDevice
from dlc.tuning.program import Program, alone, lower_alone

PIPELINE = "lower-to-loop,lower-to-gpu{arch=sm_90a},fused-group-plan-memory"
X = np.arange(32 * 64, dtype=np.float16).reshape(32, 64) % 5
Y = np.arange(64 * 48, dtype=np.float16).reshape(64, 48) % 7


Built = tuple[Program, list[GpuKernel]]


def built(text: str) -> Built:
    """Build the only group of a model, as a process without its weights does."""
    module = parse_module(text, registry.new_context())
    (group,) = groups(find_main(module))
    assert group.schedule is not None
    kernels = alone(group, read(group.schedule))
    program = pickle.loads(pickle.dumps(lower_alone(kernels, PIPELINE, None)))
    return program, gpu_code(kernels, "sm_90a")


def trial(
    library: HostMemoryDriver, text: str, inputs: Sequence[Array], weights: Mapping[str, Array]
) -> list[Array]:
    """Run the only group of a model by its library; return its results."""
    program, code = built(text)
    with ExitStack() as kept:
        device = GpuDevice("sm_90a", "v", kept, driver=Driver(library), seconds=1e-3)
        _, outputs = device.run(program, code, inputs, program.arrays(weights))
    assert library.memory == {}
    return outputs


def run(library: HostMemoryDriver, columns: int = 48, algorithm: int = 0) -> list[Array]:
    """Run a product by cuBLASLt; return its result."""
    key = f", algorithm = {algorithm}" if algorithm else ""
    text = product("32x64xf16", f"64x{columns}xf16", f"32x{columns}xf16", library=key)
    return trial(library, text, [X, Y[:, :columns]], {})


@pytest.mark.parametrize("algorithm", range(ALGORITHMS))
def test_the_library_computes(
    algorithm: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_CUBLASLT", str(build_cublaslt(tmp_path, at_once=True)))
    library = HostMemoryDriver()
    (found,) = run(library, algorithm=algorithm)
    np.testing.assert_array_equal(found.reshape(32, 48), FACTOR * (X @ Y))
    assert library.launches == []  # of kernels


def test_a_missing_library_is_no_time_of_the_kernel_beside_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DLC_CUBLASLT", "/nowhere")
    with pytest.raises(UncallableError, match="library cublaslt is not here: /nowhere cannot be"):
        run(HostMemoryDriver())


@pytest.mark.parametrize(("columns", "algorithm"), [(13, 0), (48, ALGORITHMS)])
def test_a_call_that_the_library_refuses_is_not_timed(
    columns: int, algorithm: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_CUBLASLT", str(build_cublaslt(tmp_path, at_once=True)))
    with pytest.raises(RefusedCallError, match="does not take the call: it has no algorithm"):
        run(HostMemoryDriver(), columns, algorithm)


def test_a_call_that_fails_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = build_cublaslt(tmp_path, enqueue_status=7, at_once=True)
    monkeypatch.setenv("DLC_CUBLASLT", str(file))
    with pytest.raises(ArtifactError, match="the library says: an error"):
        run(HostMemoryDriver())


HWIO: dict[str, Any] = {"layout": "hwio", "is_weighted": True, "padding": PADDED}
ORDERED = WEIGHTED | {
    "hwio of groups": convolution(
        "1x9x9x32xf16", "3x3x8x64xf16", "1x9x9x64xf16", "relu", groups=4, **HWIO
    ),
    "hwio of groups of one channel of f32": convolution(
        "1x9x9x32xf32", "3x3x1x32xf32", "1x9x9x32xf32", "bias", groups=32, **HWIO
    ),
    "a weight of the same shape in each order": convolution(
        "1x9x9x3xf16", "3x3x3x3xf16", "1x9x9x3xf16", **HWIO
    ),
}


@pytest.mark.parametrize("text", ORDERED.values(), ids=ORDERED)
def test_a_call_reads_a_weight_in_its_own_order(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_CUDNN", str(build_cudnn(tmp_path, at_once=True)))
    weights = weights_of(text)
    given, _ = interface(parse_module(text, registry.new_context()))
    feeds = feeds_of([TensorInfo(x.name, np.dtype(x.dtype), x.shape) for x in given], 0, 3)
    (found,) = trial(HostMemoryDriver(), text, [*feeds.values()], weights)
    factor = (FULL_FACTORS if found.dtype == np.float32 else FACTORS)[0]
    larger = {"w": weights["w"] * weights["w"].dtype.type(factor)}
    right = exact(text, feeds, larger)
    np.testing.assert_array_equal(found.reshape(right.shape), right)


PLAIN = {
    "f16": convolution("1x9x9x32xf16", "3x3x32x64xf16", "1x9x9x64xf16", **HWIO),
    "f32": convolution("1x9x9x32xf32", "3x3x32x64xf32", "1x9x9x64xf32", **HWIO),
}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (0, 2, 3, 1)])
@pytest.mark.parametrize(
    ("text", "factors"), [(PLAIN["f16"], FACTORS), (PLAIN["f32"], FULL_FACTORS)], ids=PLAIN
)
def test_algorithms_of_a_call_share_what_was_prepared(
    text: str,
    factors: Sequence[int],
    order: Sequence[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each computes as it does alone; one that is refused leaves the others as they are."""
    monkeypatch.setenv("DLC_CUDNN", str(build_cudnn(tmp_path, at_once=True)))
    weights, (program, (call,)) = weights_of(text), built(text)
    given, _ = interface(parse_module(text, registry.new_context()))
    feeds = feeds_of([TensorInfo(x.name, np.dtype(x.dtype), x.shape) for x in given], 0, 3)
    right = exact(text, feeds, weights)
    with ExitStack() as kept:
        device = GpuDevice("sm_90a", "v", kept, driver=Driver(HostMemoryDriver()), seconds=1e-3)
        for algorithm in order:
            code = [replace(call, algorithm=algorithm)]
            runs = partial(device.run, program, code, [*feeds.values()], program.arrays(weights))
            if algorithm == len(factors):
                with pytest.raises(RefusedCallError, match="it has no algorithm"):
                    runs()
                continue
            _, (found,) = runs()
            np.testing.assert_array_equal(found.reshape(right.shape), factors[algorithm] * right)
