"""The weights that a text names: they come from the model that it was made of, or from a file."""

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp

from dlc.core.context import DlcContext
from dlc.core.locations import operation_text
from dlc.core.weights import Array, WeightType
from dlc.dialects.graph.source import WeightOp
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, numpy_dtype, shape
from dlc.option_text import option


def define_weights(arrays: Mapping[str, Array], context: DlcContext) -> None:
    """Store weights by symbol; raises CompileError for what is none."""
    for name, array in arrays.items():
        try:
            context.weights.define(name, array)
        except (TypeError, ValueError) as error:
            raise CompileError(f"{name} is no weight: {error}") from error


def check_weights(module: ModuleOp, context: DlcContext, source: object) -> None:
    """Raise CompileError at the first weight that is not there, or is another tensor.

    source: where the weights come from, ``None`` where nowhere.
    """
    for op in module.walk():
        if isinstance(op, WeightOp):
            symbol, result = op.symbol.string_value(), op.results[0]
            wanted = WeightType(shape(result), numpy_dtype(element_type(result)))
            found = context.weights.type(symbol) if symbol in context.weights else None
            if found != wanted:
                raise CompileError(
                    f"weight @{symbol} {_difference(found, wanted, source)}", at=operation_text(op)
                )


def _difference(found: WeightType | None, wanted: WeightType, source: object) -> str:
    """Return what is wrong with a weight. source: where it comes from."""
    if source is None:
        return "is not there; give the model or the weights that the text was made of as " + option(
            "weights-from"
        )
    given = option("weights-from")
    has = f"what {given} has is {_type_text(found)}" if found else f"{given} lacks it"
    return (
        f"should be {_type_text(wanted)}, {has}; it must be what the text was made of, with the "
        f"same {option('target')} and {option('precision')}"
    )


def _type_text(type: WeightType) -> str:
    return f"{type.dtype}[{', '.join(map(str, type.shape))}]"
