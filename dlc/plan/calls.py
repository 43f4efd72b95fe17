"""Calls of libraries as candidates of a plan."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dlc import libraries
from dlc.analysis.dataflow import Cluster
from dlc.arch import Arch
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.overlay import part_of
from dlc.libraries import Price
from dlc.plan.candidate import Candidate
from dlc.plan.plan import Plan
from dlc.strategies import Rated, Schedule, target_of


def known_names(names: Sequence[str], chip: Arch) -> tuple[str, ...]:
    """Return the names of libraries, sorted; raises CompileError for one that is not there, or is
    for another kind of chip.
    """
    for library in map(libraries.by_name, names):
        library.require_target(target_of(chip), chip.name)
    return tuple(sorted(set(names)))


def with_calls(
    generated: Sequence[Candidate],
    cluster: Cluster,
    chip: Arch,
    names: Sequence[str],
    all_algorithms: bool = False,
) -> tuple[Candidate, ...]:
    """Return generated kernels, and calls of libraries, each before what takes longer also where
    its price is off by its error.

    A call has the best generated kernel beside it, for where its library is missing.
    all_algorithms: each algorithm of a library is a call of its own, and takes as long as its
    first one by the model.
    """
    found = list(generated)
    for call in _calls(generated[0].schedule, cluster, chip, names, all_algorithms):
        slower = (n for n, each in enumerate(found) if each.estimate_s > call.estimate_s)
        found.insert(next(slower, len(found)), call)
    return tuple(found)


def _calls(
    kernel: Schedule,
    cluster: Cluster,
    chip: Arch,
    names: Sequence[str],
    all_algorithms: bool,
) -> Iterator[Candidate]:
    for library in map(libraries.by_name, names):
        if library.obstacle(cluster, chip) is None:
            price = library.price(cluster, chip)
            for number in range(library.algorithms(cluster) if all_algorithms else 1):
                rated = _rated(replace(kernel, library=library.name, algorithm=number), price)
                yield Candidate(
                    rated.schedule, price.surely_s, lambda rated=rated: rated, late_s=price.late_s
                )


def check_call(rated: Rated, cluster: Cluster, chip: Arch) -> Rated:
    """Return what a schedule that is given takes, of which the kernel was rated.

    Raises CompileError where its library does not compute the cluster.
    """
    schedule = rated.schedule
    if not schedule.library:
        return rated
    library = libraries.by_name(schedule.library)
    library.require(cluster, chip, schedule.algorithm)
    return _rated(schedule, library.price(cluster, chip))


def _rated(schedule: Schedule, price: Price) -> Rated:
    return Rated(schedule, price.bound, lambda: price.surely_s)


def fitting(plan: Plan, group: GroupOp) -> Candidate:
    """Return the best candidate that a group can have: no library stores a part of a tensor."""
    if not any(map(part_of, group.outputs)):
        return plan.best
    return next(each for each in plan.candidates if not each.schedule.library)
