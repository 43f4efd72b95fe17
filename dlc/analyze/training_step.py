"""A step of the training of a model, whose weights and gradients have its precision."""

from collections.abc import Sequence
from functools import partial

from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, Use
from xdsl.rewriter import Rewriter

from dlc.analysis.entry import find_main
from dlc.core.context import DlcContext
from dlc.dialects.graph.cast import CastOp
from dlc.dialects.graph.precision import STORED
from dlc.ir.tensor import element_type, shape
from dlc.passes.graph_append_gradients import Missing, append_gradients


def training_step(
    module: ModuleOp, precision: str, context: DlcContext
) -> tuple[ModuleOp, Sequence[Missing]]:
    """Return a step of the training of a module as it was imported, and what has no rule.

    What the step has beside the inputs and results of the model is in the type that its tensors get
    in this precision: to convert a weight is no part of a gradient.
    """
    step = module.clone()
    main = find_main(step)
    inputs, results = len(main.args), len(main.function_type.outputs)
    missing = append_gradients(context, step)
    _narrow(main, inputs, results, STORED.get(precision, f32))
    return step, missing


def _narrow(main: FuncOp, inputs: int, results: int, element: Attribute) -> None:
    """Give what follows so many inputs and results a type in place of ``f32``."""
    block = main.body.block
    first, end = block.first_op, block.last_op
    assert first is not None
    assert end is not None
    for argument in block.args[inputs:]:
        if element_type(argument) == f32 != element:
            type = TensorType(element, shape(argument))
            given = Rewriter.replace_value_with_new_type(argument, type)
            wide = CastOp.make(given, to=f32)
            given.replace_uses_with_if(wide.results[0], partial(_is_another, wide))
            block.insert_op_before(wide, first)
    for number, value in enumerate(end.operands):
        if number >= results and element_type(value) == f32 != element:
            narrow = CastOp.make(value, to=element)
            block.insert_op_before(narrow, end)
            end.operands[number] = narrow.results[0]
    main.update_function_type()


def _is_another(op: Operation, use: Use) -> bool:
    return use.operation is not op
