"""What an op is apart from its operands and all names: equal for equal ops."""

from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

from xdsl.ir import Attribute, Block, Operation, SSAValue

from dlc.core.memo import Memo

Op = TypeVar("Op", bound=Operation)
Rest = ParamSpec("Rest")
Answer = TypeVar("Answer")

_Properties = tuple[tuple[str, Attribute], ...]
_Types = tuple[Attribute, ...]


def form(op: Operation) -> str:
    """Return the text of an op's kind, properties and types, the same in every process."""
    text = _text(op.name, *_parts(op))
    return "".join([text, *(_body(block) for region in op.regions for block in region.blocks)])


def _body(block: Block) -> str:
    """Return the text of a body, in which values are numbers."""
    numbers: dict[SSAValue, int] = {value: number for number, value in enumerate(block.args)}
    lines: list[str] = []
    for op in block.ops:
        lines.append(f"{form(op)} of {[numbers[value] for value in op.operands]}")
        numbers |= {value: len(numbers) + n for n, value in enumerate(op.results)}
    return " {" + "; ".join(lines) + "}"


def once_per_form(
    ask: Callable[Concatenate[Op, Rest], Answer],
) -> Callable[Concatenate[Op, Rest], Answer]:
    """Make a function of an op, and of values that can be hashed, keep its answers for all ops of
    that form, with the same operands twice: the layers of a model have the same. It must not look
    at what computes the operands.
    """
    answers = Memo[Answer]()

    @wraps(ask)
    def kept(op: Op, *rest: Rest.args, **named: Rest.kwargs) -> Answer:
        assert not named, "answers are kept by positional arguments"
        operands = op.operands
        places = {value: number for number, value in enumerate(operands)}
        repeated = tuple(map(places.get, operands)) if len(places) < len(operands) else None
        key: Hashable = (type(op), *_parts(op), repeated, *rest)
        return answers.answer(key, lambda: ask(op, *rest, **named))

    return kept


def _parts(op: Operation) -> tuple[_Properties, _Types, _Types]:
    properties = tuple(sorted(op.properties.items(), key=lambda item: item[0]))
    return properties, tuple(op.operand_types), tuple(op.result_types)


@lru_cache(10_000)  # printing attributes takes long
def _text(name: str, properties: _Properties, operands: _Types, results: _Types) -> str:
    pairs = ", ".join(f"{key} = {value}" for key, value in properties)
    return f"{name} {{{pairs}}} ({', '.join(map(str, operands))}) -> {', '.join(map(str, results))}"
