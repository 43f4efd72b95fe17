"""Which limit of a chip a schedule exceeds."""

from dataclasses import dataclass
from enum import Enum, auto


class Resource(Enum):
    """What a chip has so much of: what helps against too much of one makes others worse."""

    THREADS = auto()
    REGISTERS = auto()
    """Of a thread, or SIMD registers."""
    MEMORY = auto()
    """Shared memory of a block; on a CPU a core's cache, or the stack of a thread."""
    BLOCKS = auto()
    """That run at a time."""


@dataclass(frozen=True)
class Violation:
    """A limit that is exceeded. text: what is needed and what there is, with both numbers."""

    resource: Resource
    text: str

    def __str__(self) -> str:
        return self.text
