"""The base of every pass: a module pass whose options are read from text without surprises."""

from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec

from dlc.core.options import Step, instantiate, step_text


@dataclass(frozen=True)
class DlcPass(ModulePass):
    """A rewrite of a module; ``name`` is its flag, the fields of the dataclass are its options.

    Fields may be int, float, bool, str, a tuple of one of these, a Literal, or optional. A subclass
    with options is decorated with ``@dataclass(frozen=True)``.

    joins_nodes: whether it makes one op of those of several nodes of a model, or lets one store
    where another one reads. moves_axes: whether it chooses the order in which images are stored.
    """

    joins_nodes: ClassVar[bool] = False
    moves_axes: ClassVar[bool] = False

    @classmethod
    def from_spec(cls, spec: ArgSpec) -> Self:
        """Make the pass from xDSL's form of options; raises CompileError for a wrong one."""
        texts = {
            name.replace("-", "_"): ",".join(map(_text, values)) if values else None
            for name, values in spec.parameters.items()
        }
        return instantiate(cls, Step(spec.name, texts))

    def __str__(self) -> str:
        return step_text(self)


def _text(value: str | int | bool | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
