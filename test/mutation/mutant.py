"""What a seeded bug is: a change of one place of the source, and the models that reach it."""

from collections.abc import Sequence
from dataclasses import dataclass

TARGETS = ("cpu", "sm_90a")


@dataclass(frozen=True)
class Mutant:
    """A plausible bug.

    area: the part of the compiler. file, old, new: ``old`` occurs once in the file, from the root
    of the repository, and becomes ``new``. bug: what somebody got wrong. models: the names of small
    models that it changes. targets: those whose artifacts it changes.
    """

    name: str
    area: str
    file: str
    old: str
    new: str
    bug: str
    models: Sequence[str]
    targets: Sequence[str] = TARGETS

    def change(self, text: str) -> str:
        """Return the text of the file with the bug; raises ValueError where its place is gone."""
        if text.count(self.old) != 1:
            found = text.count(self.old)
            raise ValueError(f"{self.name}: {self.old!r} occurs {found} times in {self.file}")
        return text.replace(self.old, self.new)
