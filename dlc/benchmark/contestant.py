"""Who takes part in a comparison: dlc and its peers."""

import importlib
import pkgutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from numpy.typing import NDArray

from dlc.benchmark.workload import Workload
from dlc.errors import CompileError
from dlc.runtime.timing import Clock, Run

Array = NDArray[Any]


@dataclass(frozen=True)
class Place:
    """Where all contestants run. clock: takes the times there. stream: on a GPU, the handle of the
    stream on which the clock looks; ``None``: the CPU. device: the number of the GPU. threads: on
    the CPU; ``None``: one per core.
    """

    clock: Clock
    stream: int | None = None
    device: int = 0
    threads: int | None = None

    @property
    def is_gpu(self) -> bool:
        """Whether that is a GPU."""
        return self.stream is not None


@dataclass(frozen=True)
class Ready:
    """A contestant that has run. clock: that sees the end of its work. outputs: what it gave, on
    the host; ``None`` where its weights are not the model's. note: how it runs, in a few words.
    """

    run: Run
    clock: Clock
    outputs: Sequence[Array] | None
    note: str


class Peer(Protocol):
    """Something else than dlc that runs a model."""

    def prepare(self, work: Workload, place: Place, kept: ExitStack) -> Ready:
        """Return the peer, warmed up. kept: is closed when it was timed.

        Raises MissingError where it cannot take part, and whatever it raises where it fails.
        """
        ...


@cache
def peer_names() -> tuple[str, ...]:
    """Return the names of all peers: the files in ``peers``."""
    folders = importlib.import_module("dlc.benchmark.peers").__path__
    found = (m.name for m in pkgutil.iter_modules(folders) if not m.name.startswith("_"))
    return tuple(sorted(found))


def peer_by_name(name: str) -> Peer:
    """Return a peer; raises CompileError when there is none of that name."""
    if name not in peer_names():
        raise CompileError(f"there is no peer {name!r}; there are: {', '.join(peer_names())}")
    return importlib.import_module(f"dlc.benchmark.peers.{name}").PEER
