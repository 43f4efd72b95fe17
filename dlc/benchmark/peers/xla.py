"""XLA, through JAX: the model as a function of arrays, which is compiled whole."""

import os
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from dlc.benchmark.contestant import Place, Ready
from dlc.benchmark.op_source import OpSource
from dlc.benchmark.workload import MissingError, Workload
from dlc.runtime.timing import BatchClock

RUNS_AT_A_TIME = 20
"""Runs that are enqueued before the host waits for them: its own time is hidden behind theirs."""


@dataclass(frozen=True)
class _Xla:
    def prepare(self, work: Workload, place: Place, kept: ExitStack) -> Ready:
        if find_spec("jax") is None:
            raise MissingError("JAX is not installed")
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # others need the memory
        import jax  # pyright: ignore[reportMissingImports]  (installed by who compares with it)

        function, arguments = work.source.jax(work)
        device = _device(jax, place)
        precision = "highest" if work.precision == "fp32" else None
        kept.enter_context(jax.default_matmul_precision(precision))
        given = jax.device_put(list(arguments), device)
        compiled = jax.jit(function).lower(*given).compile()
        outputs = jax.block_until_ready(compiled(*given))
        kept.callback(jax.clear_caches)
        last = [outputs]

        def run() -> None:
            last[0] = compiled(*given)

        clock = BatchClock(lambda: jax.block_until_ready(last[0]), RUNS_AT_A_TIME)
        is_same_model = isinstance(work.source, OpSource)
        arrays = [_array(x) for x in jax.tree.leaves(outputs)] if is_same_model else None
        return Ready(run, clock, arrays, f"JAX {jax.__version__}")


def _array(value: Any) -> Any:
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype.kind not in "biu" else array


def _device(jax: Any, place: Place) -> Any:
    try:
        return jax.devices("gpu" if place.is_gpu else "cpu")[place.device if place.is_gpu else 0]
    except RuntimeError:
        raise MissingError(f"JAX {jax.__version__} cannot use the GPU") from None


PEER = _Xla()
