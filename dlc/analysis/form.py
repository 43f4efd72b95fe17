"""What an op is apart from its operands and all names: a text that is equal for equal ops."""

from functools import lru_cache

from xdsl.ir import Attribute, Operation


def form(op: Operation) -> str:
    """Return the text of an op's kind, properties and types, the same in every process."""
    properties = tuple(sorted(op.properties.items(), key=lambda item: item[0]))
    return _form(op.name, properties, tuple(op.operand_types), tuple(op.result_types))


@lru_cache(10_000)  # printing attributes takes long, and the layers of a model have the same
def _form(
    name: str,
    properties: tuple[tuple[str, Attribute], ...],
    operands: tuple[Attribute, ...],
    results: tuple[Attribute, ...],
) -> str:
    pairs = ", ".join(f"{key} = {value}" for key, value in properties)
    return f"{name} {{{pairs}}} ({', '.join(map(str, operands))}) -> {', '.join(map(str, results))}"
