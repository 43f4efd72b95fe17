"""Give every launch result and scratch buffer a place in one arena, or in the caller's output."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from dlc.analysis.arena import Buffer, place
from dlc.analysis.buffers import Buffers
from dlc.analysis.entry import launches
from dlc.core.passes import DlcPass
from dlc.dialects.fused_group import ARENA_BYTES, LaunchOp
from dlc.ir.tensor import tensor_bytes

_BEFORE_ALL = -1
"""The step in which buffers are filled."""


class FusedGroupPlanMemoryPass(DlcPass):
    """Buffers whose lifetimes do not meet share memory; the peak is known before anything runs.

    Writes ``offsets`` on each ``fused_group.launch``: one per result, then one per scratch buffer
    of its kernel, in bytes, multiples of 256. A result that the model returns is written straight
    to the caller's buffer of output ``k``, which is the offset ``-1 - k``. Views
    (``graph.reshape``, a ``graph.slice`` of whole rows) share the buffer of their operand; the
    operands of a ``graph.concat`` are parts of the buffer of its result. What a kernel wants
    ``filled`` nothing else uses before: it is filled when the run begins. The module gets
    ``fused_group.arena_bytes``, the exact size.

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
    """When each buffer is first written and last read, and which output it is.

    A step holds the launches that may run beside each other, and what stands before the next ones.
    A buffer that is filled is written before all of them.
    """

    def __init__(self, main: FuncOp, kernels: Mapping[str, _Kernel]):
        self.launches = launches(main)
        self._kernels = kernels
        self._buffers = Buffers(main.body.block)
        self._step: dict[Operation, int] = {}
        self._first_write: dict[SSAValue, int] = {}
        self._last_read: dict[SSAValue, int] = {}
        self._output: dict[SSAValue, int] = {}
        self._slots: dict[SSAValue, _Slot] = {}
        step = 0
        for op in main.body.block.ops:
            step += isinstance(op, LaunchOp) and op.beside is None
            self._visit(op, step)

    def _visit(self, op: Operation, step: int) -> None:
        self._step[op] = step
        for number, operand in enumerate(op.operands):
            buffer, _ = self._buffers.place(operand)
            self._last_read[buffer] = step
            whole = tensor_bytes(operand) == tensor_bytes(buffer)
            if isinstance(op, ReturnOp) and isinstance(buffer.owner, LaunchOp) and whole:
                self._output.setdefault(buffer, number)
        for number, result in enumerate(op.results):
            first = _BEFORE_ALL if self._is_filled(op, number) else step
            buffer, _ = self._buffers.place(result)
            self._first_write[buffer] = min(first, self._first_write.get(buffer, first))

    def _is_filled(self, op: Operation, number: int) -> bool:
        """Return whether result ``number`` of a launch, or what follows the results, is filled."""
        return isinstance(op, LaunchOp) and number in self._kernels[op.kernel_name].filled

    def results(self, op: LaunchOp) -> Iterator[_Place]:
        """Yield the places of a launch's results."""
        for value in op.results:
            buffer, shift = self._buffers.place(value)
            if buffer not in self._slots:
                self._slots[buffer] = self._slot(buffer)
            yield self._slots[buffer], shift

    def _slot(self, value: SSAValue) -> _Slot:
        first = self._first_write[value]
        buffer = Buffer(tensor_bytes(value), first, self._last_read.get(value, first))
        return _Slot(buffer, -1 - self._output[value] if value in self._output else 0)

    def scratch(self, op: LaunchOp) -> Iterator[_Place]:
        """Yield the places of a launch's scratch buffers, which live during the launch only, unless
        they are filled.
        """
        step = self._step[op]
        for number, size in enumerate(self._kernels[op.kernel_name].scratch, len(op.results)):
            first = _BEFORE_ALL if self._is_filled(op, number) else step
            yield _Slot(Buffer(size, first, step)), 0
