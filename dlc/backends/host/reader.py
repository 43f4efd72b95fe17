"""Reads the host program from ``main``, whose values have addresses after planning memory."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from dlc.analysis.entry import find_main, input_names, output_names, returned
from dlc.analysis.launch_order import LaunchOrder
from dlc.backends.host.program import Address, Copy, HostProgram, Launch, Tensor
from dlc.core.locations import operation_text
from dlc.dialects.fused_group import ARENA_BYTES, LaunchOp
from dlc.dialects.graph.structure import GraphOp
from dlc.errors import CompileError
from dlc.ir.tensor import element_bytes, element_type, numpy_dtype, shape, tensor_bytes

WeightOffset = Callable[[GraphOp], int]
"""Gives the byte offset among the weights of an op without operands (weight, constant, splat)."""


def read_program(module: ModuleOp, weight_offset: WeightOffset) -> HostProgram:
    """Read the program of ``@main``, whose values have addresses after ``fused-group-plan-memory``.

    Raises CompileError when an op of ``main`` is neither a launch nor a view nor a constant.
    """
    main = find_main(module)
    inputs, outputs = interface(module)
    if not isa(size := module.attributes.get(ARENA_BYTES), IntegerAttr):
        raise CompileError("the module has no memory plan; run fused-group-plan-memory first")
    reader = _Reader(main, weight_offset)
    order = LaunchOrder(main)
    order.check()
    launches = tuple(
        replace(launch, after=tuple(after))
        for launch, after in zip(reader.launches(), order.edges, strict=True)
    )
    return HostProgram(
        inputs,
        outputs,
        launches,
        tuple(reader.copies(returned(main.body.block))),
        size.value.data,
    )


def interface(module: ModuleOp) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Return the inputs and the outputs of ``@main``."""
    main = find_main(module)
    return (
        _tensors(main.args, input_names(main)),
        _tensors(returned(main.body.block), output_names(main)),
    )


class _Reader:
    def __init__(self, main: FuncOp, weight_offset: WeightOffset):
        self.main = main
        self.weight_offset = weight_offset
        self.address: dict[SSAValue, Address] = {
            arg: Address("input", buffer=n) for n, arg in enumerate(main.args)
        }

    def launches(self) -> Iterator[Launch]:
        for op in self.main.body.block.ops:
            if isinstance(op, LaunchOp):
                yield self._launch(op)
            elif isinstance(op, GraphOp) and op.is_view:
                self.address[op.results[0]] = self._view(op)
            elif isinstance(op, GraphOp) and op.operand_offsets is not None:
                self.address[op.results[0]] = self._whole(op, op.operand_offsets)
            elif isinstance(op, GraphOp) and op.is_constant and not op.operands:
                if any(op.results[0].uses):  # else a packed form took its place
                    self.address[op.results[0]] = Address("weight", self.weight_offset(op))
            elif not isinstance(op, ReturnOp):
                message = f"{op.name} is in no kernel; run fuse and lower-to-loop first"
                raise CompileError(message, at=operation_text(op))

    def _view(self, op: GraphOp) -> Address:
        whole, first = self.address[op.operands[0]], op.view_offset
        assert first is not None
        return _shifted(whole, first, op)

    def _whole(self, op: GraphOp, offsets: Sequence[int]) -> Address:
        """Return where a concatenation is, whose operands must be there."""
        whole, *_ = (self.address[x] for x in op.operands)
        wanted = [_shifted(whole, first, op) for first in offsets]
        if [self.address[x] for x in op.operands] != wanted:
            message = "its operands were not written where its result is; only fuse leaves such ops"
            raise CompileError(message, at=operation_text(op))
        return whole

    def _launch(self, op: LaunchOp) -> Launch:
        if op.offsets is None:
            message = "the launch has no offsets; run fused-group-plan-memory first"
            raise CompileError(message, at=operation_text(op))
        places = [_place(offset) for offset in op.offsets.get_values()]
        self.address.update(zip(op.results, places, strict=False))
        inputs = [self.address[x] for x in op.operands]
        kernel = check_identifier(op.kernel_name, "kernel")
        group, first = check_identifier(op.group_name, "group"), op.first is not None
        return Launch(kernel, group, (*inputs, *places), first=first)

    def copies(self, returned: Sequence[SSAValue]) -> Iterator[Copy]:
        for number, value in enumerate(returned):
            target = Address("output", buffer=number)
            bytes = tensor_bytes(value)
            if bytes and self.address[value] != target:
                yield Copy(target, self.address[value], bytes)


def _shifted(address: Address, elements: int, op: GraphOp) -> Address:
    """Return the address some elements of the type of ``op`` further on."""
    width = element_bytes(element_type(op.results[0]))
    return replace(address, offset=address.offset + elements * width)


def _place(offset: int) -> Address:
    return Address("workspace", offset) if offset >= 0 else Address("output", buffer=-1 - offset)


def check_identifier(name: str, what: str) -> str:
    """Return the name of a group or kernel, a C identifier; raises CompileError for another."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise CompileError(f"{what} name {name!r} is no C identifier; rename the symbol")
    return name


def _tensors(values: Sequence[SSAValue], names: Sequence[str]) -> tuple[Tensor, ...]:
    return tuple(
        Tensor(
            name,
            numpy_dtype(element_type(value)).name,
            shape(value),
            tensor_bytes(value),
        )
        for name, value in zip(names, values, strict=True)
    )
