"""Groups of graph ops that share a kernel.

A value is a tensor, as in ``graph``; a group's region is what one kernel (or one library call)
computes. How it is looped over is only named here, by the schedule; loops and buffers are not
expressible.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FlatSymbolRefAttrConstr,
    FloatAttr,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Dialect, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from dlc.core.verify import SymbolUser
from dlc.dialects.graph.overlay import stored_type
from dlc.dialects.graph.structure import GraphOp
from dlc.dialects.loop.attributes import BoundAttr, MeasuredAttr, ScheduleAttr

ARENA_BYTES = "fused_group.arena_bytes"
"""The module attribute with the size of the arena in which ``offsets`` are."""


def group_of_step(name: str, step: int) -> str:
    """Return what a group of a loop's body is called in one step."""
    return f"{name}_step{step}"


def group_of_steps(name: str) -> str:
    """Return what a group is called in the body of its loops: without the numbers of steps."""
    return re.sub(r"(_step\d+)+$", "", name)


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends a group with the tensors it gives.

    ``fused_group.yield %5 : tensor<8xf32>``
    """

    name = "fused_group.yield"
    arguments = var_operand_def(TensorType)
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(GroupOp), Pure()))
    assembly_format = "$arguments attr-dict `:` type($arguments)"

    def __init__(self, *values: SSAValue):
        super().__init__(operands=[values])


@irdl_op_definition
class GroupOp(IRDLOperation):
    """Graph ops that one kernel computes, with the decisions about it.

    ``schedule``: how it is lowered; ``bound``: what the architecture model says about that;
    ``measured``: what it took where it was tried. ``boundaries``: why the group ends where it does:
    a sentence for each group that reads a result, or for several that read it in a concatenation.

    ``%y = fused_group.group @g0(%x) : (tensor<8xf32>) -> tensor<8xf32> attributes {...} {...}``
    """

    name = "fused_group.group"
    sym_name = prop_def(SymbolNameConstraint())
    inputs = var_operand_def(TensorType)
    schedule = opt_prop_def(ScheduleAttr)
    bound = opt_prop_def(BoundAttr)
    measured = opt_prop_def(MeasuredAttr)
    boundaries = opt_prop_def(ArrayAttr[StringAttr])
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$sym_name `(` $inputs `)` `:` functional-type($inputs, $outputs)"
        " attr-dict-with-keyword $body"
    )

    def __init__(
        self,
        name: str,
        inputs: Sequence[SSAValue],
        results: Sequence[Attribute],
        body: Region | None = None,
        **properties: Attribute,
    ):
        """body: its block takes one argument per input; made empty when absent."""
        super().__init__(
            operands=[inputs],
            properties={"sym_name": StringAttr(name), **properties},
            result_types=[results],
            regions=[body or Region(Block(arg_types=[v.type for v in inputs]))],
        )

    @property
    def expected_us(self) -> float | None:
        """What the group probably takes: as measured, else by the model; ``None`` if unknown."""
        if self.measured is not None:
            return self.measured.get("time_us", 0.0)
        found = self.bound.get("estimate_us", 0.0) if self.bound is not None else 0.0
        return found or None

    @property
    def yielded(self) -> Sequence[SSAValue]:
        """The values inside the body that become the results."""
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return last.arguments

    def verify_(self) -> None:
        *ops, last = self.body.block.ops
        if not isinstance(last, YieldOp):
            raise VerifyException("a group ends with fused_group.yield")
        _same_types("inputs", self.inputs, "arguments", self.body.block.args)
        _same_types("results", self.outputs, "yielded values", last.arguments)
        for op in ops:
            if not isinstance(op, GraphOp):
                raise VerifyException(f"a group holds graph ops, not {op.name}")


def _same_types(one: str, these: Sequence[SSAValue], other: str, those: Sequence[SSAValue]) -> None:
    if [v.type for v in these] != [v.type for v in those]:
        raise VerifyException(f"the types of the {one} differ from those of the {other}")


@irdl_op_definition
class LaunchOp(IRDLOperation, SymbolUser):
    """A run of a kernel on tensors, which computes a group or a part of it.

    ``group``: the name of the group, by default that of the kernel; equal groups share a kernel.
    The last launch of a group gives the group's results, in order; those before it give what
    launches of the same group read. A launch follows the launches whose results it reads.
    ``after``: the launches that it comes after, each as how many launches before it that one
    stands, and what these come after; others may run at the same time. Without it a launch comes
    after all before it.
    ``time_us``: what the launch probably takes. ``first``: it begins before others that could.
    ``offsets``: where each result, then each scratch buffer, stands in the arena, in bytes; ``-1 -
    k`` is the caller's buffer of output ``k``.

    ``%y = fused_group.launch @g0(%x) of "g3" : (tensor<8xf32>) -> tensor<8xf32>``
    """

    name = "fused_group.launch"
    kernel = prop_def(FlatSymbolRefAttrConstr)
    group = opt_prop_def(StringAttr)
    inputs = var_operand_def(TensorType)
    after = opt_prop_def(DenseArrayBase.constr(i64))
    time_us = opt_prop_def(FloatAttr)
    first = opt_prop_def(UnitAttr)
    offsets = opt_prop_def(DenseArrayBase.constr(i64))
    outputs = var_result_def(TensorType)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$kernel `(` $inputs `)` (`of` $group^)? attr-dict `:` functional-type($inputs, $outputs)"
    )

    def __init__(
        self,
        kernel: str,
        inputs: Sequence[SSAValue],
        results: Sequence[Attribute],
        group: str | None = None,
    ):
        named = None if group in (None, kernel) else StringAttr(group)
        super().__init__(
            operands=[inputs],
            properties={"kernel": SymbolRefAttr(kernel), "group": named},
            result_types=[results],
        )

    @property
    def microseconds(self) -> float:
        """What the launch probably takes; 1 where nothing is known of it, as of all others then."""
        return 1.0 if self.time_us is None else self.time_us.value.data

    @property
    def kernel_name(self) -> str:
        """The symbol of the kernel, without the ``@``."""
        return self.kernel.string_value()

    @property
    def group_name(self) -> str:
        """The name of the group that the launch computes, or a part of it."""
        return self.group.data if self.group else self.kernel_name

    def verify_(self) -> None:
        distances = () if self.after is None else self.after.get_values()
        count, op = 0, self.prev_op
        while op is not None and count < max(distances, default=0):
            count += isinstance(op, LaunchOp)
            op = op.prev_op
        if any(not 0 < distance <= count for distance in distances):
            raise VerifyException(
                f"after = {list(distances)} should say how many launches before it others stand"
            )

    def verify_symbols(self, symbols: Mapping[str, Operation]) -> None:
        name = f"@{self.kernel_name}"
        kernel = symbols.get(self.kernel_name)
        if kernel is None or not kernel.regions:
            raise VerifyException(f"there is no kernel {name}")
        buffers = kernel.regions[0].block.arg_types
        tensors = [*self.inputs.types, *map(stored_type, self.outputs)]
        if len(buffers) < len(tensors):
            raise VerifyException(f"{len(tensors)} tensors, but {name} has {len(buffers)} buffers")
        for number, (tensor, buffer) in enumerate(zip(tensors, buffers, strict=False)):
            if not _is_buffer_of(tensor, buffer):
                raise VerifyException(
                    f"tensor {number} is {tensor}, buffer {number} of {name} is {buffer}"
                )


def launches_before(op: Operation) -> Iterator[LaunchOp]:
    """Yield the launches whose results ``op`` reads, as they are or through views."""
    for value in op.operands:
        if isinstance(value.owner, LaunchOp):
            yield value.owner
        elif isinstance(value.owner, GraphOp):
            yield from launches_before(value.owner)


def _is_buffer_of(tensor: Attribute, buffer: Attribute) -> bool:
    if not isinstance(tensor, TensorType) or not isinstance(buffer, MemRefType):
        return False
    return (tensor.shape, tensor.element_type) == (buffer.shape, buffer.element_type)


FusedGroup = Dialect("fused_group", [GroupOp, LaunchOp, YieldOp], [])
