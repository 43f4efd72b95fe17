"""Hidet's task mappings: which worker does which tasks, in which order.

A task mapping takes a worker, ``0 <= worker < workers``, to a list of tasks, each a tuple of
indices within ``shape``. ``repeat(a, b)`` gives one worker all ``a * b`` tasks in row-major order;
``spatial(a, b)`` gives one task to each of ``a * b`` workers. The composition ``f * g`` replaces
each task of ``f`` by the tasks of ``g``::

    (f * g)(w) = [t * g.shape + u for t in f(w // g.workers) for u in g(w % g.workers)]

Composition is associative. (Ding et al., "Hidet", ASPLOS 2023, section 5.1.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from dlc.errors import CompileError

Task = tuple[int, ...]


@dataclass(frozen=True)
class Factor:
    """One basic mapping: ``spatial`` or ``repeat`` over ``shape``."""

    kind: Literal["spatial", "repeat"]
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.shape or any(size < 1 for size in self.shape):
            raise CompileError(f"a task mapping has positive sizes, not {list(self.shape)}")

    def __str__(self) -> str:
        return f"{self.kind}({', '.join(map(str, self.shape))})"

    @property
    def workers(self) -> int:
        return prod(self.shape) if self.kind == "spatial" else 1

    def tasks(self, worker: int) -> list[Task]:
        count = prod(self.shape)
        return [_unravel(n, self.shape) for n in (range(count) if self.workers == 1 else [worker])]


def _unravel(number: int, shape: Sequence[int]) -> Task:
    task: list[int] = []
    for size in reversed(shape):
        number, index = divmod(number, size)
        task.append(index)
    return tuple(reversed(task))


@dataclass(frozen=True)
class TaskMap:
    """A composition of basic mappings of one rank, outermost first."""

    factors: tuple[Factor, ...]

    def __post_init__(self) -> None:
        if len({len(f.shape) for f in self.factors}) != 1:
            raise CompileError(f"the parts of task mapping {self} have different ranks")

    def __str__(self) -> str:
        return " * ".join(map(str, self.factors))

    def __mul__(self, inner: "TaskMap") -> "TaskMap":
        return TaskMap(self.factors + inner.factors)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of tasks along each axis."""
        return tuple(map(prod, zip(*(f.shape for f in self.factors), strict=True)))

    @property
    def workers(self) -> int:
        """The number of workers."""
        return prod(f.workers for f in self.factors)

    def tasks(self, worker: int) -> list[Task]:
        """Return the tasks of a worker in the order in which it does them."""
        if not 0 <= worker < self.workers:
            raise CompileError(f"task mapping {self} has {self.workers} workers, not {worker}")
        tasks: list[Task] = [(0,) * len(self.shape)]
        rest = self.workers
        for factor in self.factors:
            rest //= factor.workers
            own = factor.tasks(worker // rest % factor.workers)
            tasks = [
                tuple(t * n + u for t, n, u in zip(outer, factor.shape, inner, strict=True))
                for outer in tasks
                for inner in own
            ]
        return tasks


def spatial(*shape: int) -> TaskMap:
    """Return the mapping of one task to each of ``prod(shape)`` workers."""
    return TaskMap((Factor("spatial", shape),))


def repeat(*shape: int) -> TaskMap:
    """Return the mapping of all tasks of ``shape`` to one worker, in row-major order."""
    return TaskMap((Factor("repeat", shape),))
