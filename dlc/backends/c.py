"""``loop`` kernels as C11 for the CPU: shares for cores, SIMD by the compiler or vector types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import prod
from typing import IO, ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    IndexType,
    ModuleOp,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.utils.target import Target

from dlc.backends._c_call import call_lines
from dlc.backends._c_like import STATEMENTS, Statement, assign, function_name
from dlc.backends._c_scalar import TEMPLATES, storage_type
from dlc.backends._c_share import SPREAD, SharePrinter, is_spread, run_together
from dlc.backends._c_stack import check_stack
from dlc.backends._c_vector import vector_operation, vector_type, vector_typedefs
from dlc.core.locations import operation_text
from dlc.dialects.loop import AllocOp, EndOp, ForOp, KernelOp, PrefetchOp, YieldOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.errors import CompileError
from dlc.ir.space import buffer_type

COMPILER_FLAGS = (
    "-O3",
    "-fopenmp-simd",
    "-fno-math-errno",  # nothing reads errno; with it, no square root could be SIMD
    "-fno-trapping-math",  # nothing reads the exception flags; with it, no branch could be SIMD
    "-ffp-contract=fast",  # a fused multiply-add rounds once instead of twice
)
"""For the kernels of this backend. The rest is IEEE: nothing else that -ffast-math would allow."""


_UNKNOWN_ZERO = "zero"


def _is_index_of_data(op: Operation) -> bool:
    """Return whether an operation makes an index of a value that is no position in a loop."""
    return isinstance(op, arith.IndexCastOp) and isinstance(op.result.type, IndexType)


def _is_product_in_difference(op: Operation) -> bool:
    """Return whether an operation is a product of scalars that takes part in a difference.

    A kernel computes a product again in each loop that reads it. Were it rounded in one loop and
    fused with the difference in the other one, ``x * c - max(x * c)`` would be off by the rounding
    error of the product in one alone: exponentials would not belong to their sum.
    """
    if not isinstance(op, arith.MulfOp) or isinstance(op.result.type, VectorType):
        return False
    return any(isinstance(use.operation, arith.SubfOp) for use in op.result.uses)


def _needs_unknown_zero(op: Operation) -> bool:
    return _is_index_of_data(op) or _is_product_in_difference(op)


class CPrinter(SharePrinter):
    """Prints ``loop`` kernels."""

    TEMPLATES: ClassVar[dict[type[Operation], str]] = {
        **TEMPLATES,
        # The processor traps where a division has no result; numpy gives 0.
        arith.DivSIOp: "{1} == 0 ? 0 : {1} == -1 ? ({t})(0 - ({u}){0}) : {0} / {1}",
        arith.RemSIOp: "{1} == 0 || {1} == -1 ? 0 : {0} % {1}",
        arith.DivUIOp: "{1} == 0 ? 0 : ({t})(({u}){0} / ({u}){1})",
        arith.RemUIOp: "{1} == 0 ? 0 : ({t})(({u}){0} % ({u}){1})",
        math.ExpOp: "dlc_exp{f}({0})",
        math.ExpM1Op: "dlc_expm1{f}({0})",
        math.LogOp: "dlc_log{f}({0})",
        math.Log1pOp: "dlc_log1p{f}({0})",
        math.TanhOp: "dlc_tanh{f}({0})",
        math.ErfOp: "dlc_erf{f}({0})",
    }

    PREFIX: ClassVar = "dlc_"
    STATEMENTS: ClassVar[Mapping[type[Operation], Statement]]

    def nonfinite(self, value: float, type: Attribute) -> str:
        return "NAN" if value != value else "INFINITY" if value > 0 else "(-INFINITY)"

    def type_of(self, value: SSAValue) -> str:
        if isinstance(value.type, VectorType):
            return vector_type(value.type)
        return super().type_of(value)

    def operation(self, op: Operation) -> None:
        if any(isinstance(v.type, VectorType) for v in (*op.results, *op.operands)):
            vector_operation(self, op)
        elif _is_index_of_data(op):
            (result,), (data,) = op.results, op.operands
            self.define(result, f"({self.type_of(result)}){self.names[data]} ^ {_UNKNOWN_ZERO}")
        elif _is_product_in_difference(op):
            (result,), (x, y) = op.results, (self.names[v] for v in op.operands)
            suffix = "f" if self.type_of(result) == "float" else ""
            self.define(result, f"dlc_rounded{suffix}({x} * {y}, {_UNKNOWN_ZERO})")
        else:
            super().operation(op)

    def kernel(self, op: KernelOp) -> None:
        """Print a kernel and the function that is called from outside.

        All outer ones have one type, so that a table can hold them. Raises CompileError where the
        stack of a thread cannot hold the buffers, or a call does not fit the kernel.
        """
        check_stack(op)
        name = self.kernel_name = function_name(op.sym_name.data)
        start = len(self.lines)
        arguments = op.body.block.args
        parameters = ", ".join(self._parameter(op, argument) for argument in arguments)
        with self.braces(f"static void {name}_body({parameters})"):
            self.begin(op)
            self.block(op.body.block)
        operands = ", ".join(f"operands[{n}]" for n in range(len(arguments)))
        outer = f"void {name}" if op.call is None else f"static void {name}_generated"
        with self.braces(f"{outer}(void *const *operands)"):
            self.line(f"{name}_body({operands});")
        if op.call is not None:
            self.lines += call_lines(op, op.call, name)
        self.lines[start:start], self.functions = self.functions, []

    def begin(self, op: Operation) -> None:
        if any(map(_needs_unknown_zero, run_together(op))):
            self.line(f"DLC_UNKNOWN_ZERO({_UNKNOWN_ZERO});")

    def _parameter(self, op: KernelOp, argument: BlockArgument) -> str:
        name = self.names[argument] = self.fresh("b")
        constant = "const " if argument in op.input_buffers else ""
        element = buffer_type(argument).element_type
        # A stored truth value is a byte to GCC 12: a choice by a bool that it has loaded outside of
        # a SIMD loop would keep the loop scalar.
        type = "unsigned char" if element == i1 else storage_type(element)
        self.buffers[argument] = f"{constant}{type} *restrict {name}"
        return self.buffers[argument]


def _for(p: CPrinter, op: ForOp) -> None:
    if is_spread(op):
        p.spread(op)
        return
    for argument, start, result in zip(op.carried_arguments, op.iter_args, op.results, strict=True):
        name = p.names[argument] = p.names[result] = p.fresh("a")
        p.line(f"{p.type_of(argument)} {name} = {p.names[start]};")
    pragma = _pragma(op)
    if pragma:
        p.line(f"#pragma {pragma}")
    i = p.names[op.induction] = p.fresh("i")
    with p.braces(_head(p, op, i)):
        p.block(op.body.block)
        assign(p, op.carried_arguments, op.body.block.last_op)


def _head(p: CPrinter, op: ForOp, i: str) -> str:
    values = op.range
    stop = str(values.stop) if op.until is None else p.names[op.until]
    step = f"++{i}" if values.step == 1 else f"{i} += {values.step}"
    return f"for ({p.type_of(op.induction)} {i} = {values.start}; {i} < {stop}; {step})"


def _pragma(op: ForOp) -> str:
    """Return how the compiler is told who runs a loop; raises CompileError for a GPU's workers."""
    parallel = not op.carried
    match op.map.data:
        case LoopMap.SERIAL:
            return ""
        case LoopMap.UNROLL:
            return f"GCC unroll {max(1, len(op.range))}"
        case LoopMap.VECTOR if parallel:
            return "omp simd"
        case other:
            raise CompileError(
                f"a {op.kind.data.value} loop over {other.value} cannot be printed as C",
                at=operation_text(op),
            )


