"""The inputs on which a finished artifact runs: ordinary ones and those at which code fails."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.ir import SSAValue

from dlc.analysis.evaluation import constant_value
from dlc.backends._host_reader import find_main
from dlc.core.weights import WeightStore
from dlc.dialects._tensor import element_type
from dlc.dialects.graph._structure import Array, GraphOp
from dlc.oracle import value_names
from dlc.runtime.library import TensorInfo

Feeds = dict[str, Array]
Switches = Mapping[str, Sequence[int]]
_Draw = Callable[[np.random.Generator, TensorInfo], Array]


def verification_inputs(
    inputs: Sequence[TensorInfo], positions: Switches
) -> Iterator[tuple[str, Feeds]]:
    """Yield inputs by name: ordinary ones first, then those at which code tends to fail.

    positions: the values of integers that are switches, which stand at one of them but for zeros.
    """

    def integers(generator: np.random.Generator, info: TensorInfo) -> Array:
        if info.name in positions:
            return np.full(info.shape, generator.choice(positions[info.name]))
        return generator.integers(0, 2, info.shape)  # as indices they must be inside any table

    def ones(generator: np.random.Generator, info: TensorInfo) -> Array:
        return integers(generator, info) if info.name in positions else np.ones(info.shape)

    draws: Mapping[str, tuple[_Draw, _Draw]] = {
        "random": (integers, lambda g, i: g.standard_normal(i.shape)),
        "zero": (lambda g, i: np.zeros(i.shape), lambda g, i: np.zeros(i.shape)),
        "large": (ones, lambda g, i: 30 * g.standard_normal(i.shape)),
        "small": (integers, lambda g, i: 1e-3 * g.random(i.shape)),
        "negative": (ones, lambda g, i: -g.random(i.shape)),
    }
    for seed, (name, (whole, real)) in enumerate(draws.items()):
        generator = np.random.default_rng(seed)
        feeds = {i.name: (whole if i.dtype.kind in "biu" else real)(generator, i) for i in inputs}
        yield name, {i.name: feeds[i.name].astype(i.dtype) for i in inputs}


def switches(module: ModuleOp, weights: WeightStore) -> Switches:
    """Return the values with which the model compares its integer inputs of one element."""
    main = find_main(module)
    names = value_names(main.arg_attrs, len(main.args), "input")
    found = {n: _compared(x, weights) for n, x in zip(names, main.args, strict=True)}
    return {name: values for name, values in found.items() if values}


def _compared(value: SSAValue, weights: WeightStore) -> list[int]:
    """Return the constants of one element that ops with a boolean result take beside ``value``."""
    users = [use.operation for use in value.uses]
    tests = [op for op in users if isinstance(op, GraphOp) and element_type(op.results[0]) == i1]
    beside = [constant_value(x, weights) for op in tests for x in op.operands if x is not value]
    known = [x for x in beside if x is not None and x.size == 1 and x.dtype.kind in "iu"]
    return sorted({int(x.item()) for x in known})
