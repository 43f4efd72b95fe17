"""The text of kernels, one translation unit each: they compile in parallel, and the cache serves
those that did not change.
"""

from collections.abc import Iterator
from io import StringIO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dlc import registry


def kernels_of(module: ModuleOp) -> list[Operation]:
    """Return the kernels of a module in order."""
    return [op for op in module.ops if not isinstance(op, FuncOp)]


def kernel_name(kernel: Operation) -> str:
    """Return the symbol of a kernel."""
    name = kernel.properties["sym_name"]
    assert isinstance(name, StringAttr)
    return name.data


def kernel_texts(context: Context, module: ModuleOp, backend: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each kernel and its text as ``backend`` (``c``, ``cuda``) prints it."""
    target = registry.load_backend(backend)()
    for kernel in kernels_of(module):
        text = StringIO()
        target.emit(context, ModuleOp([kernel.clone()]), text)
        yield kernel_name(kernel), text.getvalue()
