"""What a run on device memory hands to the C interface; the arrays only say they are on a GPU."""

import sys
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from dlc.errors import InputError
from dlc.runtime import dlpack
from dlc.runtime.device_arrays import run_on_device
from dlc.runtime.library import Library, TensorInfo

INFO = TensorInfo("x", np.dtype(np.float32), (2, 3))
OUTPUT = TensorInfo("y", np.dtype(np.float32), (2, 3))


class GpuArray:
    """Memory of the host that DLPack is told is on CUDA device ``device``."""

    def __init__(self, array: np.ndarray, device: int = 0):
        self.array = array
        self.device = device

    def __dlpack__(self, stream: int | None = None) -> object:
        capsule = self.array.__dlpack__()
        tensor = dlpack.tensor_of(capsule)
        tensor.device_type, tensor.device_id = dlpack.CUDA_DEVICE, self.device
        return capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CUDA_DEVICE, self.device

    @property
    def address(self) -> int:
        return self.array.ctypes.data


def gpu_zeros(*sizes: int, device: int = 0, dtype: type = np.float32) -> GpuArray:
    return GpuArray(np.zeros(sizes, dtype), device)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int, int]]:
    """Put an array library in the place of cupy; return the list of runs."""
    stream = SimpleNamespace(ptr=7)
    cupy = SimpleNamespace(
        cuda=SimpleNamespace(get_current_stream=lambda: stream),
        empty=lambda shape, dtype: GpuArray(np.empty(shape, dtype)),
    )
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    return []


def run(calls: list[Any], x: Any, y: Any = None, **given: Any) -> list[Any]:
    def enqueue(_: int, stream: int, __: None, inputs: Any, outputs: Any) -> int:
        calls.append((stream, inputs[0], outputs[0]))
        return 0

    library = SimpleNamespace(
        inputs=(INFO,),
        outputs=(OUTPUT,),
        api=SimpleNamespace(run=enqueue),
        check=lambda status: None,
    )
    return run_on_device(cast("Library", library), 1, 0, [x], [y], given.get("stream"))


def test_a_new_output_on_the_current_stream(calls: list[Any]) -> None:
    x = gpu_zeros(2, 3)
    (y,) = run(calls, x)
    assert calls == [(7, x.address, y.address)]


def test_an_output_of_the_caller_on_the_stream_of_the_caller(calls: list[Any]) -> None:
    x, y = gpu_zeros(2, 3), gpu_zeros(2, 3)
    assert run(calls, x, y, stream=9) == [y]
    assert calls == [(9, x.address, y.address)]


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (gpu_zeros(2, 3, device=1), None, "input 'x': it is not on CUDA device 0"),
        (np.zeros((2, 3), np.float32), None, "input 'x': it is in host memory"),
        (gpu_zeros(2, 3), np.zeros((2, 3), np.float32), "output 'y': it is in host memory"),
        (gpu_zeros(2, 3), gpu_zeros(2, 3, device=1), "output 'y': it is not on CUDA device 0"),
        (gpu_zeros(2, 3), gpu_zeros(3, 2), r"output 'y': shape \[3, 2\] given"),
        (gpu_zeros(2, 3), gpu_zeros(2, 3, dtype=np.int32), "output 'y': dtype int32 given"),
        (gpu_zeros(2, 3), [0.0], "output 'y': a list is no array"),
    ],
)
def test_an_array_that_does_not_fit(calls: list[Any], x: Any, y: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        run(calls, x, y)
    assert calls == []


def test_an_output_that_is_the_input_is_refused(calls: list[Any]) -> None:
    x = gpu_zeros(2, 3)
    with pytest.raises(InputError, match=r"^output 'y': its memory is that of input 'x' too"):
        run(calls, x, x)
    assert calls == []
