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
from itertools import product
from math import prod
from typing import Literal, TypeVar

from xdsl.ir.affine import AffineExpr

from dlc.errors import CompileError

Task = tuple[int, ...]
Number = TypeVar("Number", int, AffineExpr)


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


def _unravel(number: Number, shape: Sequence[int]) -> list[Number]:
    task: list[Number] = []
    for size in reversed(shape[1:]):
        task.append(number % size)
        number = number // size
    return [number, *reversed(task)]


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
        return [tuple(self.task(worker, at)) for at in product(*map(range, self.repeats))]

    @property
    def repeats(self) -> tuple[int, ...]:
        """The loops that each worker runs, outermost first: one per axis of each ``repeat``."""
        return tuple(n for f in self.factors if f.kind == "repeat" for n in f.shape)

    def task(self, worker: Number, at: Sequence[Number]) -> list[Number]:
        """Return the task of a worker at values of the loops ``repeats``.

        Both may be index expressions; then the task is one expression per axis.
        """
        values, rest = list(at), self.workers
        task: list[Number] = []
        for factor in self.factors:
            if factor.kind == "repeat":
                own, values = values[: len(factor.shape)], values[len(factor.shape) :]
            else:
                number = worker // (rest // factor.workers)
                if rest < self.workers:
                    number = number % factor.workers
                rest //= factor.workers
                own = _unravel(number, factor.shape)
            outer = [t * n for t, n in zip(task, factor.shape, strict=True)] if task else []
            task = [t + u for t, u in zip(outer, own, strict=True)] if outer else own
        return task


def spatial(*shape: int) -> TaskMap:
    """Return the mapping of one task to each of ``prod(shape)`` workers."""
    return TaskMap((Factor("spatial", shape),))


def repeat(*shape: int) -> TaskMap:
    """Return the mapping of all tasks of ``shape`` to one worker, in row-major order."""
    return TaskMap((Factor("repeat", shape),))
