"""Kernels as text of the C family: control flow, scalars, index expressions, loads and stores.

Every value becomes a constant variable with a number; no name of a model reaches the text. A
backend adds its own operations to the table ``STATEMENTS`` and says how elements are stored.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from dlc.analysis.index_range import range_of
from dlc.backends._c_index import IndexText, is_narrow
from dlc.backends._c_scalar import (
    TEMPLATES,
    c_type,
    fill_template,
    float_text,
    integer_text,
    scalar_template,
    storage_type,
)
from dlc.core.affine import linear_index
from dlc.core.locations import operation_text
from dlc.dialects import loop
from dlc.dialects.gpu.unroll import UNROLL, UNROLL_PAIRS
from dlc.errors import CompileError
from dlc.ir.access import Access

Statement = Callable[[Any, Any], None]
"""Prints one operation: (printer, operation)."""


class CLikePrinter(ABC):
    """Prints the body of kernels; one object prints one translation unit."""

    STATEMENTS: ClassVar[Mapping[type[Operation], Statement]]
    TEMPLATES: ClassVar[dict[type[Operation], str]] = TEMPLATES
    PREFIX: ClassVar[str]
    """What the names of the prelude's functions begin with."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[SSAValue, str] = {}
        self._depth = 0
        self._count = 0

    def widen(self, element: Attribute, text: str) -> str:
        """Return the value, in the compute type, of a stored element."""
        if isinstance(element, Float16Type | BFloat16Type):
            return f"{self.PREFIX}load_{element}({text})"
        return text

    def narrow(self, element: Attribute, text: str) -> str:
        """Return what is stored for a value of the compute type."""
        if isinstance(element, Float16Type | BFloat16Type):
            return f"{self.PREFIX}store_{element}({text})"
        return f"({storage_type(element)}){text}" if isinstance(element, IntegerType) else text

    @abstractmethod
    def nonfinite(self, value: float, type: Attribute) -> str:
        """Return an infinity or NaN."""

    # Text ----------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        """Add a line at the current depth."""
        self.lines.append("  " * self._depth + text if text else "")

    @contextmanager
    def braces(self, head: str, tail: str = "}") -> Generator[None]:
        """Open a brace after ``head`` and close it at the end."""
        self.line(head + " {")
        self._depth += 1
        yield
        self._depth -= 1
        self.line(tail)

    def fresh(self, prefix: str) -> str:
        """Return a name that is not in use."""
        self._count += 1
        return f"{prefix}{self._count}"

    def type_of(self, value: SSAValue) -> str:
        """Return the C type of a value; an index is an ``int`` where that is provably enough."""
        if isinstance(value.type, IndexType) and is_narrow(range_of(value)):
            return "int"
        return c_type(value.type)

    def define(self, value: SSAValue, text: str) -> None:
        """Add the definition of a value."""
        self.names[value] = self.fresh("v")
        self.line(f"const {self.type_of(value)} {self.names[value]} = {text};")

    def literal(self, attribute: Attribute) -> str:
        """Return the text of a float or integer attribute."""
        if isinstance(attribute, IntegerAttr):
            return integer_text(attribute.value.data, attribute.type)
        assert isinstance(attribute, FloatAttr)
        text = float_text(attribute.value.data, attribute.type)
        return text or self.nonfinite(attribute.value.data, attribute.type)

    # Indices and elements ------------------------------------------------------------------------

    def index_text(self, indices: Sequence[SSAValue]) -> IndexText:
        """Return the printer of expressions whose dims stand for ``indices``."""
        return IndexText([self.names[v] for v in indices], [range_of(v) for v in indices])

    def offset(self, access: Access) -> str:
        """Return the position of the first element in the buffer, in elements."""
        sizes = access.type.get_shape()
        return self.index_text(access.operands).text(linear_index(access.map.results, sizes))

    def element(self, access: Access) -> str:
        """Return the first element of an access, as something that can be assigned."""
        return f"{self.names[access.buffer]}[{self.offset(access)}]"

    def inside(self, map: AffineMap, indices: Sequence[SSAValue], sizes: Mapping[int, int]) -> str:
        """Return the condition that the axes ``sizes`` of an index are in range; empty if always.

        sizes: the size of each axis that is asked about.
        """
        texts = self.index_text(indices)
        checks: list[str] = []
        for axis, size in sizes.items():
            expr = map.results[axis]
            low, high = texts.range(expr)
            text = texts.text(expr)
            if low is None or low < 0:
                checks.append(f"({text}) >= 0")
            if high is None or high >= size:
                checks.append(f"({text}) < {size}")
        return " && ".join(checks)

    # Operations ----------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        """Print the operations of a block, in order."""
        for op in block.ops:
            try:
                self.operation(op)
            except CompileError as error:
                if error.at is not None:
                    raise
                raise CompileError(error.message, at=operation_text(op)) from error

    def operation(self, op: Operation) -> None:
        """Print one operation; raises CompileError when this backend does not know it."""
        template = self.template(op)
        if template is not None:
            (result,) = op.results
            operands = [self.names[v] for v in op.operands]
            self.define(result, fill_template(op, template, operands, self.type_of(result)))
        else:
            self.statement(op)

    def template(self, op: Operation) -> str | None:
        """Return the template of an operation, ``None`` when it is no scalar operation."""
        return scalar_template(op, self.TEMPLATES)

    def statement(self, op: Operation) -> None:
        """Print one operation that is no scalar expression."""
        if type(op) not in self.STATEMENTS:
            raise CompileError(f"{op.name} has no form in C or CUDA; lower it first")
        self.STATEMENTS[type(op)](self, op)


