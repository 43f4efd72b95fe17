"""One run of a model out of a profile that may hold several and does not say where one begins."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dlc.analyze.profiles.matched import Matched
from dlc.analyze.profiles.matching import match
from dlc.analyze.profiles.names import Layer
from dlc.analyze.profiles.profile import Profile
from dlc.analyze.profiles.repeats import Repeats, repeats
from dlc.analyze.profiles.runs import median_run
from dlc.errors import CompileError, counted


def one_run(profile: Profile, layers: Sequence[Layer]) -> Profile:
    """Return a profile with the medians of its runs, where its calls come again and again.

    Equal blocks of a model come again, too: as many repeats as find layers of their own are one
    run. Raises CompileError where no call is one of a layer.
    """
    rows = profile.rows
    found = None if profile.of_one_run else repeats([(row.name, row.inputs) for row in rows])
    return _Division(profile, layers, found).one_run() if found else profile


@dataclass
class _Division:
    profile: Profile
    layers: Sequence[Layer]
    found: Repeats

    def one_run(self) -> Profile:
        blocks = self._blocks()
        length, count = blocks * self.found.length, self.found.count // blocks
        if not self._computes_most(blocks):
            return self.profile
        if count < 2:
            return self._with("" if self.found.start else self._as_blocks())
        rows = self.profile.rows
        first = len(rows) - count * length if self.found.start else 0
        runs = [rows[first + n * length :][:length] for n in range(count)]
        return replace(self._with(self._as_runs(count, length)), rows=median_run(runs))

    def _blocks(self) -> int:
        """Return how many repeats are one run: of more, some find no layer any more."""
        least = self._calls(1)
        return bisect_left(
            range(1, self.found.count + 1), True, key=lambda n: self._calls(n) < n * least
        )

    def _calls(self, count: int) -> int:
        """Return how many calls of so many repeats are of layers."""
        matched = self._matched(count)
        return sum(map(bool, matched.layers)) if matched else 0

    def _matched(self, count: int) -> Matched | None:
        rows = self.profile.rows[self.found.start :][: count * self.found.length]
        try:
            return match(replace(self.profile, rows=rows), self.layers)
        except CompileError:  # none of them is one of a layer
            return None

    def _computes_most(self, blocks: int) -> bool:
        """Whether a run computes most of what all calls do: else it is only the end of one."""
        matched = self._matched(blocks)
        all = match(self.profile, self.layers)
        return matched is not None and 2 * _computed(matched) > _computed(all)

    def _as_blocks(self) -> str:
        calls = counted(self.found.length, "call")
        return f"it holds {calls} {self.found.count} times, taken as equal parts of one run"

    def _as_runs(self, count: int, length: int) -> str:
        said = (
            f"it holds {count} runs of {counted(length, 'call')}; each call has its median of all "
            "runs but the first"
        )
        rest = len(self.profile.rows) - count * length
        return f"{said}; in no whole run: {counted(rest, 'call')}" if rest else said

    def _with(self, remark: str) -> Profile:
        remarks = [*self.profile.remarks, *([remark] if remark else [])]
        return replace(self.profile, remarks=remarks)


def _computed(matched: Matched) -> int:
    """Return how many layers have calls."""
    return len({place for places in matched.layers for place in places})
