"""When two groups have the same kernel."""

from xdsl.ir import SSAValue

from dlc.analysis.form import form
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.source import WeightOp


def kernel_key(group: GroupOp) -> object:
    """Return what a group's kernel depends on; groups with equal keys can share one."""
    block = group.body.block
    numbers: dict[SSAValue, int] = {arg: n for n, arg in enumerate(block.args)}
    weights = tuple(isinstance(v.owner, WeightOp) for v in group.inputs)
    ops: list[object] = [tuple(block.arg_types), weights, group.schedule]
    for op in block.ops:
        properties = tuple(sorted(op.properties.items(), key=lambda item: item[0]))
        ops.append((op.name, properties, tuple(numbers[v] for v in op.operands)))
        if op.regions:
            ops.append(form(op))
        for result in op.results:
            numbers[result] = len(numbers)
            ops.append(result.type)
    return tuple(ops)
