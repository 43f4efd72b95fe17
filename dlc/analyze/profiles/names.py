"""Which layer a call of a profile names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Layer = Mapping[str, Any]
"""A layer of a report."""

_WORD = re.compile(r"[^\W_]+")


@dataclass
class Names:
    """Finds layers by their names and by those of their results, also where these are part of a
    longer name: ``fused conv1``, ``x_nchwc``, ``dense/MatMulAddFusion``. A number alone is no part
    of one: ``Conv_12`` is what ONNX Runtime calls a node without a name, by its place.
    """

    layers: Sequence[Layer]
    found: dict[str, int | None] = field(default_factory=dict[str, int | None])

    @cached_property
    def _known(self) -> dict[str, int]:
        places = {name: n for n, layer in enumerate(self.layers) for name in layer["results"]}
        return {**places, **{layer["name"]: n for n, layer in enumerate(self.layers)}}

    @cached_property
    def _by_word(self) -> dict[str, list[str]]:
        """Names by their first words, the longest first: few are to be looked for in a text."""
        found: dict[str, list[str]] = {}
        for name in sorted(self._known, key=len, reverse=True):
            if word := _WORD.search(name):
                found.setdefault(word.group(), []).append(name)
        return found

    def of(self, text: str) -> int | None:
        """Return the place of the layer that a text names, ``None`` if it names none."""
        if text in self._known:
            return self._known[text]
        if text not in self.found:
            self.found[text] = self._inside(text)
        return self.found[text]

    def _inside(self, text: str) -> int | None:
        """Return the layer of the longest name that stands in a text between other signs."""
        words = dict.fromkeys(_WORD.findall(text))
        named = [name for word in words for name in self._by_word.get(word, ())]
        names = [name for name in named if not name.isdigit()]
        fitting = [name for name in names if _stands_in(name, text)]
        return self._known[max(fitting, key=len)] if fitting else None


def _stands_in(name: str, text: str) -> bool:
    return re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text) is not None
