"""The verifier: every fault of a module, each with its op; dominance and symbols included."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, ErasedSSAValue, Operation, Region, SSAValue
from xdsl.irdl.dominance import DominanceInfo
from xdsl.parser.core import ForwardDeclaredValue
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoTerminator
from xdsl.utils.exceptions import DiagnosticException, VerifyException
from xdsl.utils.symbol_table import get_name_if_symbol

from dlc.core.annotation import annotation_faults
from dlc.errors import CompileError


class SymbolUser(ABC):
    """An op that names a symbol of its module; asked once per module, with the whole table."""

    @abstractmethod
    def verify_symbols(self, symbols: Mapping[str, Operation]) -> None:
        """Raise VerifyException when a symbol is missing or is not what the op needs."""


@dataclass(frozen=True)
class Fault:
    """One thing wrong with one op."""

    op: Operation
    message: str


class InvalidModule(VerifyException):
    """A module with faults. ``faults`` has at least one, in the order of the text."""

    def __init__(self, faults: list[Fault]):
        self.faults = faults
        super().__init__(faults[0].message)


def verify(module: ModuleOp) -> None:
    """Raise InvalidModule if the module has faults."""
    if faults := find_faults(module):
        raise InvalidModule(faults)


def find_faults(module: ModuleOp) -> list[Fault]:
    """Return all faults of a module.

    Dominance and symbols are looked at only when every op is right by itself, and that only where
    each operand has been defined: what a parser left open has no owner that a rule could ask for.
    """
    if undefined := list(map(_undefined, filter(_has_undefined, module.walk()))):
        return undefined
    faults = [Fault(op, text) for op in module.walk() for text in _op_faults(op)]
    return faults or [*_dominance_faults(module), *_symbol_faults(module)]


def _has_undefined(op: Operation) -> bool:
    return any(isinstance(operand, ForwardDeclaredValue) for operand in op.operands)


def _undefined(op: Operation) -> Fault:
    return Fault(op, f"{op.name}: an operand is defined only inside the op, where it is not yet")


def _op_faults(op: Operation) -> Iterator[str]:
    yield from _structure_faults(op)
    yield from annotation_faults(op)
    try:
        # Constraints, traits and the op's own rules. Operation.verify would print the whole module.
        op.verify_()
    except (DiagnosticException, CompileError) as error:
        text = str(error)
        yield text if text.startswith(op.name) else f"{op.name}: {text}"


def _structure_faults(op: Operation) -> Iterator[str]:
    if any(isinstance(operand, ErasedSSAValue) for operand in op.operands):
        yield f"{op.name}: an operand's definition was erased"
    if op.successors and (op.parent is None or op.parent.last_op is not op):
        yield f"{op.name}: an op with successors must end its block"
    for region in op.regions:
        for block in region.blocks:
            if block.parent is not region or any(inner.parent is not block for inner in block.ops):
                yield f"{op.name}: an inner op or block does not know its parent"
            if _needs_terminator(op, region) and not _is_terminated(block):
                yield f"{op.name}: a block of its region does not end in a terminator"


def _needs_terminator(op: Operation, region: Region) -> bool:
    return region.first_block is not region.last_block or not op.has_trait(NoTerminator)


def _is_terminated(block: Block) -> bool:
    return block.last_op is not None and block.last_op.has_trait(IsTerminator)


def _dominance_faults(module: ModuleOp) -> Iterator[Fault]:
    for region in module.regions:
        yield from _region_faults(region, set())


def _region_faults(region: Region, visible: set[SSAValue]) -> Iterator[Fault]:
    if region.first_block is region.last_block:
        for block in region.blocks:
            yield from _block_faults(block, visible)
        return
    info = DominanceInfo(region)
    for block in region.blocks:
        above = {b for b in region.blocks if info.strictly_dominates(b, block)}
        inherited = {value for b in above for value in _defined_values(b)}
        yield from _block_faults(block, visible | inherited)


def _defined_values(block: Block) -> Iterator[SSAValue]:
    yield from block.args
    for op in block.ops:
        yield from op.results


def _block_faults(block: Block, visible: set[SSAValue]) -> Iterator[Fault]:
    """Yield the uses of values that are not visible; ``visible`` is the same again afterwards."""
    added: list[SSAValue] = list(block.args)
    visible.update(added)
    for op in block.ops:
        for number, operand in enumerate(op.operands):
            if operand not in visible:
                yield Fault(op, f"{op.name}: operand {number} is not defined before this use")
        for region in op.regions:
            yield from _region_faults(region, set() if op.has_trait(IsolatedFromAbove) else visible)
        visible.update(op.results)
        added.extend(op.results)
    visible.difference_update(added)


def _symbol_faults(module: ModuleOp) -> Iterator[Fault]:
    symbols = {name: op for op in module.ops if (name := get_name_if_symbol(op)) is not None}
    for op in module.walk():
        if isinstance(op, SymbolUser):
            try:
                op.verify_symbols(symbols)
            except VerifyException as error:
                yield Fault(op, f"{op.name}: {error}")
