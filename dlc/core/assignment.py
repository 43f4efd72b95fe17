"""The cheapest choice for several things whose costs depend on each other.

Bucket elimination, which is dynamic programming without a given order (Bertele and Brioschi,
"Nonserial Dynamic Programming", 1972; Dechter, "Bucket elimination", 1999): a variable is replaced
by a table of the least cost for each choice of those it shares a table with. Choosing layouts is
stated in this way by Anderson and Gregg ("Optimal DNN primitive selection with partitioned boolean
quadratic programming", 2018); their exact reductions are those of one and of two neighbours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

MOST_NEIGHBOURS = 12
"""A variable that shares tables with more takes its choice 0: the table would have too many
entries.
"""

Costs = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Table:
    """What each choice for some variables costs: an axis for each, in ascending order, whose length
    is the number of its choices.
    """

    variables: tuple[int, ...]
    costs: Costs


def cheapest(tables: Sequence[Table], count: int) -> list[int]:
    """Return a choice for each of ``count`` variables for which the tables' sum is least: exactly,
    unless one has more than ``MOST_NEIGHBOURS``. Of choices that cost the same the first is taken.
    """
    chosen = [0] * count
    steps: list[tuple[int, Table]] = []
    left = list(tables)
    variables = {v for table in left for v in table.variables}
    while variables:
        variable = min(variables, key=lambda v: (len(_neighbours(left, v)), v))
        variables.remove(variable)
        own = [table for table in left if variable in table.variables]
        left = [table for table in left if variable not in table.variables]
        if len(_neighbours(own, variable)) > MOST_NEIGHBOURS:
            left += [_fixed(table, variable) for table in own]
            continue
        together = reduce(_sum, own)
        steps.append((variable, together))
        axis = together.variables.index(variable)
        rest = tuple(v for v in together.variables if v != variable)
        left.append(Table(rest, np.asarray(together.costs.min(axis))))
    for variable, table in reversed(steps):
        index = tuple(slice(None) if v == variable else chosen[v] for v in table.variables)
        chosen[variable] = int(table.costs[index].argmin())
    return chosen


def _neighbours(tables: Sequence[Table], variable: int) -> set[int]:
    shared = (table.variables for table in tables if variable in table.variables)
    return {v for variables in shared for v in variables} - {variable}


def _fixed(table: Table, variable: int) -> Table:
    rest = tuple(v for v in table.variables if v != variable)
    index = tuple(0 if v == variable else slice(None) for v in table.variables)
    return Table(rest, np.asarray(table.costs[index]))


def _sum(one: Table, other: Table) -> Table:
    variables = tuple(sorted({*one.variables, *other.variables}))
    return Table(variables, _spread(one, variables) + _spread(other, variables))


def _spread(table: Table, variables: Sequence[int]) -> Costs:
    """Return the costs with an axis of length 1 for each variable that they do not depend on."""
    sizes = dict(zip(table.variables, table.costs.shape, strict=True))
    return table.costs.reshape([sizes.get(v, 1) for v in variables])
