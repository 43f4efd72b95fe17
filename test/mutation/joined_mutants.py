"""Bugs where loops of steps become one."""

from collections.abc import Sequence

from mutant import Mutant


def _joined(name: str, file: str, old: str, new: str, bug: str, model: str) -> Mutant:
    return Mutant(name, "joined loops", file, old, new, bug, (model,), ("sm_90a",))


_STRANDS = "dialects/graph/strands.py"

MUTANTS: Sequence[Mutant] = (
    _joined(
        "results-not-turned-back",
        _STRANDS,
        "return self.g.reverse(found, [0]) if strand.turned else found",
        "return found",
        "what a loop gives stays in the order of the other one",
        "steps",
    ),
    _joined(
        "parts-not-turned",
        _STRANDS,
        "        if strand.turned:",
        "        if False:",
        "a loop takes its parts in the order of the other one",
        "steps",
    ),
    _joined(
        "strand-runs-a-step-long",
        _STRANDS,
        "table[begin : begin + self.steps, number] = 1",
        "table[begin : begin + self.steps + 1, number] = 1",
        "a loop that should rest takes another step",
        "layers",
    ),
    _joined(
        "states-of-another-strand",
        _STRANDS,
        "strand.feed.write(g, states[number - 1], shared[count:])",
        "strand.feed.write(g, states[0], shared[count:])",
        "the third layer reads what the first one gives",
        "layers",
    ),
    _joined(
        "results-a-step-early",
        _STRANDS,
        "found = self.g.part(value, 0, begin, begin + self.steps)",
        "found = self.g.part(value, 0, max(0, begin - 1), max(0, begin - 1) + self.steps)",
        "what a loop gives is cut off a step too early",
        "layers",
    ),
    _joined(
        "part-with-room-elsewhere",
        "dlc/strategies/recurrent/cell.py",
        "return [sequence * self.units + unit] if is_flat else at",
        "return [sequence * self.units + unit + 1] if is_flat else at",
        "a flat part begins an element late",
        "layers",
    ),
)
