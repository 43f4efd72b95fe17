"""PyTorch's own compiler, with the weights as constants, as they are in an artifact."""

from contextlib import ExitStack
from dataclasses import dataclass

from dlc.benchmark.contestant import Place, Ready
from dlc.benchmark.peers import _torch
from dlc.benchmark.workload import Workload


@dataclass(frozen=True)
class Compiled:
    """``torch.compile``. mode: of it, on a GPU; on the CPU it is the default one."""

    mode: str

    def prepare(self, work: Workload, place: Place, kept: ExitStack) -> Ready:
        """Compile and warm up."""
        torch = _torch.load_torch(place, work.precision)
        module, arguments = _torch.module_and_arguments(torch, work, place)
        _torch.forget(torch, kept)
        mode = self.mode if place.is_gpu else "default"
        compiled = _torch.frozen(torch, module, mode, kept)
        arrays = _torch.arrays_of(_torch.warmed_up(compiled, arguments))
        note = f"PyTorch {torch.__version__}, {mode}, frozen"
        return Ready(lambda: compiled(*arguments), place.clock, arrays, note)
