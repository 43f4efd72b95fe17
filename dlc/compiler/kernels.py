"""The text of kernels, one translation unit each: they compile in parallel, and the cache serves
those that did not change.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import StringIO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dlc import registry
from dlc.analysis.entry import find_main, launches
from dlc.core.locations import node_names


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


@dataclass
class Launched:
    """What the launches of a kernel compute: groups, and the ONNX nodes in these, each once.

    They are no part of a kernel's text: equal kernels of different groups are one.
    """

    groups: dict[str, None] = field(default_factory=dict[str, None])
    nodes: dict[str, None] = field(default_factory=dict[str, None])


def launched(module: ModuleOp) -> dict[str, Launched]:
    """Return by kernel what its launches compute, in order."""
    found: dict[str, Launched] = {}
    for launch in launches(find_main(module)):
        kernel = found.setdefault(launch.kernel_name, Launched())
        kernel.groups[launch.group_name] = None
        kernel.nodes.update(dict.fromkeys(node_names(launch.location)))
    return found
