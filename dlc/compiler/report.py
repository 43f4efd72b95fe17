"""What the compiler decided, as plain data: kept in the artifact and printed by ``explain``."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict

from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dlc.analysis.entry import find_main, groups, launches, launches_by_group
from dlc.arch import Arch
from dlc.backends.host.reader import interface
from dlc.compiler.outcome import Report
from dlc.compiler.runners_up import runners_up
from dlc.compiler.steps import describe_buffers, describe_steps
from dlc.core.locations import node_names, origin_text
from dlc.core.nvrtc import Resources
from dlc.dialects.fused_group import ARENA_BYTES, GroupOp, group_of_steps
from dlc.dialects.gpu import KernelOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import tensor_bytes
from dlc.plan import Planner


def describe_groups(module: ModuleOp, planner: Planner) -> dict[str, Report]:
    """Return what each ``fused_group.group`` of ``main`` is and was given, by its name; one of a
    loop has one description for all steps.

    planner: knows what else it could have been given.
    """
    main = find_main(module)
    found = {group.sym_name.data: _describe(group, planner) for group in groups(main)}
    return found or _unknown_groups(main)


def _unknown_groups(main: FuncOp) -> dict[str, Report]:
    """Return descriptions of groups of which only the launches are known."""
    nothing = {
        "operations": [],
        "boundaries": [],
        "schedule": {},
        "bound": {},
        "measured": {},
        "runners_up": [],
        "work": {},
    }
    return {
        group_of_steps(name): {**nothing, "nodes": [*node_names(ops[-1].location)]}
        for name, ops in launches_by_group(main).items()
    }


def _describe(group: GroupOp, planner: Planner) -> Report:
    inner = [op for op in group.body.block.ops if op.results and not _is_constant(op)]
    reasons = [text.data for text in group.boundaries.data] if group.boundaries else []
    return {
        "operations": [op.name for op in inner],
        "nodes": list(dict.fromkeys(name for op in inner if (name := origin_text(op.location)))),
        "schedule": group.schedule.as_data() if group.schedule else {},
        "bound": group.bound.as_data() if group.bound else {},
        "measured": group.measured.as_data() if group.measured else {},
        "runners_up": runners_up(group, planner),
        "boundaries": reasons,
        "work": {
            "flops": sum(op.flops() for op in inner if isinstance(op, GraphOp)),
            "bytes": sum(map(tensor_bytes, (*group.operands, *group.results))),
        },
    }


def _is_constant(op: Operation) -> bool:
    """Whether ``op`` is a value that is read, not a node that is computed.

    Equal constants are one op, which has the name of the first of them.
    """
    return isinstance(op, GraphOp) and op.is_constant


def describe_chip(arch: Arch, precision: str) -> Report:
    """Return the name of a chip, the rate of its memory, and those of its units that compute in
    the precision or in fp32.
    """
    types = {precision.replace("fp", "f"), "f32"}
    units = {unit: rate for unit, rate in arch.peaks.items() if unit.partition(".")[2] in types}
    return {"name": arch.name, "bytes_per_s": arch.dram_bytes_per_s, "flops_per_s": units}


def describe_interface(module: ModuleOp) -> Report:
    """Return name, dtype (numpy's name) and shape of the inputs and outputs of ``main``."""
    return {
        side: [{"name": t.name, "dtype": t.dtype, "shape": list(t.shape)} for t in tensors]
        for side, tensors in zip(("inputs", "outputs"), interface(module), strict=True)
    }


def make_report(
    module: ModuleOp, groups: Mapping[str, Report], resources: Mapping[str, Resources]
) -> Report:
    """Return the report of a lowered module whose groups were described before lowering.

    resources: what the assembler says, by kernel.
    """
    launched = launches(find_main(module))
    group_of: dict[str, str] = {}
    nodes: dict[str, dict[str, None]] = {}  # in order, each once
    for launch in launched:
        name = launch.kernel_name
        group_of.setdefault(name, launch.group_name)
        described = groups[group_of_steps(launch.group_name)]
        nodes.setdefault(name, {}).update(dict.fromkeys(described["nodes"]))
    size = module.attributes[ARENA_BYTES]
    assert isinstance(size, IntegerAttr)
    compiled = {op.sym_name.data: op for op in module.ops if isinstance(op, KernelOp)}
    kernels = [
        {
            "name": name,
            "group": group_of[name],
            "launches": count,
            **groups[group_of_steps(group_of[name])],
            "nodes": list(nodes[name]),
            "resources": _used(compiled[name], resources[name]) if name in resources else {},
        }
        for name, count in Counter(launch.kernel_name for launch in launched).items()
    ]
    return {
        "launches": len(launched),
        "workspace_bytes": size.value.data,
        "kernels": kernels,
        "steps": describe_steps(module, groups),
        "buffers": describe_buffers(module),
    }


def _used(kernel: KernelOp, static: Resources) -> Report:
    """Return the resources of a kernel: the assembler knows nothing of what a launch adds."""
    used = asdict(static)
    if kernel.shared_bytes:
        used["shared_bytes"] += kernel.shared_bytes.value.data
    if kernel.max_registers:
        used["max_registers"] = kernel.max_registers.value.data
    return used
