"""The tables of the libraries that kernels call, in the C of a host program."""

from collections.abc import Iterable, Sequence

from xdsl.ir import Operation

from dlc import libraries
from dlc.backends._c_call import address_name, pointer
from dlc.backends.host.c_text import c_list, c_string
from dlc.dialects import gpu, loop
from dlc.libraries import Library


def called(kernels: Iterable[Operation]) -> list[Library]:
    """Return the libraries that kernels call, each once, in order."""
    calls = (op.call for op in kernels if isinstance(op, loop.KernelOp | gpu.KernelOp))
    return [libraries.by_name(name) for name in dict.fromkeys(c.library for c in calls if c)]


def callers(kernels: Iterable[Operation]) -> set[str]:
    """Return the names of the kernels that call a library."""
    known = (op for op in kernels if isinstance(op, loop.KernelOp | gpu.KernelOp))
    return {op.sym_name.data for op in known if op.call is not None}


def print_libraries(found: Sequence[Library]) -> str:
    """Return the C text of the tables; without libraries they have a row that nobody reads."""
    rows, places = (", ".join(map(row, found)) or "{0}" for row in (_row, _place))
    return "\n".join(
        [
            '#include "libraries.h"\n',
            *map(_functions, found),
            f"const int32_t dlc_library_count = {len(found)};",
            f"dlc_library dlc_libraries[] = {{{rows}}};",
            f"const dlc_library_place dlc_library_places[] = {{{places}}};",
            f"dlc_opened dlc_opened_libraries[{max(1, len(found))}];\n",
        ]
    )


def _row(library: Library) -> str:
    texts = library.name, library.variable, library.place.wheel
    return c_list([*map(c_string, texts), 0, "NULL", 0, 0])


def _functions(library: Library) -> str:
    """Return the addresses of functions, and what is done when they are found."""
    name = library.name
    addresses = [(each.name, address_name(name, each.name)) for each in library.functions]
    called = [each for each in library.functions if f"{each.name}(" in library.begin]
    begin = "\n  ".join([*(pointer(name, each) for each in called), library.begin])
    rows = [c_list([c_string(each), f"&{address}"]) for each, address in addresses]
    return "\n".join(
        [
            *(f"void *{address};" for _, address in addresses),
            f"static const dlc_function functions_{name}[] = {c_list(rows)};",
            f"static const char *const files_{name}[] = {_names(library.place.files)};",
            f"static const char *const prefixes_{name}[] = {_names(library.place.prefixes)};",
            f"static void begin_{name}(void) {{\n  {begin}\n}}",
        ]
    )


def _names(names: Sequence[str]) -> str:
    return c_list([*map(c_string, names), "NULL"])


def _place(library: Library) -> str:
    tables = (f"{what}_{library.name}" for what in ("files", "prefixes", "functions"))
    ways = map(int, (library.place.is_copied, library.place.is_kept))
    numbers = len(library.functions), *ways
    return c_list([c_string(library.variable), *tables, *numbers, f"begin_{library.name}"])
