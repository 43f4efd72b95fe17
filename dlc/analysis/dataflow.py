"""Who computes and who reads each tensor of a block, looking through views."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod

from xdsl.ir import Block, Operation, SSAValue

from dlc.analysis.contraction import gemm
from dlc.analysis.element_profile import ElementProfile, profile
from dlc.analysis.form import form, once_per_form
from dlc.analysis.operand import NOWHERE, Operand, is_inlined
from dlc.analysis.role import Role, RowSpace, role, row_space
from dlc.core.locations import operation_text
from dlc.dialects.graph.computed import ComputedOp, ContractionOp, ReductionOp
from dlc.dialects.graph.structure import CompositeOp, GraphOp
from dlc.errors import CompileError
from dlc.ir.tensor import DYNAMIC, element_count, shape


def origin(value: SSAValue) -> SSAValue:
    """Return the value in whose buffer ``value`` is (a view of all or of a part of it); itself when
    it is no view.
    """
    while isinstance(value.owner, GraphOp) and value.owner.is_view:
        value = value.owner.operands[0]
    return value


def is_free(op: Operation) -> bool:
    """Whether an op needs no kernel: a view, or known at compile time."""
    return isinstance(op, GraphOp) and (op.is_view or op.is_constant)


@dataclass(frozen=True)
class Access:
    """What an op reads: ``value``, so many ``times`` per element that the op computes."""

    value: SSAValue
    times: float


@dataclass(frozen=True)
class Facts:
    """What fusion asks about an op, found once.

    points: elements of its first result. cost: scalar operations per element, the multiply-adds of
    a large contraction left out. rows: of a row reduction, what it reduces.
    """

    role: Role
    profile: ElementProfile
    points: int
    cost: int
    accesses: tuple[Access, ...]
    rows: RowSpace | None = None


class Dataflow:
    """The computing ops of a block, in order, with their producers and readers.

    Ops that the end of the block does not need are left out: nobody computes them. stage: those
    that are looked at, where these are not all (``dlc.analysis.stages``).
    """

    def __init__(self, block: Block, stage: AbstractSet[Operation] | None = None):
        working = [op for op in _needed(block) if not is_free(op)]
        own = [op for op in working if stage is None or op in stage]
        self.ops: list[ComputedOp] = [_computed(op) for op in own if isinstance(op, GraphOp)]
        self.position = {op: n for n, op in enumerate(self.ops)}
        self._facts: dict[tuple[ComputedOp, bool], Facts] = {}
        self._forms: dict[int, str] = {}
        self._operands: dict[SSAValue, Operand] = {}
        self._read: dict[int, tuple[Operand, ...]] = {}
        self._outlets: dict[int, tuple[frozenset[int] | None, ...]] = {}
        self._origins: dict[SSAValue, SSAValue] = {}
        self._producers: dict[ComputedOp, Sequence[ComputedOp]] = {}
        self._readers: dict[SSAValue, list[ComputedOp]] = {}
        self._escaping: set[SSAValue] = set()
        for op in working:
            for value in map(self.origin, op.operands):
                if isinstance(op, ComputedOp) and op in self.position:
                    self._readers.setdefault(value, []).append(op)
                else:
                    self._escaping.add(value)

    def origin(self, value: SSAValue) -> SSAValue:
        """Return the value in whose buffer ``value`` is."""
        found = self._origins.get(value)
        if found is None:
            found = self._origins[value] = origin(value)
        return found

    def producers(self, op: ComputedOp) -> Sequence[ComputedOp]:
        """Return the computing ops whose results ``op`` reads, each once, in operand order."""
        if op not in self._producers:
            owners = dict.fromkeys(self.origin(v).owner for v in op.operands)
            found = [p for p in owners if isinstance(p, ComputedOp) and p in self.position]
            self._producers[op] = found
        return self._producers[op]

    def readers(self, value: SSAValue) -> Sequence[ComputedOp]:
        """Return the computing ops that read ``value``, with repetitions."""
        return self._readers.get(value, ())

    def consumers(self, op: ComputedOp) -> list[ComputedOp]:
        """Return the computing ops that read some result of ``op``, each once."""
        return list(dict.fromkeys(c for v in op.results for c in self.readers(v)))

    def facts(self, op: ComputedOp, alone: bool = False) -> Facts:
        """Return what is known about ``op``. alone: where each reduction is one thread's."""
        key = op, alone
        found = self._facts.get(key)
        if found is None:
            found = self._facts[key] = _facts(op, alone)
        return found

    def form(self, place: int) -> str:
        """Return what the op at ``place`` is apart from its operands and all names."""
        found = self._forms.get(place)
        if found is None:
            found = self._forms[place] = form(self.ops[place])
        return found

    def operands(self, place: int) -> tuple[Operand, ...]:
        """Return what the op at ``place`` reads; one object for each value."""
        found = self._read.get(place)
        if found is None:
            found = self._read[place] = tuple(map(self._operand, self.ops[place].operands))
        return found

    def _operand(self, value: SSAValue) -> Operand:
        found = self._operands.get(value)
        if found is None:
            owner = self.origin(value).owner
            computed = isinstance(owner, ComputedOp)
            producer = self.position.get(owner, NOWHERE) if computed else NOWHERE
            found = self._operands[value] = Operand.of(value, producer)
        return found

    def outlets(self, place: int) -> tuple[frozenset[int] | None, ...]:
        """Return the places of the readers of each result of the op at ``place``; ``None`` for a
        result that ``escapes``.
        """
        found = self._outlets.get(place)
        if found is None:
            results = self.ops[place].results
            found = self._outlets[place] = tuple(map(self._reader_places, results))
        return found

    def _reader_places(self, value: SSAValue) -> frozenset[int] | None:
        if self.escapes(value):
            return None
        return frozenset(self.position[op] for op in self.readers(value))

    def escapes(self, value: SSAValue) -> bool:
        """Whether something that is not computed reads ``value`` (the end of the function)."""
        return value in self._escaping


