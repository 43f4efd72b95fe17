"""How calls of a library are run in a trial on a GPU: by the library, in its own workspace."""

from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from called_on_gpu import product
from host_memory_driver import HostMemoryDriver
from small_cublaslt import ALGORITHMS, FACTOR, build_cublaslt

from dlc import registry
from dlc.analysis.entry import find_main, groups
from dlc.core.parser import parse_module
from dlc.dialects.graph.structure import Array
from dlc.errors import ArtifactError
from dlc.runtime.gpu_driver import Driver
from dlc.strategies import read
from dlc.tuning.calling import RefusedCallError, UncallableError
from dlc.tuning.gpu_code import gpu_code
from dlc.tuning.gpu_device import GpuDevice
from dlc.tuning.program import alone, lower_alone

PIPELINE = "lower-to-loop,lower-to-gpu{arch=sm_90a},fused-group-plan-memory"
X = np.arange(32 * 64, dtype=np.float16).reshape(32, 64) % 5
Y = np.arange(64 * 48, dtype=np.float16).reshape(64, 48) % 7


def run(library: HostMemoryDriver, columns: int = 48, algorithm: int = 0) -> list[Array]:
    """Run a product by cuBLASLt; return its result."""
    key = f", algorithm = {algorithm}" if algorithm else ""
    text = product("32x64xf16", f"64x{columns}xf16", f"32x{columns}xf16", library=key)
    module = parse_module(text, registry.new_context())
    (group,) = groups(find_main(module))
    assert group.schedule is not None
    kernels = alone(group, read(group.schedule))
    program = lower_alone(kernels, PIPELINE, None)
    code = gpu_code(kernels, "sm_90a")
    with ExitStack() as kept:
        device = GpuDevice("sm_90a", "v", kept, driver=Driver(library), seconds=1e-3)
        _, outputs = device.run(program, code, [X, Y[:, :columns]], {})
    assert library.memory == {}
    return outputs


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
