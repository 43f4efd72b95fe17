"""A loop over the steps of a sequence: what one step gives, the next one takes."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType, UnitAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
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
from xdsl.rewriter import Rewriter
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator, Pure

from dlc.dialects.graph.computed import ComputedOp, Index, Scope
from dlc.dialects.graph.structure import Array, BodyOp, GraphOp
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, shape


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends a step with the states after it, then what it gives to the results of all steps.

    ``graph.yield %h, %y : tensor<2x8xf32>, tensor<2x8xf32>``
    """

    name = "graph.yield"
    arguments = var_operand_def(TensorType)
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(StepLoopOp), Pure()))
    assembly_format = "$arguments attr-dict `:` type($arguments)"

    def __init__(self, *values: SSAValue):
        super().__init__(operands=[values])


@irdl_op_definition
class StepLoopOp(BodyOp, ComputedOp):
    """``steps`` runs of a body, one after the other (``Scan`` of ONNX).

    The body takes the states, which begin as ``initial``; its part of each of ``sliced``, whose
    first axis counts the steps; and all of each of ``shared``. It yields the states after the step,
    in the types that they had, then one part of each further result. The loop gives the last
    states, then these parts of all steps, one after the other along a new first axis. With
    ``backward`` the last part is the first step's, in ``sliced`` and in the results.

    ::

        %last, %all = graph.step_loop carry (%zero) slice (%x) read (%w)
            {steps = 20 : i64} : (tensor<1x8xf32>) (tensor<20x1x8xf32>) (tensor<8x8xf32>)
            -> tensor<1x8xf32>, tensor<20x1x8xf32> {
        ^bb0(%h: tensor<1x8xf32>, %part: tensor<1x8xf32>, %m: tensor<8x8xf32>):
          %0 = graph.matmul %h, %m : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
          %1 = graph.add %0, %part : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
          graph.yield %1, %1 : tensor<1x8xf32>, tensor<1x8xf32>
        }
    """

    name = "graph.step_loop"
    initial = var_operand_def(TensorType)
    sliced = var_operand_def(TensorType)
    shared = var_operand_def(TensorType)
    steps = prop_def(IntegerAttr.constr(type=i64))
    backward = opt_prop_def(UnitAttr)
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), Pure())
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "`carry` `(` $initial `)` `slice` `(` $sliced `)` `read` `(` $shared `)` attr-dict"
        " `:` `(` type($initial) `)` `(` type($sliced) `)` `(` type($shared) `)`"
        " `->` type($outputs) $body"
    )

    @classmethod
    def of(
        cls,
        initial: Sequence[SSAValue],
        sliced: Sequence[SSAValue],
        shared: Sequence[SSAValue],
        body: Block,
        steps: int,
        backward: bool = False,
    ) -> "StepLoopOp":
        """Return a loop; its result types come from ``infer``."""
        last = _yield_of(body)
        carried, parts = last.operand_types[: len(initial)], last.operand_types[len(initial) :]
        return cls(
            operands=[initial, sliced, shared],
            properties={
                "steps": IntegerAttr(steps, i64),
                **({"backward": UnitAttr()} if backward else {}),
            },
            result_types=[[*carried, *(_stacked(part, steps) for part in parts)]],
            regions=[Region(body)],
        )

    def reading(self, shared: Sequence[SSAValue]) -> "StepLoopOp":
        """Return a loop that takes over the body of this one, with other operands ``shared``."""
        body, steps = self.body.detach_block(0), self.runs
        backward = self.backward is not None
        new = StepLoopOp.of(self.initial, self.sliced, shared, body, steps, backward)
        new.location = self.location
        return new

    @property
    def runs(self) -> int:
        return self.steps.value.data

    @property
    def kept_types(self) -> Sequence[Attribute]:
        return [value.type for value in self.initial]

    def update_arguments(self) -> None:
        for argument, type in zip(self.body.block.args, self._argument_types(), strict=True):
            Rewriter.replace_value_with_new_type(argument, type)

    @property
    def places(self) -> range:
        """The place of each step along the first axis of ``sliced`` and of the results."""
        count = self.runs
        return range(count - 1, -1, -1) if self.backward else range(count)

    @property
    def yielded(self) -> Sequence[SSAValue]:
        """The values inside of the body that it yields."""
        return _yield_of(self.body.block).arguments

    def infer(self) -> Sequence[Attribute]:
        if self.runs < 1:
            raise CompileError("a loop has at least one step")
        body = self.body.block
        _check_types("argument", body.arg_types, self._argument_types())
        given = [value.type for value in self.yielded]
        states = self.kept_types
        _check_types("yielded state", given[: len(states)], states)
        return [*states, *(_stacked(part, self.runs) for part in given[len(states) :])]

    def _argument_types(self) -> Sequence[Attribute]:
        """Return the types that the arguments of the body have."""
        for number, value in enumerate(self.sliced):
            if not shape(value) or shape(value)[0] != self.runs:
                raise CompileError(f"sliced operand {number} is not {self.runs} parts")
        parts = [TensorType(element_type(value), shape(value)[1:]) for value in self.sliced]
        return [*self.kept_types, *parts, *(v.type for v in self.shared)]

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        raise CompileError("an element of a loop's result cannot be computed by itself")

    def flops(self) -> int:
        inner = (op for op in self.body.block.ops if isinstance(op, GraphOp))
        return self.runs * sum(op.flops() for op in inner)

    def run(
        self, operands: Sequence[Array], run_body: Callable[[list[Array]], Sequence[Array]]
    ) -> list[Array]:
        count, sliced = len(self.initial), len(self.initial) + len(self.sliced)
        states, shared = list(operands[:count]), operands[sliced:]
        rows: list[Sequence[Array]] = []
        for place in self.places:
            parts = [x[place] for x in operands[count:sliced]]
            found = run_body([*states, *parts, *shared])
            states = list(found[:count])
            rows.append(found[count:])
        ordered = rows[::-1] if self.backward else rows
        return [*states, *(np.stack(parts) for parts in zip(*ordered, strict=True))]

    def reference(self, *operands: Array) -> tuple[Array, ...]:
        return tuple(self.run(operands, self.run_body))

    def run_body(self, arguments: list[Array]) -> Sequence[Array]:
        """Run the ops of the body once, by their own ``reference``; weights have none."""
        values = self.body_values(arguments)
        return [values[x] for x in self.yielded]

    def body_values(self, arguments: list[Array]) -> dict[SSAValue, Array]:
        """Return what the values of the body are in one run of it."""
        block = self.body.block
        values: dict[SSAValue, Array] = dict(zip(block.args, arguments, strict=True))
        for op in list(block.ops)[:-1]:
            assert isinstance(op, GraphOp)
            found = op.reference(*(values[x] for x in op.operands))
            results = found if isinstance(found, tuple) else (found,)
            values.update(zip(op.results, results, strict=True))
        return values


