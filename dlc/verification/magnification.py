"""Which ops of a model magnify rounding errors most."""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dlc.core.locations import operation_text
from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import Array
from dlc.oracle import Noise, run_reference
from dlc.verification.error_bound import EPSILON
from dlc.verification.rounding_noise import RoundingNoise


def magnifying_nodes(
    module: ModuleOp,
    feeds: Mapping[str, Array],
    weights: WeightStore,
    precision: str,
    count: int = 3,
) -> list[str]:
    """Return the ops whose results are moved by noise most, compared with their operands."""

    def results(noise: Noise | None) -> dict[Operation, Array]:
        found: dict[Operation, Array] = {}

        def observe(op: Operation, arrays: Sequence[Array]) -> None:
            if arrays[0].dtype.kind == "f":
                found[op] = arrays[0]

        run_reference(module, feeds, weights, np.float32, observe=observe, noise=noise)
        return found

    exact, moved = results(None), results(RoundingNoise(0, 1, precision))
    shift = {op: relative_shift(exact[op], moved[op]) for op in exact}
    least = EPSILON[precision]

    def growth(op: Operation) -> float:
        owners = [x.owner for x in op.operands]
        before = [shift[x] for x in owners if isinstance(x, Operation) and x in shift]
        return shift[op] / max(least, *before) if before else 0.0

    return list(dict.fromkeys(map(operation_text, sorted(shift, key=growth)[::-1])))[:count]


def relative_shift(exact: Array, moved: Array) -> float:
    """Return how far an array was moved, relative to its size, where both are finite."""
    with np.errstate(all="ignore"):
        size, distance = np.linalg.norm(exact), np.linalg.norm(moved - exact)
    if not (size > 0 and np.isfinite(size + distance)):  # rare; squares fit there
        finite = np.isfinite(exact) & np.isfinite(moved)
        x, y = exact[finite].astype(np.float64), moved[finite].astype(np.float64)
        size, distance = np.linalg.norm(x), np.linalg.norm(y - x)
    return float(distance / size) if size else 0.0
