"""The rewrite driver: dispatch by op class, bounded, countable, and keeping locations."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar, cast, get_args, get_origin

from xdsl.context import Context
from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr
from xdsl.ir import Block, ErasedSSAValue, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import is_trivially_dead
from xdsl.utils.worklist import Worklist

from dlc.core.locations import operation_text
from dlc.errors import CompileError

OpT = TypeVar("OpT")


@dataclass
class RewriteCounter:
    """The number of rewrites done in this context, over all passes.

    With a ``limit``, no pattern is tried once that many were done; bisecting the limit finds the
    rewrite that breaks a program. ``last`` says which one was the last.
    """

    limit: int | None = None
    done: int = 0
    last: str = "none"

    @property
    def exhausted(self) -> bool:
        """Whether the limit is reached."""
        return self.limit is not None and self.done >= self.limit

    def count(self, what: str) -> None:
        """Count one rewrite, described for a reader."""
        self.done += 1
        self.last = what


class OpRewrite(RewritePattern, ABC, Generic[OpT]):
    """A rewrite of the ops of one class, or of all that implement an interface.

    The class is the argument of the base: ``class _ReluOfRelu(OpRewrite[ReluOp])``.
    """

    matches: ClassVar[type]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for base in getattr(cls, "__orig_bases__", ()):
            if get_origin(base) is OpRewrite and isinstance(get_args(base)[0], type):
                cls.matches = get_args(base)[0]

    @abstractmethod
    def rewrite(self, op: OpT, rewriter: PatternRewriter) -> None:
        """Change the IR around ``op`` through ``rewriter``, or do nothing if it does not match."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op, self.matches):
            self.rewrite(cast(OpT, op), rewriter)


def apply_patterns(
    root: Operation,
    patterns: Sequence[RewritePattern],
    context: Context,
    *,
    erase_dead: bool = True,
) -> bool:
    """Rewrite everything inside ``root`` until no pattern matches; return whether anything changed.

    patterns: tried in order at each op, producers first. New ops get the location of the op that
    was matched. erase_dead: also erase ops without effects whose results are unused. Raises
    CompileError when the patterns undo each other (100 rewrites per op of ``root``).
    """
    counter = getattr(context, "rewrites", None) or RewriteCounter()
    return _Driver(root, patterns, counter, erase_dead).run()


class _Driver:
    """One run of ``apply_patterns``: a worklist of ops, kept current by the rewriter's events."""

    def __init__(
        self,
        root: Operation,
        patterns: Sequence[RewritePattern],
        counter: RewriteCounter,
        erase_dead: bool,
    ):
        self.root = root
        self.patterns = patterns
        self.counter = counter
        self.erase_dead = erase_dead
        self.table: dict[type[Operation], list[RewritePattern]] = {}
        self.worklist = Worklist[Operation]()
        self.current = root
        self.rewriter = PatternRewriter(InsertPoint.at_end(Block()))
        self.rewriter.operation_insertion_handler.append(self._inserted)
        self.rewriter.operation_removal_handler.append(self._removed)
        self.rewriter.operation_modification_handler.append(self.worklist.push)
        self.rewriter.operation_replacement_handler.append(self._replaced)

    def run(self) -> bool:
        inner = [op for op in self.root.walk() if op is not self.root]
        for op in reversed(inner):
            self.worklist.push(op)
        budget = 100 * len(inner) + 1000
        changed = False
        while self.worklist:
            op = self.worklist.pop()
            name = self._rewrite(op)
            if name is not None:
                changed = True
                budget -= 1
            if budget < 0:
                raise CompileError(f"pattern {name} goes on for ever", at=operation_text(self.root))
        return changed

    def _rewrite(self, op: Operation) -> str | None:
        """Apply the first pattern that changes something; return its name."""
        self.current = op
        if self.erase_dead and is_trivially_dead(op):
            self.rewriter.erase(op)
            return "erase-dead"
        described = operation_text(op) if self.counter.limit is not None else op.name
        for pattern in self._patterns_of(type(op)):
            if self.counter.exhausted:
                return None
            self.rewriter.has_done_action = False
            self.rewriter.insertion_point = InsertPoint.before(op)
            pattern.match_and_rewrite(op, self.rewriter)
            if self.rewriter.has_done_action:
                name = type(pattern).__name__
                self.counter.count(f"{name} on {described}")
                return name
        return None

    def _patterns_of(self, kind: type[Operation]) -> list[RewritePattern]:
        if kind not in self.table:
            self.table[kind] = [
                p
                for p in self.patterns
                if not isinstance(p, OpRewrite) or issubclass(kind, p.matches)
            ]
        return self.table[kind]

    def _inserted(self, op: Operation) -> None:
        inherit_location(op, self.current.location)
        for inner in op.walk():
            self.worklist.push(inner)

    def _removed(self, op: Operation) -> None:
        for value in op.operands:
            if isinstance(value, ErasedSSAValue) or not value.has_one_use():
                continue
            if isinstance(producer := value.owner, Operation):
                self.worklist.push(producer)
        for inner in op.walk():
            self.worklist.remove(inner)

    def _replaced(self, op: Operation, results: Sequence[SSAValue | None]) -> None:
        for result in op.results:
            for use in result.uses:
                self.worklist.push(use.operation)


def erase_dead_ops(root: Operation) -> None:
    """Erase the ops inside ``root`` that have no effects and whose results nobody uses."""
    for op in list(root.walk(reverse=True, region_first=True)):
        if op is not root and is_trivially_dead(op):
            Rewriter.erase_op(op)


def inherit_location(op: Operation, location: LocationAttr) -> None:
    """Give ``location`` to ``op`` and to what is inside it, wherever none is known."""
    for inner in op.walk():
        if inner.location == UNKNOWN_LOC:
            inner.location = location