def _needed(block: Block) -> list[Operation]:
    """Return the ops of a block that something other than a graph op needs, in order."""
    found: dict[Operation, None] = {}
    for op in reversed(block.ops):
        readers = (use.operation for result in op.results for use in result.uses)
        if not isinstance(op, GraphOp) or any(reader in found for reader in readers):
            found[op] = None
    return list(found)[::-1]


_ANCHOR_TILE = 128
"""A large contraction reads a factor once per so many columns (or rows) of the other."""


@dataclass(frozen=True)
class _FormFacts:
    """Facts of all ops of one form. times: by number of the operand."""

    role: Role
    profile: ElementProfile
    points: int
    cost: int
    times: tuple[tuple[int, float], ...]
    rows: RowSpace | None = None


def _facts(op: ComputedOp, alone: bool) -> Facts:
    found = _form_facts(op, alone)
    operands = op.operands
    accesses = tuple(Access(operands[number], times) for number, times in found.times)
    return Facts(found.role, found.profile, found.points, found.cost, accesses, found.rows)


@once_per_form
def _form_facts(op: ComputedOp, alone: bool) -> _FormFacts:
    part = role(op, alone)
    if part is Role.LOOP:
        return _loop_facts(op)
    found = profile(op)
    points = max(1, prod(found.parallel))
    if part is Role.ANCHOR:
        assert isinstance(op, ContractionOp)
        return _FormFacts(part, found, points, found.cost, _anchor_times(op, points))
    loops = (*found.parallel, *found.reduction)
    times = tuple(
        (read.operand, share * (found.reduction_points if read.reduced else 1))
        for read in found.reads
        if (share := read.share(loops, shape(op.operands[read.operand])))
    )
    rows = row_space(op) if part is Role.ROW else None
    return _FormFacts(part, found, points, found.total_cost, times, rows)


def _loop_facts(op: ComputedOp) -> _FormFacts:
    """Return the facts of a loop: each operand is read once."""
    sizes = shape(op.results[0])
    points = max(1, prod(sizes))
    times = tuple((number, element_count(x) / points) for number, x in enumerate(op.operands))
    return _FormFacts(Role.LOOP, ElementProfile(sizes, (), (), 0, 0), points, 0, times)


