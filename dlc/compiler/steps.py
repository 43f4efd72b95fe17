"""What a run does and what it keeps in memory meanwhile, as plain data of a report."""

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from dlc.analysis.buffers import Buffers
from dlc.analysis.entry import find_main, launches, returned
from dlc.backends.host.reader import read_program
from dlc.compiler.outcome import Report
from dlc.dialects import gpu, loop
from dlc.dialects.fused_group import LaunchOp, group_of_steps
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import tensor_bytes


def describe_steps(module: ModuleOp, groups: Mapping[str, Report]) -> list[Report]:
    """Return what a run does, in order: launches, with the nodes of each, then copies.

    groups: their descriptions, by name.
    """
    program = read_program(module, lambda _: 0)
    ops = launches(find_main(module))
    number = {op: n for n, op in enumerate(ops)}
    steps = [
        {
            "kernel": step.kernel,
            "group": step.group,
            "nodes": groups[group_of_steps(step.group)]["nodes"],
            "estimate_us": None if op.time_us is None else op.time_us.value.data,
            "reads": sorted({number[maker] for x in op.operands for maker in _makers(x)}),
            "after": list(step.after),
        }
        for step, op in zip(program.launches, ops, strict=True)
    ]
    return [*steps, *({"output": program.outputs[c.target.buffer].name} for c in program.copies)]


def _makers(value: SSAValue) -> Iterator[LaunchOp]:
    """Yield the launches that write a value or, of a view or a concatenation, a part of it."""
    if isinstance(value.owner, LaunchOp):
        yield value.owner
    elif isinstance(value.owner, GraphOp):
        for operand in value.owner.operands:
            yield from _makers(operand)


def describe_buffers(module: ModuleOp) -> list[Report]:
    """Return the buffers in the arena: ``offset`` and ``bytes``, the ``first`` and the ``last``
    step in which each is used; what is copied to an output in the end is used by one step more.
    """
    main = find_main(module)
    ops, buffers = launches(main), Buffers(main.body.block)
    last = _last_uses(main.body.block, ops, buffers)
    found: dict[SSAValue, Report] = {}
    scratch: list[Report] = []
    sizes = {op.sym_name.data: op.scratch.get_values() for op in _kernels(module)}
    for step, op in enumerate(ops):
        offsets = list(op.offsets.get_values()) if op.offsets is not None else []
        for value, offset in zip(op.results, offsets, strict=False):
            whole, shift = buffers.place(value)
            if offset >= 0 and whole not in found:
                found[whole] = _buffer(offset - shift, tensor_bytes(whole), step, last[whole])
        for size, offset in zip(sizes[op.kernel_name], offsets[len(op.results) :], strict=True):
            scratch.append(_buffer(offset, size, step, step))
    return [*found.values(), *scratch]


def _kernels(module: ModuleOp) -> list[loop.KernelOp | gpu.KernelOp]:
    return [op for op in module.ops if isinstance(op, loop.KernelOp | gpu.KernelOp)]


def _last_uses(block: Block, ops: Sequence[LaunchOp], buffers: Buffers) -> dict[SSAValue, int]:
    """Return in which step each buffer is used last."""
    last: dict[SSAValue, int] = {}
    for step, op in enumerate(ops):
        last |= {buffers.place(value)[0]: step for value in (*op.operands, *op.results)}
    return last | {buffers.place(value)[0]: len(ops) for value in returned(block)}


def _buffer(offset: int, size: int, first: int, last: int) -> Report:
    return {"offset": offset, "bytes": size, "first": first, "last": last}
