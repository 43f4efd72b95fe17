"""Checks where a host program keeps its values: every launch must find what was computed for it.

Nothing runs. The steps of the program are followed with the origins of bytes in place of bytes. So
a value that is overwritten before its last reader, a view at a wrong offset or a copy that is left
out is found, whatever the sizes and the target.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import DenseArrayBase, ModuleOp
from xdsl.ir import SSAValue
from xdsl.utils.symbol_table import get_name_if_symbol

from dlc.analysis.entry import find_main, output_names, returned
from dlc.analysis.launch_order import LaunchOrder
from dlc.backends.host.program import Address, HostProgram
from dlc.backends.host.reader import read_program
from dlc.dialects.fused_group import LaunchOp
from dlc.dialects.graph.overlay import part_of
from dlc.dialects.graph.structure import GraphOp, Joined
from dlc.ir.space import buffer_bytes
from dlc.ir.tensor import element_bytes, element_type, shape, tensor_bytes
from dlc.runtime.packing import TENSOR_ALIGNMENT
from dlc.verification.byte_origins import Memory, Piece, joined, part
from dlc.verification.miscompile import MiscompileError


def check_memory_plan(module: ModuleOp) -> None:
    """Raise MiscompileError unless each step of the program of ``main`` reads what it should.

    module: kernels, and launches with a memory plan.
    """
    weights = _Weights()
    program = read_program(module, weights.place)
    main = find_main(module)
    memory = Memory()
    for number, argument in enumerate(main.args):
        memory.write(Address("input", buffer=number), _whole(argument))
    for value, offset in weights.offsets.items():
        memory.write(Address("weight", offset), _whole(value))
    scratch, marks = dict(_scratch_sizes(module)), dict(_marks(module))
    order = LaunchOrder(main)
    pairs = list(zip(order.launches, program.launches, strict=True))
    for op, launch in pairs:
        for number, mark in marks[op.kernel_name].items():
            memory.write(launch.operands[number], mark)
    touched: list[_Touched] = []
    for op, launch in pairs:
        _check_filled(op, launch.operands, marks[op.kernel_name], memory)
        found = _check_launch(op, launch.operands, scratch[op.kernel_name], memory, program)
        touched.append(found)
    _check_unordered(order, touched)
    for copy in program.copies:
        memory.write(copy.target, memory.read(copy.source, copy.bytes))
    names = output_names(main)
    for number, value in enumerate(returned(main.body.block)):
        if not _finds(memory, Address("output", buffer=number), value):
            raise MiscompileError(f"output {names[number]!r} does not end where it is wanted")


def _check_unordered(order: LaunchOrder, touched: Sequence["_Touched"]) -> None:
    for other, number in order.unordered():
        if touched[number].conflicts(touched[other]):
            names = " and ".join(_name(order.launches[n]) for n in (other, number))
            raise MiscompileError(f"{names} share memory, and may run at the same time")


def _check_launch(
    op: LaunchOp,
    operands: Sequence[Address],
    scratch: Sequence[int],
    memory: "Memory",
    program: HostProgram,
) -> "_Touched":
    """Check what a launch reads, and write its results; return both."""
    what, inputs = _name(op), len(op.operands)
    for number, (value, address) in enumerate(zip(op.operands, operands, strict=False)):
        if not _finds(memory, address, value):
            raise MiscompileError(f"{what} does not find its operand {number}")
    read = [
        place
        for value, address in zip(op.operands, operands, strict=False)
        for place, _ in _known(address, value)
    ]
    own = (*map(_stored, op.results, operands[inputs:]),)
    kept = map(_Place, operands[inputs + len(own) :], scratch)
    written = [*own, *kept]
    for number, place in enumerate(written):
        others = (*read, *written[:number])
        if not place.is_inside(program) or any(map(place.meets, others)):
            raise MiscompileError(f"{what} writes result {number} where it may not")
        source = op.results[number] if number < len(op.results) else None
        memory.write(place.address, [Piece(place.bytes, source)])
    return _Touched(read, written)


def _name(op: LaunchOp) -> str:
    return f"the launch of @{op.kernel_name} for {op.group_name}"


@dataclass(frozen=True)
class _Place:
    address: Address
    bytes: int

    def meets(self, other: "_Place") -> bool:
        """Return whether both have bytes in common."""
        mine, its = self.address, other.address
        same = (mine.space, mine.buffer) == (its.space, its.buffer)
        if not (same and self.bytes and other.bytes):
            return False
        return mine.offset < its.offset + other.bytes and its.offset < mine.offset + self.bytes

    def is_inside(self, program: HostProgram) -> bool:
        """Return whether a launch may write here."""
        limit = program.workspace_bytes
        if self.address.space == "output":
            limit = program.outputs[self.address.buffer].bytes
        return self.address.offset + self.bytes <= limit


def _stored(value: SSAValue, buffer: Address) -> _Place:
    """Return where a result is, given its buffer. A part of a larger tensor is looked at as if its
    bytes were neighbours and the parts stood one after the other: what overlaps is the same.
    """
    part = part_of(value)
    if part is None:
        return _Place(buffer, tensor_bytes(value))
    whole = part.whole.get_shape()[part.axis]
    first = tensor_bytes(part.whole) // whole * part.start
    return _Place(replace(buffer, offset=buffer.offset + first), tensor_bytes(value))


def _known(address: Address, value: SSAValue) -> Iterator[tuple[_Place, list[Piece]]]:
    """Yield where the bytes of a value are that the program has put there, and what they are."""
    for piece in _content(value):
        if piece.source is not None:
            yield _Place(address, piece.bytes), [piece]
        address = replace(address, offset=address.offset + piece.bytes)


def _finds(memory: Memory, address: Address, value: SSAValue) -> bool:
    """Return whether a value is at an address."""
    known = _known(address, value)
    return all(memory.read(place.address, place.bytes) == pieces for place, pieces in known)


@dataclass(frozen=True)
class _Touched:
    """What a launch reads and writes."""

    read: Sequence[_Place]
    written: Sequence[_Place]

    def conflicts(self, other: "_Touched") -> bool:
        """Return whether one writes what the other one touches."""
        return self._writes_into(other) or other._writes_into(self)

    def _writes_into(self, other: "_Touched") -> bool:
        touched = (*other.read, *other.written)
        return any(mine.meets(its) for mine in self.written for its in touched)


def _whole(value: SSAValue) -> list[Piece]:
    return [Piece(tensor_bytes(value), value)]


def _content(value: SSAValue) -> list[Piece]:
    """Return what the bytes of a value are: those of launches, arguments and constants, or none's
    where a tensor of parts has gaps.
    """
    op = value.owner
    if isinstance(op, GraphOp) and op.view_offset is not None:
        start = op.view_offset * element_bytes(element_type(value))
        return part(_content(op.operands[0]), start, tensor_bytes(value))
    if isinstance(op, GraphOp) and op.joined is not None:
        return _laid_over(op, op.joined)
    if isinstance(op, GraphOp) and op.operand_offsets is not None:
        return joined(piece for operand in op.operands for piece in _content(operand))
    return joined(_whole(value))


def _laid_over(op: GraphOp, places: Joined) -> list[Piece]:
    """Return what the bytes of an op are whose operands are parts along an axis."""
    whole = op.results[0]
    content = [Piece(tensor_bytes(whole), None)]
    for operand, start in zip(op.operands, places.starts, strict=True):
        first = tensor_bytes(whole) // shape(whole)[places.axis] * start
        last = first + tensor_bytes(operand)
        before, after = part(content, 0, first), part(content, last, tensor_bytes(whole) - last)
        content = joined([*before, *_content(operand), *after])
    return content


class _Weights:
    """Gives each constant a place of its own. offsets: where each of them is."""

    def __init__(self) -> None:
        self.offsets: dict[SSAValue, int] = {}
        self._end = 0

    def place(self, op: GraphOp) -> int:
        """Return the place of a constant."""
        offset = self.offsets[op.results[0]] = self._end
        self._end += tensor_bytes(op.results[0])
        self._end += -self._end % TENSOR_ALIGNMENT
        return offset


def _check_filled(
    op: LaunchOp, operands: Sequence[Address], marks: Mapping[int, list[Piece]], memory: Memory
) -> None:
    """Check that nobody has written what is filled when the run begins."""
    for number, mark in marks.items():
        if memory.read(operands[number], mark[0].bytes) != mark:
            raise MiscompileError(f"{_name(op)} does not find its operand {number} filled")


def _marks(module: ModuleOp) -> Iterator[tuple[str, Mapping[int, list[Piece]]]]:
    """Yield each kernel's name, and what its launches must find in the buffers that are filled when
    the run begins, by their numbers.
    """
    for op in module.ops:
        name, numbers = get_name_if_symbol(op), op.properties.get("filled")
        if name is None:
            continue
        given = numbers.get_values() if isinstance(numbers, DenseArrayBase) else ()
        buffers = {int(number): op.regions[0].block.args[int(number)] for number in given}
        yield name, {n: [Piece(buffer_bytes(x), x)] for n, x in buffers.items()}


def _scratch_sizes(module: ModuleOp) -> Iterator[tuple[str, Sequence[int]]]:
    """Yield each kernel's name and the bytes of its scratch buffers."""
    for op in module.ops:
        name, sizes = get_name_if_symbol(op), op.properties.get("scratch")
        if name is not None and isinstance(sizes, DenseArrayBase):
            yield name, tuple(map(int, sizes.get_values()))