def _anchor_times(op: ContractionOp, points: int) -> tuple[tuple[int, float], ...]:
    product = gemm(op)
    sides = (product.m_size, product.n_size)
    outer = product.batch_size * product.k_size / points
    return tuple(
        (number, outer * own * -(-other // _ANCHOR_TILE))
        for number, (own, other) in enumerate(zip(sides, sides[::-1], strict=True))
    )


def _computed(op: Operation) -> ComputedOp:
    if isinstance(op, CompositeOp):
        raise CompileError(
            f"{op.name} has no kernel of its own; run graph-decompose first", at=operation_text(op)
        )
    if not isinstance(op, ComputedOp):
        raise CompileError(f"{op.name} has no kernel on any target", at=operation_text(op))
    if any(DYNAMIC in shape(value) for value in (*op.operands, *op.results)):
        raise CompileError(f"{op.name} has sizes that are not fixed", at=operation_text(op))
    return op


@dataclass(frozen=True)
class Cluster:
    """Ops that are to share a kernel, in program order; clusters of the same ops are equal.

    is_alone: whether it is seen as a kernel in which one thread does each reduction alone.
    """

    flow: Dataflow = field(repr=False, compare=False)
    ops: tuple[ComputedOp, ...]
    is_alone: bool = False

    @cached_property
    def alone(self) -> "Cluster":
        """The same ops, with threads that do each reduction alone."""
        reduces = any(isinstance(op, ReductionOp) for op in self.ops)
        return replace(self, is_alone=True) if reduces else self

    def facts(self, op: ComputedOp) -> Facts:
        """Return what is known about an op."""
        return self.flow.facts(op, self.is_alone)

    def merged(self, other: "Cluster") -> "Cluster":
        """Return the cluster of the ops of both."""
        places = sorted({*self.places, *other.places})
        return Cluster(self.flow, tuple(self.flow.ops[place] for place in places))

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The places of the ops in the dataflow, which say which cluster of it this is."""
        return tuple(map(self.flow.position.__getitem__, self.ops))

    @cached_property
    def members(self) -> frozenset[ComputedOp]:
        """The ops as a set."""
        return frozenset(self.ops)

    @cached_property
    def roles(self) -> dict[ComputedOp, Role]:
        """The part of each op in a kernel."""
        return {op: self.facts(op).role for op in self.ops}

    @cached_property
    def kinds(self) -> frozenset[Role]:
        """The parts that its ops play."""
        return frozenset(self.roles.values())

    def profile(self, op: ComputedOp) -> ElementProfile:
        """Return how an element of an op is computed."""
        return self.facts(op).profile

    @property
    def inputs(self) -> tuple[SSAValue, ...]:
        """The tensors read from outside, each once, as the ops read them (views not undone)."""
        operands = dict.fromkeys(v for op in self.ops for v in op.operands)
        return tuple(v for v in operands if not self.inner(v) and not is_inlined(v))

    @cached_property
    def results(self) -> tuple[SSAValue, ...]:
        """The tensors that something outside reads, in program order."""
        flow = self.flow
        pairs = zip(self.places, self.leaving, strict=True)
        return tuple(flow.ops[place].results[n] for place, numbers in pairs for n in numbers)

    @cached_property
    def leaving(self) -> tuple[tuple[int, ...], ...]:
        """For each op the numbers of the results that something outside reads."""
        members = frozenset(self.places)
        return tuple(
            tuple(
                number
                for number, readers in enumerate(self.flow.outlets(place))
                if readers is None or not readers <= members
            )
            for place in self.places
        )

    def inner(self, value: SSAValue) -> bool:
        """Whether an op of the cluster computes ``value``, or what it is a view of."""
        return self.flow.origin(value).owner in self.members

    def producer(self, value: SSAValue) -> ComputedOp | None:
        """Return the op of the cluster that computes ``value``, or what it is a view of."""
        owner = self.flow.origin(value).owner
        return owner if isinstance(owner, ComputedOp) and owner in self.members else None

    def readers(self, value: SSAValue) -> Iterable[ComputedOp]:
        """Return the ops of the cluster that read ``value``, each once."""
        return dict.fromkeys(c for c in self.flow.readers(value) if c in self.members)

    def after(self, roots: Iterable[ComputedOp]) -> set[ComputedOp]:
        """Return the ops of the cluster that depend on one of ``roots``, without the roots."""
        roots = set(roots)
        reached: set[ComputedOp] = set()
        for op in self.ops:
            producers = self.flow.producers(op)
            if any(p in reached or p in roots for p in producers if p in self.members):
                reached.add(op)
        return reached
