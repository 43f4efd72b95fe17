"""``torch.compile`` captured in a CUDA graph by us: what its kernels take without Python."""

from contextlib import ExitStack
from dataclasses import dataclass

from dlc.benchmark.contestant import Place, Ready
from dlc.benchmark.peers import _torch
from dlc.benchmark.workload import MissingError, Workload


@dataclass(frozen=True)
class _Captured:
    def prepare(self, work: Workload, place: Place, kept: ExitStack) -> Ready:
        if not place.is_gpu:
            raise MissingError("there are no CUDA graphs on the CPU; compile is the same there")
        torch = _torch.load_torch(place, work.precision)
        module, arguments = _torch.module_and_arguments(torch, work, place)
        _torch.forget(torch, kept)
        compiled = _torch.frozen(torch, module, "default", kept)
        _torch.warmed_up(compiled, arguments)
        replay, arrays = _torch.captured(torch, compiled, arguments, kept)
        note = f"PyTorch {torch.__version__}, default, frozen, in a CUDA graph"
        return Ready(replay, place.clock, arrays, note)


PEER = _Captured()
