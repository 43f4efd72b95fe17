"""Give every launch result and scratch buffer a place in one arena, or in the caller's output."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from dlc.analysis.arena import Buffer, place
from dlc.analysis.buffers import Buffers
from dlc.analysis.entry import returned
from dlc.analysis.launch_order import LaunchOrder
from dlc.core.passes import DlcPass
from dlc.dialects.fused_group import ARENA_BYTES, LaunchOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import tensor_bytes

_BEFORE_ALL = -1
"""The step in which buffers are filled."""


class FusedGroupPlanMemoryPass(DlcPass):
    """Buffers whose lifetimes do not meet share memory; the peak is known before anything runs.

    Writes ``offsets`` on each ``fused_group.launch``: one per result, then one per scratch buffer
    of its kernel, in bytes, multiples of 256. A result that the model returns is written straight
    to the caller's buffer of output ``k``, which is the offset ``-1 - k``. Views
    (``graph.reshape``, a ``graph.slice`` of whole rows) share the buffer of their operand; the
    operands of a ``graph.concat`` or a ``graph.overlay`` are parts of the buffer of its result.
    What a kernel wants ``filled`` nothing else uses before: it is filled when the run begins. The
    module gets ``fused_group.arena_bytes``, the exact size.

    Runs on: launches and their kernels, ``loop`` or ``gpu``. Leaves: the same. Order: last.
    """

    name = "fused-group-plan-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = dict(_kernels(op))
        peaks = [_plan(main, kernels) for main in op.ops if isinstance(main, FuncOp)]
        op.attributes[ARENA_BYTES] = IntegerAttr(max(peaks, default=0), i64)


@dataclass(frozen=True)
class _Kernel:
    """What a launch of a kernel needs. scratch: the bytes of its scratch buffers. filled: the
    numbers of those that it wants filled, of its results and scratch buffers.
    """

    scratch: tuple[int, ...]
    filled: frozenset[int]


def _kernels(module: ModuleOp) -> Iterator[tuple[str, _Kernel]]:
    """Yield each kernel by its name."""
    for op in module.ops:
        name, sizes = op.properties.get("sym_name"), op.properties.get("scratch")
        outputs, filled = op.properties.get("outputs"), op.properties.get("filled")
        if not (isinstance(name, StringAttr) and isinstance(sizes, DenseArrayBase)):
            continue
        numbers = filled.get_values() if isinstance(filled, DenseArrayBase) else ()
        assert isa(outputs, IntegerAttr)
        written = len(sizes) + outputs.value.data
        inputs = len(op.regions[0].block.args) - written
        scratch = tuple(map(int, sizes.get_values()))
        yield name.data, _Kernel(scratch, frozenset(int(number) - inputs for number in numbers))


def _plan(main: FuncOp, kernels: Mapping[str, _Kernel]) -> int:
    """Set the offsets of every launch of a function; return the bytes of the arena."""
    lifetimes = _Lifetimes(main, kernels)
    places: dict[LaunchOp, list[_Place]] = {}
    for op in lifetimes.launches:
        places[op] = [*lifetimes.results(op), *lifetimes.scratch(op)]
    slots = dict.fromkeys(slot for row in places.values() for slot, _ in row)
    inner = [slot for slot in slots if slot.offset >= 0]
    arena = place([slot.buffer for slot in inner])
    for slot, offset in zip(inner, arena.offsets, strict=True):
        slot.offset = offset
    for op, row in places.items():
        op.offsets = DenseArrayBase.from_list(i64, [slot.offset + shift for slot, shift in row])
    return arena.bytes


@dataclass(eq=False)
class _Slot:
    """A buffer in the arena, or the caller's of output ``k``, where ``offset`` is ``-1 - k``."""

    buffer: Buffer
    offset: int = 0


_Place = tuple[_Slot, int]
"""A slot, and bytes from its begin."""


class _Lifetimes:
    """Which launches touch each buffer, and which output it is. A buffer that is filled is written
    before all of them.
    """

    def __init__(self, main: FuncOp, kernels: Mapping[str, _Kernel]):
        self._kernels = kernels
        self._order = order = LaunchOrder(main)
        order.check()
        self.launches = order.launches
        self._number = {op: number for number, op in enumerate(order.launches)}
        self._steps = [*order.steps, len(order.launches)]
        self._is_line = len({*order.steps}) == len(order.launches)
        self._buffers = Buffers(main.body.block)
        self._users: dict[SSAValue, set[int]] = {}
        self._above: dict[SSAValue, int] = {}
        self._output: dict[SSAValue, int] = {}
        self._slots: dict[SSAValue, _Slot] = {}
        for op in order.launches:
            self._visit(op, self._number[op])
        for number, value in enumerate(returned(main.body.block)):
            self._visit_returned(value, number)

    def _visit(self, op: LaunchOp, number: int) -> None:
        for value in (*op.operands, *op.results):
            self._users.setdefault(self._buffers.place(value)[0], set()).add(number)
        for result, value in enumerate(op.results):
            buffer, _ = self._buffers.place(value)
            self._above[buffer] = self._above.get(buffer, -1) & self._above_of(op, result)
            if self._is_filled(op, result):
                self._users[buffer].add(_BEFORE_ALL)

    def _above_of(self, op: LaunchOp, result: int) -> int:
        """Return the launches that have ended when a result, or what follows them, is written."""
        return 0 if self._is_filled(op, result) else self._order.above[self._number[op]]

    def _is_filled(self, op: LaunchOp, number: int) -> bool:
        """Return whether result ``number`` of a launch, or what follows the results, is filled."""
        return number in self._kernels[op.kernel_name].filled

    def _visit_returned(self, value: SSAValue, number: int) -> None:
        buffer, _ = self._buffers.place(value)
        self._users.setdefault(buffer, set()).add(len(self.launches))
        whole = tensor_bytes(value) == tensor_bytes(buffer)
        op = buffer.owner
        is_of_parts = isinstance(op, GraphOp) and op.joined is not None
        if whole and (is_of_parts or isinstance(op, LaunchOp)):
            self._output.setdefault(buffer, number)

    def results(self, op: LaunchOp) -> Iterator[_Place]:
        """Yield the places of a launch's results."""
        for value in op.results:
            buffer, shift = self._buffers.place(value)
            if buffer not in self._slots:
                self._slots[buffer] = self._slot(buffer)
            yield self._slots[buffer], shift

    def _slot(self, value: SSAValue) -> _Slot:
        buffer = self._buffer(tensor_bytes(value), self._users[value], self._above[value])
        return _Slot(buffer, -1 - self._output[value] if value in self._output else 0)

    def _buffer(self, bytes: int, users: set[int], above: int) -> Buffer:
        launches = users - {_BEFORE_ALL}
        steps = [self._steps[number] for number in launches]
        first = _BEFORE_ALL if _BEFORE_ALL in users else min(steps)
        if self._is_line:
            return Buffer(bytes, first, max(steps))
        return Buffer(bytes, first, max(steps), sum(1 << number for number in launches), above)

    def scratch(self, op: LaunchOp) -> Iterator[_Place]:
        """Yield the places of a launch's scratch buffers, which live during the launch only, unless
        they are filled.
        """
        for number, size in enumerate(self._kernels[op.kernel_name].scratch, len(op.results)):
            users = {self._number[op]}
            if self._is_filled(op, number):
                users.add(_BEFORE_ALL)
            yield _Slot(self._buffer(size, users, self._above_of(op, number))), 0
