"""The blocks that a scope is writing, one inside the other, and what each has computed."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.builder import Builder
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint

Key = tuple[object, ...]


@dataclass
class _Level:
    """A block that is being written, inside the blocks of the levels before it.

    leave: the place just before the operation that holds the block; ``None`` when code may not move
    there (a branch, the outermost block). known: what has been computed in the block.
    """

    leave: InsertPoint | None = None
    known: dict[Key, Sequence[SSAValue]] = field(default_factory=dict)


class Blocks:
    """Where code is written: each value once, as far out as what it needs allows."""

    def __init__(self, builder: Builder):
        self._builder = builder
        self._levels = [_Level()]

    @property
    def depth(self) -> int:
        """The number of blocks around the place that is being written."""
        return len(self._levels) - 1

    @property
    def innermost(self) -> object:
        """What stands for the block that is being written: the same object while it is the same."""
        return self._levels[-1]

    @contextmanager
    def outside(self, target: int) -> Generator[None]:
        """Write at depth ``target``, before the operation that holds the next block."""
        inner = self._levels[target + 1 :]
        if not inner:
            yield
            return
        builder, before = self._builder, self._builder.insertion_point
        assert inner[0].leave is not None
        del self._levels[target + 1 :]
        builder.insertion_point = inner[0].leave
        yield
        self._levels += inner
        builder.insertion_point = before

    @contextmanager
    def enter(self, block: Block, leave: InsertPoint | None) -> Generator[None]:
        """Write at the end of ``block`` as a new level."""
        before = self._builder.insertion_point
        self._levels.append(_Level(leave))
        self._builder.insertion_point = InsertPoint.at_end(block)
        yield
        self._levels.pop()
        self._builder.insertion_point = before

    @contextmanager
    def branch_level(self) -> Generator[None]:
        """Write into a branch, which nothing may move out of."""
        self._levels.append(_Level())
        yield
        self._levels.pop()

    def once(
        self, key: Key, needed: int, write: Callable[[], Sequence[SSAValue]]
    ) -> Sequence[SSAValue]:
        """Return what is known under ``key``, else write it as far out as may be.

        needed: the depth outside of which what it reads does not exist.
        """
        for level in self._levels:
            if key in level.known:
                return level.known[key]
        target = len(self._levels) - 1
        while target > needed and self._levels[target].leave is not None:
            target -= 1
        with self.outside(target):
            values = self._levels[target].known[key] = write()
        return values
