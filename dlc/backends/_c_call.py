"""The call of a library as C: a function of the iterations, of which each thread calls a share."""

from collections.abc import Iterator

from dlc import libraries
from dlc.core.locations import operation_text
from dlc.dialects.gpu import KernelOp as GpuKernelOp
from dlc.dialects.loop import KernelOp
from dlc.dialects.loop.attributes import CallAttr
from dlc.errors import CompileError
from dlc.ir.space import buffer_type
from dlc.libraries import Function, Library


def address_name(library: str, function: str) -> str:
    """Return the name of the variable that holds the address of a function of a library."""
    return f"dlc_{library}_{function}"


def pointer(library: str, function: Function) -> str:
    """Return the declaration of a function of a library by its own name, as a local variable."""
    type = f"{function.result} (*)({function.parameters})"
    address = address_name(library, function.name)
    return f"{function.result} (*const {function.name})({function.parameters}) = ({type}){address};"


def macro(library: str, function: Function) -> str:
    """Return the definition of the own name of a function of a library as its address."""
    address = address_name(library, function.name)
    type = f"{function.result} (*)({function.parameters})"
    return f"#define {function.name} (({type}){address})"


def checked_library(kernel: KernelOp | GpuKernelOp, call: CallAttr, target: str) -> Library:
    """Return the library of the call of a kernel for a kind of chip; raises CompileError for a call
    that does not fit the kernel.
    """
    try:
        library = libraries.by_name(call.library)
        if library.target != target:
            raise CompileError(f"library {library.name} is for a {library.target.upper()}")
        if call.function not in (each.name for each in library.functions):
            raise CompileError(f"library {library.name} has no function {call.function}")
        arguments = kernel.body.block.args
        library.check(call, [buffer_type(arguments[number]) for number in call.buffers])
        written = call.buffers[library.result]
        if [x.index for x in kernel.output_buffers] != [written]:
            raise CompileError(f"the call writes buffer {written}, which is not the only output")
    except CompileError as error:
        error.place(operation_text(kernel))
        raise
    return library


def call_lines(kernel: KernelOp, call: CallAttr, name: str) -> Iterator[str]:
    """Yield the C text of the function ``<name>_call`` of a share of a call, and of the kernel
    function ``name``, which calls ``<name>_generated`` where the library is missing.

    Raises CompileError for a call that does not fit the kernel.
    """
    library = checked_library(kernel, call, "cpu")
    function = next(each for each in library.functions if each.name == call.function)
    address = address_name(library.name, call.function)
    yield f"extern void *{address};"
    yield f"static void {name}_call(void *captured, int64_t first, int64_t end) {{"
    yield "  void *const *b = captured;"
    yield f"  {pointer(library.name, function)}"
    yield from (f"  {line}" for line in library.code(call).splitlines())
    yield "}"
    yield f"void {name}(void *const *operands) {{"
    yield f"  if (!{address}) {{"
    yield f"    {name}_generated(operands);"
    yield "    return;"
    yield "  }"
    buffers = ", ".join(f"operands[{number}]" for number in call.buffers)
    yield f"  void *buffers[] = {{{buffers}}};"
    yield f"  dlc_spread({name}_call, buffers, {call.count});"
    yield "}"
