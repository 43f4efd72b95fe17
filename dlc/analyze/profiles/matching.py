"""Which calls of a profile compute which layers of a model."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from dlc.analyze.profiles.beside import fill
from dlc.analyze.profiles.matched import Matched
from dlc.analyze.profiles.names import Layer, Names
from dlc.analyze.profiles.order import Scores, aligned
from dlc.analyze.profiles.profile import Profile, Row
from dlc.errors import CompileError, counted

Kinds = NDArray[np.object_]

_MOST_PAIRS = 100_000_000
"""Of a call and a layer that are looked at."""
_UNKNOWN, _EQUAL, _ALL_EQUAL, _OTHER = 3, 4, 5, 2
"""What a pair counts: with shapes that nobody knows, that are equal, those of weights too, that
differ. The last is also that of a call which may end another one instead."""


def match(profile: Profile, layers: Sequence[Layer]) -> Matched:
    """Return which layers of a report the calls of a profile compute.

    By the nodes or the name of a call, else by its kind and the order. What has no call of its own
    is part of the nearest call beside it (``beside.py``). A call without a layer is part of that
    before it, where that kind of call may end it. Raises CompileError where no call is one of a
    layer.
    """
    found = _Matching(profile, layers).found()
    if not any(found.layers):
        raise CompileError(
            f"none of its {counted(len(profile.rows), 'call')} is one of a layer of this model; is "
            "it the profile of another one?",
            at=profile.source,
        )
    return found


@dataclass
class _Matching:
    """rows: for each layer the places of the rows that compute it."""

    profile: Profile
    layers: Sequence[Layer]
    rows: dict[int, list[int]] = field(default_factory=dict[int, list[int]])

    @cached_property
    def _names(self) -> Names:
        return Names(self.layers)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {layer["name"]: place for place, layer in enumerate(self.layers)}

    @cached_property
    def _needs(self) -> list[list[int]]:
        return [[self._places[x] for x in each["needs"]] for each in self.layers]

    def found(self) -> Matched:
        if self.profile.named:
            self._by_name()
        self._by_order()
        fill(self.rows, self.profile, self.layers, self._needs)
        of_rows: list[list[int]] = [[] for _ in self.profile.rows]
        for layer, rows in sorted(self.rows.items()):
            for row in rows:
                of_rows[row].append(layer)
        self._ends(of_rows)
        return Matched(self.profile, of_rows)

    def _ends(self, of_rows: Sequence[list[int]]) -> None:
        """Give calls without a layer those of the last call with one, where they may end it."""
        last: list[int] = []
        for row, own in zip(self.profile.rows, of_rows, strict=True):
            if not own:
                own += [x for x in last if self.layers[x]["op_type"] in row.operator.ends]
            last = own or last

    def _by_name(self) -> None:
        named: list[tuple[int, int]] = []
        for number, row in enumerate(self.profile.rows):
            for node in row.nodes:
                if node in self._places:
                    self._give(number, self._places[node])
            if not row.nodes and (place := self._names.of(row.name)) is not None:
                named.append((number, place))
        taken = {place for _, place in named}
        for number, place in named:
            if (first := self._first(self.profile.rows[number], place, taken)) is not None:
                self._give(number, first)

    def _first(self, row: Row, place: int, taken: set[int]) -> int | None:
        """Return the layer that a call begins with: the named one, or where the call does not look
        like it, the next before it that does; no call has the name of one between them.
        """
        ahead, seen = [place], {place}
        for each in ahead:
            if self.layers[each]["op_type"] in row.operator.types:
                return each
            new = [x for x in self._needs[each] if x not in taken and x not in seen]
            ahead += new
            seen |= {*new}
        return None

    def _by_order(self) -> None:
        """Pair what is left of both, so that as much as possible of equal kind stays in order."""
        given = {row for rows in self.rows.values() for row in rows}
        kinds_known = [bool(row.operator.types) for row in self.profile.rows]
        rows = [n for n, known in enumerate(kinds_known) if known and n not in given]
        places = [place for place in range(len(self.layers)) if place not in self.rows]
        if len(rows) * len(places) > _MOST_PAIRS:
            raise CompileError(
                f"has {counted(len(rows), 'call')}, too many for {counted(len(places), 'layer')}; "
                "record one run of the model",
                at=self.profile.source,
            )
        kinds = np.array([self.layers[place]["op_type"] for place in places], dtype=object)
        scores = [self._scores(self.profile.rows[n], places, kinds) for n in rows]
        for row, place in aligned(scores, len(places)) if places else ():
            self._give(rows[row], places[place])

    def _scores(self, row: Row, places: Sequence[int], kinds: Kinds) -> Scores:
        found = np.zeros(len(places), dtype=np.int32)
        for kind in row.operator.types:
            found[kinds == kind] = _OTHER if row.operator.ends else _UNKNOWN
        for at in np.flatnonzero(found).tolist() if row.inputs else ():
            found[at] = _score(row, self.layers[places[at]])
        return found

    def _give(self, row: int, place: int) -> None:
        self.rows.setdefault(place, []).append(row)


def _score(row: Row, layer: Layer) -> int:
    """Return how much a call reads what a layer reads, by the shapes of all that is no weight, and
    by how many elements the rest has.
    """
    seen, own = Counter(row.inputs), Counter(map(tuple, layer["inputs"]))
    if own - seen:
        return _OTHER
    return _ALL_EQUAL if sum(map(prod, (seen - own).elements())) == layer["weights"] else _EQUAL
