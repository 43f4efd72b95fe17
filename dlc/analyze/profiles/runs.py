"""One run that stands for several."""

from collections import Counter
from collections.abc import Hashable, Sequence
from statistics import median_low

from dlc.analyze.profiles.profile import Row


def median_run(runs: Sequence[Sequence[Row]]) -> list[Row]:
    """Return for each call that of the run in which it took its median time.

    Of several runs the first one is left out: it warms up. A call is known by its name and by how
    often that name came before it in the run. What is in some runs only has its median in those.
    """
    counted = [run for run in runs if run]
    found: dict[Hashable, list[Row]] = {}
    for run in counted[1:] or counted:
        times = Counter[str]()
        for row in run:
            found.setdefault((row.name, times[row.name]), []).append(row)
            times[row.name] += 1
    return [_median(rows) for rows in found.values()]


def _median(rows: Sequence[Row]) -> Row:
    middle = median_low(row.us for row in rows)
    return next(row for row in rows if row.us == middle)