def _alloc(p: CPrinter, op: AllocOp) -> None:
    type = buffer_type(op.buffer)
    name = p.names[op.buffer] = p.fresh("r")
    size = prod(type.get_shape())
    p.line(f"{storage_type(type.element_type)} {name}[{size}] __attribute__((aligned(64)));")


def _prefetch(p: CPrinter, op: PrefetchOp) -> None:
    p.line(f"__builtin_prefetch(&{p.element(op.place)}, 0, 2);")  # to the second-level cache


def _nothing(p: CPrinter, op: Operation) -> None:
    """Print nothing: the enclosing operation has taken care of it."""


CPrinter.STATEMENTS = {
    **STATEMENTS,
    AllocOp: _alloc,
    ForOp: _for,
    PrefetchOp: _prefetch,
    YieldOp: _nothing,
    EndOp: _nothing,
}


@cache
def c_prelude() -> str:
    """Return the text that every translation unit starts with."""
    return files("dlc.backends").joinpath("c_prelude.h").read_text(encoding="ascii")


def c_text(kernels: Sequence[KernelOp]) -> str:
    """Return one translation unit that defines ``void name(void *const *operands)`` for each
    kernel.

    The operands are the kernel's buffers in order. Raises CompileError for what has no C form.
    """
    printer = CPrinter()
    for kernel in kernels:
        printer.line("")
        printer.kernel(kernel)
    text = "\n".join(printer.lines) + "\n"
    spread = SPREAD if "dlc_spread(" in text else ""
    return c_prelude() + vector_typedefs(text) + spread + text


@dataclass(frozen=True)
class CTarget(Target):
    """Prints every ``loop.kernel`` of a module, in order, after the functions that they call.

    A module without any is a CompileError.
    """

    name = "c"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        kernels = [op for op in module.ops if isinstance(op, KernelOp)]
        if not kernels:
            raise CompileError("the module has no loop.kernel; run --lower-to-loop before -t c")
        output.write(c_text(kernels))
