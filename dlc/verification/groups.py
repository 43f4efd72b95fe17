"""Checks the launches of a model one by one, each on the values that it gets in a real run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from dlc.analysis.entry import find_main, input_names
from dlc.analysis.entry import groups as groups_of
from dlc.analysis.evaluation import constant_value
from dlc.core.locations import operation_text
from dlc.core.weights import WeightStore
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.overlay import stored
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.oracle import run_block
from dlc.verification.error_bound import MOST, error_bound, relative_error
from dlc.verification.miscompile import MiscompileError
from dlc.verification.plan import reference_seconds
from dlc.verification.rounding_noise import errors_beyond, shares_hidden


@dataclass(frozen=True)
class GroupsChecked:
    """How many launches, and of how many kernels, were compared with the reference. silent: the
    operations of kernels that were not, since their results had no number, or rounding errors hide
    most of them.
    """

    launches: int
    all_launches: int
    kernels: int
    all_kernels: int
    silent: Sequence[str] = ()

    def text(self) -> str:
        """Return a phrase for the user."""
        return (
            f"{self.kernels} of {self.all_kernels} kernels in {self.launches} of "
            f"{self.all_launches} launches{silent_text(self.silent)}"
        )


def silent_text(operations: Sequence[str]) -> str:
    """Return a phrase for the user about kernels whose results told nothing."""
    names = dict.fromkeys(operations)
    return f" (NaN everywhere, or hidden by rounding noise: {', '.join(names)})" if names else ""


def verify_groups(
    groups: ModuleOp,
    kernels: Mapping[str, Sequence[str]],
    feeds: Mapping[str, Array],
    intermediate: Mapping[str, Sequence[Array]],
    weights: WeightStore,
    precision: str,
    budget_seconds: float,
) -> GroupsChecked:
    """Compare the results of groups with their reference: the first group of every kernel, then
    others, the cheapest first, for ``budget_seconds`` of estimated time.

    groups: the module before lowering. kernels: those that each of its groups launches, by name.
    intermediate: the results of all groups in a run on ``feeds``, by name; a group is computed from
    those of the groups before it, so that errors do not add up. Raises MiscompileError when a
    result is further off than ``error_bound``, beyond the slack of its elements where the group
    magnifies rounding errors (``rounding_noise``).
    """
    values = _Values(groups, feeds, intermediate, weights)
    cost = {name: reference_seconds(values.groups[name]) for name in kernels}
    chosen = _chosen(kernels, cost, budget_seconds)
    checked = [
        name
        for name in chosen
        if _check(values, values.groups[name], kernels[name], weights, precision)
    ]
    seen = {kernel for name in checked for kernel in kernels[name]}
    silent = {
        kernels[name][-1]: operation_text(values.groups[name])
        for name in chosen
        if not seen.issuperset(kernels[name])
    }
    all_kernels = {kernel for launched in kernels.values() for kernel in launched}
    return GroupsChecked(
        sum(len(kernels[name]) for name in checked),
        sum(map(len, kernels.values())),
        len(seen),
        len(all_kernels),
        list(silent.values()),
    )


def check_same(outputs: Mapping[str, Array], probed: Mapping[str, Array]) -> None:
    """Raise MiscompileError unless the outputs of an artifact are those of its probe, to the last
    bit: the same kernels ran, but there no two values shared memory.
    """
    for name, got in outputs.items():
        if relative_error(probed[name], got):
            raise MiscompileError(
                f"output {name!r} changes with the places of the intermediate values"
            )


def first_of_each(kernels: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the first group of each kernel, in order. kernels: those of each group."""
    seen: set[str] = set()
    found: list[str] = []
    for name, launched in kernels.items():
        if not seen.issuperset(launched):
            found.append(name)
            seen.update(launched)
    return found


def _chosen(
    kernels: Mapping[str, Sequence[str]], cost: Mapping[str, float], budget_seconds: float
) -> list[str]:
    """Return the first group of each kernel, then others, the cheapest first, in the budget."""
    chosen = first_of_each(kernels)
    others = sorted(kernels.keys() - set(chosen), key=lambda name: (cost[name], name))
    spent = accumulate(cost[name] for name in others)
    return [*chosen, *(n for n, s in zip(others, spent, strict=True) if s <= budget_seconds)]


class _Values:
    """The arrays that the values of ``main`` had in a run."""

    def __init__(
        self,
        module: ModuleOp,
        feeds: Mapping[str, Array],
        intermediate: Mapping[str, Sequence[Array]],
        weights: WeightStore,
    ):
        main = find_main(module)
        names = input_names(main)
        self.weights = weights
        self.groups = {group.sym_name.data: group for group in groups_of(main)}
        self._arrays: dict[SSAValue, Array] = {}
        for name, arrays in intermediate.items():
            results = self.groups[name].results
            self._arrays.update(zip(results, map(stored, results, arrays), strict=True))
        self._arrays.update(zip(main.args, (feeds[name] for name in names), strict=True))

    def __getitem__(self, value: SSAValue) -> Array:
        """Return the array of an input, a group's result, a constant, or a view of one of them."""
        if value in self._arrays:
            return self._arrays[value]
        constant = constant_value(value, self.weights)
        if constant is not None:
            return constant
        assert isinstance(value.owner, GraphOp)
        found = value.owner.reference(*(self[x] for x in value.owner.operands))
        assert isinstance(found, np.ndarray)
        return found


def has_numbers(results: Sequence[Array]) -> bool:
    """Return whether there is a finite number in results, or nothing at all."""
    filled = [x for x in results if x.size]
    return not filled or any(np.isfinite(x.astype(np.float64)).any() for x in filled)


def _check(
    values: _Values,
    group: GroupOp,
    kernels: Sequence[str],
    weights: WeightStore,
    precision: str,
) -> bool:
    """Compare the results of a group; return whether that told something: there was a number among
    them, and rounding errors do not hide most of them.
    """
    arguments = [values[x] for x in group.inputs]
    wanted = run_block(group.body.block, list(arguments), weights)
    results = [values[r] for r in group.results]
    hidden = check_results(group, kernels, arguments, wanted, results, weights, precision)
    return has_numbers(wanted) and hidden <= MOST


def check_results(
    group: GroupOp,
    kernels: Sequence[str],
    arguments: Sequence[Array],
    wanted: Sequence[Array],
    results: Sequence[Array],
    weights: WeightStore,
    precision: str,
) -> float:
    """Return which share of a result rounding errors hide at the most (``rounding_noise``).

    Raises MiscompileError when results of ``kernels``, which compute a group, on ``arguments`` are
    further off than ``verify_groups`` says from ``wanted``, its reference.
    """
    bound = error_bound(group, precision)
    errors = list(map(relative_error, wanted, results))
    if all(error <= bound for error in errors):
        return 0.0
    run = partial(run_block, group.body.block, list(arguments), weights)
    found = errors_beyond([run], wanted, results, precision, bound)
    for error in found.errors:
        if not error <= bound:
            raise MiscompileError(
                f"a result is off by {error:.1e} of its largest value, bound {bound:.1e}",
                at=operation_text(group),
                kernels=kernels,
            )
    return max(shares_hidden(found, wanted), default=0.0)