def function_name(symbol: str) -> str:
    """Return a kernel's name; raises CompileError when it is no C identifier."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", symbol):
        raise CompileError(f"kernel name {symbol!r} is not a C identifier; rename the group")
    return symbol


def _constant(p: CLikePrinter, op: arith.ConstantOp) -> None:
    text = p.literal(op.value)
    narrow = isinstance(op.result.type, IndexType) and p.type_of(op.result) == "int"
    p.names[op.result] = text.replace("LL", "") if narrow else text


def _index(p: CLikePrinter, op: loop.IndexOp) -> None:
    p.define(op.value, p.index_text(op.indices).text(op.expr))


def _load(p: CLikePrinter, op: loop.LoadOp) -> None:
    (access,) = op.accesses()
    text = p.widen(access.type.element_type, p.element(access))
    sizes = access.type.get_shape()
    inside = p.inside(access.map, access.operands, {axis: sizes[axis] for axis in op.guard_axes})
    if inside:
        assert op.fill is not None
        text = f"{inside} ? {text} : {p.literal(op.fill)}"
    p.define(op.value, text)


def _store(p: CLikePrinter, op: loop.StoreOp) -> None:
    (access,) = op.accesses()
    p.line(f"{p.element(access)} = {p.narrow(access.type.element_type, p.names[op.value])};")


def _for(p: CLikePrinter, op: scf.ForOp) -> None:
    induction, *carried = op.body.block.args
    for argument, start, result in zip(carried, op.iter_args, op.results, strict=True):
        name = p.fresh("a")
        p.line(f"{p.type_of(argument)} {name} = {p.names[start]};")
        p.names[argument] = p.names[result] = name
    if UNROLL.marks(op):
        p.line("#pragma unroll")
    elif UNROLL_PAIRS.marks(op):
        p.line("#pragma unroll 2")
    i = p.names[induction] = p.fresh("i")
    low, high, step = (p.names[v] for v in (op.lb, op.ub, op.step))
    head = f"for ({p.type_of(induction)} {i} = {low}; {i} < {high}; {i} += {step})"
    with p.braces(head):
        p.block(op.body.block)
        assign(p, carried, op.body.block.last_op)


def assign(p: CLikePrinter, variables: Sequence[SSAValue], end: Operation | None) -> None:
    """Assign a yield's values to variables; first to copies where one reads another variable."""
    assert end is not None
    values = [p.names[v] for v in end.operands]
    names = [p.names[v] for v in variables]
    if any(v in names and v != n for v, n in zip(values, names, strict=True)):
        for number, (variable, value) in enumerate(zip(variables, values, strict=True)):
            values[number] = p.fresh("t")
            p.line(f"const {p.type_of(variable)} {values[number]} = {value};")
    for name, value in zip(names, values, strict=True):
        if name != value:
            p.line(f"{name} = {value};")


def _if(p: CLikePrinter, op: scf.IfOp) -> None:
    for result in op.results:
        p.names[result] = p.fresh("a")
        p.line(f"{p.type_of(result)} {p.names[result]};")
    with p.braces(f"if ({p.names[op.cond]})"):
        _branch(p, op.true_region.block, op.results)
    if op.false_region.blocks:
        with p.braces("else"):
            _branch(p, op.false_region.block, op.results)


def _branch(p: CLikePrinter, block: Block, results: Sequence[SSAValue]) -> None:
    p.block(block)
    if results:
        assign(p, results, block.last_op)


def _nothing(p: CLikePrinter, op: Operation) -> None:
    """Print nothing: the enclosing operation has taken care of it."""


STATEMENTS: dict[type[Operation], Statement] = {
    arith.ConstantOp: _constant,
    loop.IndexOp: _index,
    loop.LoadOp: _load,
    loop.StoreOp: _store,
    scf.ForOp: _for,
    scf.IfOp: _if,
    scf.YieldOp: _nothing,
}
