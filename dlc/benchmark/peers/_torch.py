"""What the peers of PyTorch share: the module, its arguments, and how they are timed."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from dlc.benchmark import workload
from dlc.benchmark.contestant import Array, Place
from dlc.benchmark.workload import MissingError, Workload
from dlc.runtime.timing import Run

WARM_UP_RUNS = 3
_DTYPES = {"fp16": "float16", "bf16": "bfloat16"}


def load_torch(place: Place, precision: str) -> Any:
    """Return PyTorch, set to the precision, the stream and the threads. Raises MissingError."""
    torch = workload.load_torch()
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.benchmark = True
    if place.threads:
        torch.set_num_threads(place.threads)
    if place.is_gpu:
        if not torch.cuda.is_available():
            raise MissingError(f"PyTorch {torch.__version__} cannot use the GPU")
        torch.cuda.set_stream(torch.cuda.ExternalStream(place.stream, device=place.device))
    return torch


def module_and_arguments(torch: Any, work: Workload, place: Place) -> tuple[Any, list[Any]]:
    """Return the module and its arguments where they are to run; images have their channels last.

    Raises MissingError.
    """
    module, arguments = work.source.torch(work.batch, work.path)
    if not arguments:
        arguments = [_tensor(torch, array) for array in work.feeds.values()]
    dtype = getattr(torch, _DTYPES.get(work.precision, "float32"))
    module = module.eval().to(device=_device(place), dtype=dtype)
    given = [_moved(x, _device(place), dtype) for x in arguments]
    if work.precision != "fp32" and any(x.dim() == 4 for x in given) and _has_images(torch, module):
        module = module.to(memory_format=torch.channels_last)
        given = [x.to(memory_format=torch.channels_last) if x.dim() == 4 else x for x in given]
    return module, given


def _has_images(torch: Any, module: Any) -> bool:
    kinds = (torch.nn.Conv2d, torch.nn.ConvTranspose2d)
    weights = (p for p in module.parameters() if p.dim() == 4)
    return any(isinstance(m, kinds) for m in module.modules()) or any(True for _ in weights)


def _tensor(torch: Any, array: Array) -> Any:
    if array.dtype.name == "bfloat16":  # PyTorch does not know numpy's
        return torch.from_numpy(array.astype(np.float32)).bfloat16()
    return torch.from_numpy(array)


def _device(place: Place) -> str:
    return f"cuda:{place.device}" if place.is_gpu else "cpu"


def _moved(tensor: Any, device: str, dtype: Any) -> Any:
    return tensor.to(device=device, dtype=dtype if tensor.is_floating_point() else tensor.dtype)


def warmed_up(module: Any, arguments: Sequence[Any]) -> Any:
    """Return what the last of the first runs gives; what the others gave is not alive meanwhile,
    as then a CUDA graph of torch.compile may not use its memory again.
    """
    for _ in range(WARM_UP_RUNS - 1):
        module(*arguments)
    return module(*arguments)


def frozen(torch: Any, module: Any, mode: str, kept: ExitStack) -> Any:
    """Return the module compiled with its weights as constants, until ``kept`` is closed."""
    import torch._inductor.config as inductor  # pyright: ignore[reportMissingImports]  (optional)

    kept.enter_context(inductor.patch(freezing=True))
    kept.enter_context(torch.no_grad())
    return torch.compile(module, mode=mode)


def captured(
    torch: Any, module: Any, arguments: Sequence[Any], kept: ExitStack
) -> tuple[Run, list[Array]]:
    """Return what replays a CUDA graph of a call of a warm module, and its outputs."""
    torch.cuda.synchronize()
    # cuBLAS takes its workspace anew, inside of the graph: torch.compile frees the one outside.
    torch._C._cuda_clearCublasWorkspaces()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=torch.cuda.current_stream()):
        outputs = module(*arguments)
    graph.replay()
    used = [module, arguments, outputs]  # a graph has addresses only, and keeps no tensor alive
    kept.callback(used.clear)
    return graph.replay, arrays_of(outputs)


def arrays_of(outputs: Any) -> list[Array]:
    """Return the outputs of a module on the host, those of half precision as fp32."""
    if hasattr(outputs, "to_tuple"):  # of transformers
        outputs = outputs.to_tuple()
    found: Sequence[Any] = outputs if isinstance(outputs, list | tuple) else [outputs]
    return [_array(x) for x in found if x is not None]


def _array(tensor: Any) -> Array:
    tensor = tensor.detach().cpu()
    return (tensor.float() if tensor.is_floating_point() else tensor).numpy()


def forget(torch: Any, kept: ExitStack) -> None:
    """Give memory and compiled code back when the peer was timed; not after a fault, when all that
    is asked of the GPU fails and would hide it.
    """

    def clear(kind: object, *_: object) -> None:
        if kind is None:
            torch.compiler.reset()
            if torch.cuda.is_available():
                torch.cuda.empty_cache()

    kept.push(clear)
