"""Steps from divisions to others near by."""

from collections.abc import Sequence
from random import Random

from dlc.search._op_sets import Division, OpSet, OpSets, first, members


class Steps:
    """Draws divisions near others; each can run, whether it has kernels or not."""

    def __init__(self, sets: OpSets, known: Sequence[OpSet], random: Random):
        """known: sets that have a kernel."""
        self._sets, self._known, self._random = sets, known, random

    def mutated(self, division: Division) -> Division | None:
        """Return a division after a step that is drawn; ``None`` where that leads nowhere."""
        if not division:
            return None
        step = self._random.choice((self._merge, self._split, self._move, self._take))
        found = step(division)
        return found if found and found != division and self.can_run(found) else None

    def crossed(self, one: Division, other: Division) -> Division | None:
        """Return the first part of one division with the rest of another; ``None`` where nothing is
        a part of both. All before a place of the order can run first, so this can, too.
        """
        cuts = sorted(self._cuts(one) & self._cuts(other))
        if not cuts:
            return None
        before = self._random.choice(cuts)
        return frozenset(
            [*(ops for ops in one if ops & before), *(ops for ops in other if not ops & before)]
        )

    def can_run(self, division: Division) -> bool:
        """Whether the sets can run one after the other, each as a whole."""
        waiting, done = sorted(division, key=first), 0
        while waiting:
            left: list[OpSet] = []
            for ops in waiting:
                if self._sets.needs(ops) & ~done:
                    left.append(ops)
                else:
                    done |= ops
            if len(left) == len(waiting):
                return False
            waiting = left
        return True

    def _cuts(self, division: Division) -> set[OpSet]:
        """Return the beginnings of the order that end inside of no set; not all, not nothing."""
        found, reached, before = set[OpSet](), 0, 0
        for ops in sorted(division, key=first):
            if before and reached <= first(ops):
                found.add(before)
            before |= ops
            reached = max(reached, ops.bit_length())
        return found

    def _merge(self, division: Division) -> Division | None:
        """Make one of a set and one next to it, with all that lie between."""
        ops = self._drawn(division)
        near = [each for each in sorted(division - {ops}) if each & self._around(ops)]
        if not near:
            return None
        whole = ops | self._random.choice(near)
        while (wider := self._touched(division, self._sets.convex(whole))) != whole:
            whole = wider
        return frozenset([whole, *(each for each in division if not each & whole)])

    def _split(self, division: Division) -> Division | None:
        """Cut a set at a place of the order."""
        ops = self._drawn(division)
        if not ops & (ops - 1):
            return None
        place = self._random.choice(list(members(ops))[1:])
        before = ops & (1 << place) - 1
        return division - {ops} | {before, ops & ~before}

    def _move(self, division: Division) -> Division | None:
        """Move an op at the border of two sets from one to the other."""
        ops = self._drawn(division)
        at_border = list(members(self._around(ops)))
        if not at_border:
            return None
        return self._with(division, ops | 1 << self._random.choice(at_border))

    def _take(self, division: Division) -> Division | None:
        """Take a known set."""
        if not self._known:
            return None
        return self._with(division, self._random.choice(self._known))

    def _with(self, division: Division, ops: OpSet) -> Division:
        """Return a division with a set; the others lose what is in it."""
        return frozenset([ops, *(rest for each in division if (rest := each & ~ops))])

    def _drawn(self, division: Division) -> OpSet:
        return self._random.choice(sorted(division))

    def _around(self, ops: OpSet) -> OpSet:
        found = 0
        for place in members(ops):
            found |= self._sets.neighbours[place]
        return found & ~ops

    @staticmethod
    def _touched(division: Division, ops: OpSet) -> OpSet:
        """Return all sets that have an op in common with one."""
        return sum(each for each in division if each & ops)
