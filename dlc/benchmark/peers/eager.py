"""PyTorch without a compiler; on a GPU captured in a CUDA graph, which takes Python's time away."""

from contextlib import ExitStack
from dataclasses import dataclass

from dlc.benchmark.contestant import Place, Ready
from dlc.benchmark.peers import _torch
from dlc.benchmark.workload import Workload


@dataclass(frozen=True)
class _Eager:
    def prepare(self, work: Workload, place: Place, kept: ExitStack) -> Ready:
        torch = _torch.load_torch(place, work.precision)
        module, arguments = _torch.module_and_arguments(torch, work, place)
        _torch.forget(torch, kept)
        kept.enter_context(torch.no_grad())
        outputs = _torch.warmed_up(module, arguments)
        note = f"PyTorch {torch.__version__}"
        if not place.is_gpu:
            arrays = _torch.arrays_of(outputs)
            return Ready(lambda: module(*arguments), place.clock, arrays, note)
        replay, arrays = _torch.captured(torch, module, arguments, kept)
        return Ready(replay, place.clock, arrays, f"{note}, in a CUDA graph")


PEER = _Eager()
