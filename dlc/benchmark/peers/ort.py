"""ONNX Runtime: its CPU provider, or on a GPU its CUDA provider where it has one."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import onnx

from dlc.benchmark.contestant import Array, Place, Ready
from dlc.benchmark.workload import MissingError, Workload
from dlc.frontends.onnx.embedding import with_weights
from dlc.runtime.timing import HostClock, Run

_CUDA = "CUDAExecutionProvider"
_ERRORS_ONLY = 3


@dataclass(frozen=True)
class _OnnxRuntime:
    def prepare(self, work: Workload, place: Place, kept: ExitStack) -> Ready:
        if find_spec("onnxruntime") is None:
            raise MissingError("ONNX Runtime is not installed")
        import onnxruntime

        if place.is_gpu and _CUDA not in onnxruntime.get_available_providers():
            raise MissingError(f"ONNX Runtime {onnxruntime.__version__} has no CUDA provider")
        options = onnxruntime.SessionOptions()
        options.log_severity_level = _ERRORS_ONLY
        options.intra_op_num_threads = place.threads or 0
        session = onnxruntime.InferenceSession(
            _model(work), options, providers=[_provider(work.precision, place)]
        )
        if place.is_gpu and session.get_providers()[0] != _CUDA:  # it goes on with the CPU's
            raise MissingError(f"ONNX Runtime {onnxruntime.__version__} cannot use the GPU")
        feeds = _feeds(session, work)
        outputs = [np.asarray(x) for x in session.run(None, feeds, _without_graph())]
        note = f"ONNX Runtime {onnxruntime.__version__}"
        if not place.is_gpu:
            return Ready(lambda: session.run(None, feeds), HostClock(), outputs, note)
        run, outputs = bound(session, feeds, outputs, "cuda", place.device)
        return Ready(run, HostClock(), outputs, f"{note}, CUDA graph, inputs on the GPU")


def _without_graph() -> Any:
    """Return options of a run that is not captured: a CUDA graph keeps the addresses of the run
    that it was captured in, and that is to be the bound one.
    """
    import onnxruntime

    options = onnxruntime.RunOptions()
    options.add_run_config_entry("gpu_graph_id", "-1")
    return options


def _provider(precision: str, place: Place) -> Any:
    if not place.is_gpu:
        return "CPUExecutionProvider"
    return (
        _CUDA,
        {
            "device_id": str(place.device),
            "enable_cuda_graph": "1",
            "use_tf32": "0" if precision == "fp32" else "1",
            "cudnn_conv_algo_search": "EXHAUSTIVE",
            "prefer_nhwc": "0" if precision == "fp32" else "1",
        },
    )


def _model(work: Workload) -> Any:
    """Return what the session reads: the file, or the model in half precision.

    Raises MissingError where it has no such form.
    """
    if work.precision in ("fp32", "tf32"):
        return str(work.path)
    model = with_weights(work.path)
    if not any(t.data_type == onnx.TensorProto.FLOAT for t in model.graph.initializer):
        return model.SerializeToString()  # it has that precision already
    if work.precision != "fp16":
        raise MissingError(f"it has no conversion of a model to {work.precision}")
    from onnxruntime.transformers.float16 import convert_float_to_float16

    return convert_float_to_float16(model, keep_io_types=False).SerializeToString()


def _feeds(session: Any, work: Workload) -> dict[str, Any]:
    """Return the feeds in the types of the session, which has half inputs where the model has, and
    takes as inputs what is a constant for dlc.
    """
    types = {"tensor(float16)": np.float16, "tensor(float)": np.float32}
    known = {**work.feeds, **work.source.constants()}
    return {
        i.name: np.asarray(known[i.name], dtype=types.get(i.type)) for i in session.get_inputs()
    }


def bound(
    session: Any, feeds: Mapping[str, Any], like: Sequence[Array], kind: str, device: int
) -> tuple[Run, list[Array]]:
    """Return a run whose inputs and outputs stay on a device, warmed up, and its outputs.

    like: arrays of the outputs' shapes and types. kind: ``cuda`` or ``cpu``.
    """
    import onnxruntime

    def placed(array: Any) -> Any:
        return onnxruntime.OrtValue.ortvalue_from_numpy(array, kind, device)

    binding = session.io_binding()
    for name, array in feeds.items():
        binding.bind_ortvalue_input(name, placed(array))
    for output, array in zip(session.get_outputs(), like, strict=True):
        binding.bind_ortvalue_output(output.name, placed(np.zeros_like(array)))
    run = lambda: session.run_with_iobinding(binding)
    run()
    return run, [np.asarray(x) for x in binding.copy_outputs_to_cpu()]


PEER = _OnnxRuntime()
