"""The calls of libraries in the C of a host program for a GPU."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dlc.backends._c_call import checked_library, macro
from dlc.backends.host.c_text import c_list
from dlc.dialects.gpu import KernelOp
from dlc.dialects.loop.attributes import CallAttr
from dlc.libraries import Library


@dataclass(frozen=True)
class CudaCall:
    """The call of a library in place of a kernel. given: C of what the library is given of it.
    algorithm: which of the library's, from 0. buffers: those of the kernel that it takes.
    has_workspace: whether the last one is its scratch.
    """

    library: str
    given: str
    algorithm: int
    buffers: tuple[int, ...]
    has_workspace: bool

    @staticmethod
    def of(kernel: KernelOp, call: CallAttr | None) -> "CudaCall | None":
        """Return the call of a kernel, ``None`` where it has none; raises CompileError for one that
        does not fit the kernel.
        """
        if call is None:
            return None
        library = checked_library(kernel, call, "gpu")
        numbers = call.get("algorithm", 0), call.buffers, call.workspace > 0
        return CudaCall(library.name, library.code(call), *numbers)


def print_texts(libraries: Sequence[Library]) -> str:
    """Return the C of libraries, in which their functions have their own names."""
    return "\n".join(line for library in libraries for line in _text(library))


def _text(library: Library) -> Iterator[str]:
    yield from (macro(library.name, function) for function in library.functions)
    yield library.text
    yield from (f"#undef {function.name}" for function in library.functions)


def print_call(call: CudaCall, name: str, number: int) -> str:
    """Return the constant ``name``. number: of the library in the table."""
    functions = (f"{call.library}_{x}" for x in ("prepare", "enqueue", "release", "close"))
    numbers = number, f"&{name}_given", call.algorithm, len(call.buffers), f"{name}_buffers"
    return "\n".join(
        [
            f"static const {call.library}_call {name}_given = {call.given};",
            f"static const uint32_t {name}_buffers[] = {c_list(call.buffers)};",
            f"static const dlc_call {name} = "
            f"{c_list([*numbers, int(call.has_workspace), *functions])};",
        ]
    )
