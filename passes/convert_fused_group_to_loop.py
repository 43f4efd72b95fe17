"""Write each distinct group as kernels of loops over buffers; launch them where the group was."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice

from xdsl.context import Context
from xdsl.dialects.builtin import Float64Type, FloatAttr, ModuleOp, TensorType, f64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.kernel_key import kernel_key
from dlc.analysis.outside import check_outside
from dlc.core.context import dlc_context
from dlc.core.locations import operation_text
from dlc.core.passes import DlcPass
from dlc.core.weights import WeightStore, WeightType
from dlc.dialects.fused_group import GroupOp, LaunchOp
from dlc.dialects.graph.overlay import part_of
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.step_loop import StepLoopOp, blocks
from dlc.dialects.loop.kernel import KernelOp
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, numpy_dtype
from dlc.lowering.job import ForCall, Handed, Job, Repacked
from dlc.lowering.stored_part import store_parts
from dlc.strategies import lower_group

Lowered = Sequence[tuple[Job, KernelOp]]
"""The kernels of a group, with what their launches take and give, in order."""


class ConvertFusedGroupToLoopPass(DlcPass):
    """Groups that compute the same on other operands (the layers of a model) share their kernels.

    A launch has the name of its group, and its share of what that probably takes. A group of one
    kernel gives it its name; several kernels, launched one after the other, have numbers, too.

    Runs on: ``fused_group`` without composite ops. Leaves: ``loop`` kernels, and functions of
    launches, constants and views. Order: after ``fuse``, ``tile`` and ``graph-decompose``.
    """

    name = "convert-fused-group-to-loop"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        conversion = _Conversion(dlc_context(ctx).weights, _names(op))
        for block in blocks(op):
            for inner in tuple(block.ops):
                conversion.convert(inner)
        functions = tuple(op.ops)
        kernels = tuple(k for lowered in conversion.lowered.values() for _, k in lowered)
        if functions and kernels:
            Rewriter.insert_op(kernels, InsertPoint.before(functions[0]))


def _names(module: ModuleOp) -> set[str]:
    """Return the names that are taken; raises CompileError where two groups have the same one."""
    names: set[str] = set()
    for op in module.walk():
        if isinstance(op, FuncOp | GroupOp):
            name = op.sym_name.data
            if name in names:
                raise CompileError(f"there are two @{name}; rename one", at=operation_text(op))
            names.add(name)
    return names


class _Conversion:
    """lowered: the groups so far, by what their kernels depend on. names: those that are taken."""

    def __init__(self, weights: WeightStore, names: set[str]):
        self.weights = weights
        self.names = names
        self.lowered: dict[object, Lowered] = {}
        self._repacked: dict[tuple[Block | None, str, Repacked], SSAValue] = {}

    def convert(self, op: Operation) -> None:
        """Replace a group by its launches; check that anything else needs no kernel."""
        if isinstance(op, StepLoopOp):
            return  # what is in its body was converted before
        if not isinstance(op, GroupOp):
            check_outside(op)
            return
        key = kernel_key(op), tuple(map(part_of, op.outputs))
        if key not in self.lowered:
            self.lowered[key] = self._lower(op)
        given: dict[Job, Sequence[SSAValue]] = {}
        last: Sequence[SSAValue] = ()
        for job, kernel in self.lowered[key]:
            inputs = list(self._inputs(op, job, given))
            name = op.sym_name.data
            launch = LaunchOp(kernel.sym_name.data, inputs, job.results, name)
            launch.location = op.location
            launch.time_us = _share(op, len(self.lowered[key]))
            Rewriter.insert_op(launch, InsertPoint.before(op))
            given[job] = last = launch.outputs
        Rewriter.replace_op(op, [], last)

    def _lower(self, group: GroupOp) -> Lowered:
        jobs = lower_group(group)
        names = self._kernel_names(group, len(jobs))
        kernels = [job.kernel(name) for job, name in zip(jobs, names, strict=True)]
        numbered = enumerate(map(part_of, group.outputs), len(jobs[-1].reads))
        store_parts(kernels[-1], {number: part for number, part in numbered if part is not None})
        for kernel in kernels:
            kernel.location = group.location
        return list(zip(jobs, kernels, strict=True))

    def _kernel_names(self, group: GroupOp, many: int) -> Iterator[str]:
        name = group.sym_name.data
        if many == 1:
            yield name
            return
        free = (each for number in count(1) if (each := f"{name}_{number}") not in self.names)
        for each in islice(free, many):
            self.names.add(each)
            yield each

    def _inputs(
        self, group: GroupOp, job: Job, given: Mapping[Job, Sequence[SSAValue]]
    ) -> Iterator[SSAValue]:
        """Yield what a launch takes. given: the results of the group's launches so far."""
        for read in job.reads:
            if isinstance(read, Handed):
                yield given[read.job][read.number]
            elif isinstance(read, ForCall):
                yield self._repack(group.inputs[read.number], read.form)
            elif read in job.repacked:
                yield self._repack(group.inputs[read], job.repacked[read])
            else:
                yield group.inputs[read]

    def _repack(self, value: SSAValue, form: Repacked) -> SSAValue:
        """Return a weight in the form that a kernel takes, one for all launches of a block."""
        old = value.owner
        assert isinstance(old, WeightOp)
        key = (old.parent, old.symbol.string_value(), form)
        if key not in self._repacked:
            self._repacked[key] = self._insert_repacked(old, form)
        return self._repacked[key]

    def _insert_repacked(self, old: WeightOp, form: Repacked) -> SSAValue:
        symbol, element = old.symbol.string_value(), element_type(old.output)
        stored = WeightType(form.sizes, numpy_dtype(element))
        if symbol in self.weights:
            name = self.weights.information(symbol)
            symbol = self.weights.derive(name, stored, [symbol], form.pack)
        new = WeightOp(symbol, TensorType(element, form.sizes))
        new.location = old.location
        Rewriter.insert_op(new, InsertPoint.after(old))
        return new.output


def _share(group: GroupOp, many: int) -> FloatAttr[Float64Type] | None:
    """Return the microseconds of one of a group's launches; nothing where nobody has said any."""
    time = group.expected_us
    return None if time is None else FloatAttr(time / many, f64)
