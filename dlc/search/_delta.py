"""How much less some kernels take as one: a guess that asks for no plan."""

from dlc.analysis.traffic import traffic_bytes, work
from dlc.arch import Arch, GpuArch
from dlc.search._op_sets import OpSet, OpSets, members
from dlc.search._price import Prices


class Delta:
    """FusionStitching's delta evaluator: less traffic, fewer launches, more operations.

    The traffic is that of the second-level cache, which holds most of what kernels hand to each
    other. Operations are multiply-adds at the peak rate; those of contractions are the same in any
    kernel.
    """

    def __init__(self, sets: OpSets, prices: Prices, chip: Arch):
        self.sets = sets
        self._prices = prices
        self._chip = chip
        is_gpu = isinstance(chip, GpuArch)
        self._launch_s = 1e-6 * (chip.launch_us if is_gpu else chip.costs.launch_us)
        self._flops = chip.flops_per_s("fma.f32") if is_gpu else chip.flops_per_s()
        self._alone = [self._guess(1 << place) for place in range(len(sets.order))]
        self._found: dict[OpSet, float] = {}

    def saved_s(self, ops: OpSet) -> float:
        """Return the seconds that a kernel of all ops of a set takes less than one of each."""
        found = self._found.get(ops)
        if found is None:
            alone = sum(self._alone[place] for place in members(ops))
            found = self._found[ops] = alone - self._guess(ops)
        return found

    def _guess(self, ops: OpSet) -> float:
        kernel = self._prices.kernel(self.sets.cluster(ops))
        if kernel is None:
            return 0.0
        moved_s = traffic_bytes(kernel) / self._chip.l2_bytes_per_s
        return self._launch_s + moved_s + work(kernel) / self._flops