def step_loops(root: Operation) -> list[StepLoopOp]:
    """Return the loops inside of ``root``, inner ones before those around them, but those of
    groups: one kernel does all of their steps.
    """
    inside = root.walk(reverse=True, region_first=True)
    return [op for op in inside if isinstance(op, StepLoopOp) and _is_apart(op)]


def _is_apart(loop: StepLoopOp) -> bool:
    around = loop.parent_op()
    return around is None or isinstance(around, FuncOp | StepLoopOp)


def blocks(module: ModuleOp) -> Iterator[Block]:
    """Yield the blocks of graph ops: those of functions, behind those of the loops in them."""
    for function in module.ops:
        if isinstance(function, FuncOp) and function.body.blocks:
            yield from (loop.body.block for loop in step_loops(function))
            yield function.body.block


def _yield_of(body: Block) -> YieldOp:
    last = body.last_op
    if not isinstance(last, YieldOp):
        raise CompileError("a step ends with graph.yield")
    return last


def _stacked(part: Attribute, steps: int) -> TensorType[Attribute]:
    assert isinstance(part, TensorType)
    return TensorType(part.element_type, [steps, *part.get_shape()])


def _check_types(what: str, found: Sequence[Attribute], wanted: Sequence[Attribute]) -> None:
    if len(found) < len(wanted) or (what == "argument" and len(found) > len(wanted)):
        raise CompileError(f"there are {len(found)} {what}s, should be {len(wanted)}")
    for number, (own, other) in enumerate(zip(found, wanted, strict=False)):
        if own != other:
            raise CompileError(f"{what} {number} is {own}, should be {other}")


OPERATIONS = [StepLoopOp, YieldOp]
