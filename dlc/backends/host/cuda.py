"""Host programs as C for NVIDIA GPUs: tables for ``native/cuda.c``, one variant per target."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from dlc.backends.host.c_text import c_list, c_string
from dlc.backends.host.calls import CudaCall, print_call, print_texts
from dlc.backends.host.libraries import print_libraries
from dlc.backends.host.program import HostProgram
from dlc.backends.host.signature import print_signature
from dlc.backends.host.steps import print_steps, print_table, steps_row
from dlc.backends.host.tensor_map import DriverMap
from dlc.libraries import Library

Size3 = tuple[int, int, int]


@dataclass(frozen=True)
class CudaKernel:
    """A kernel of an image. grid, block: blocks, threads along x, y, z; shared_bytes: dynamic.

    waits: whether it waits itself for the launches before it. maps: the tensor maps that it gets
    after its buffers. cooperative: its blocks wait for each other. fills: the numbers and bytes of
    the buffers that hold only ones when it begins. call: of a library, in its place.
    """

    name: str
    image: int
    grid: Size3
    block: Size3
    shared_bytes: int
    waits: bool = False
    maps: Sequence[DriverMap] = ()
    cooperative: bool = False
    fills: Sequence[tuple[int, int]] = ()
    call: CudaCall | None = None


@dataclass(frozen=True)
class Capability:
    """The compute capability that a cubin was compiled for; an exact one (``sm_90a``) runs on no
    other, the rest also on higher minor versions.
    """

    major: int
    minor: int
    exact: bool

    @property
    def name(self) -> str:
        """``sm_90a``."""
        return f"sm_{self.major}{self.minor}{'a' if self.exact else ''}"


@dataclass(frozen=True)
class CudaVariant:
    """A model compiled for one target. images: offset and bytes of each cubin."""

    capability: Capability
    program: HostProgram
    images: Sequence[tuple[int, int]]
    kernels: Sequence[CudaKernel]


def print_cuda_program(variants: Sequence[CudaVariant], libraries: Sequence[Library] = ()) -> str:
    """Return the C file of a GPU artifact's program; the variants have equal inputs and outputs.

    libraries: those that kernels call.
    """
    names = [library.name for library in libraries]
    tables = (line for n, variant in enumerate(variants) for line in _tables(n, variant, names))
    rows = (_row(number, variant) for number, variant in enumerate(variants))
    return "\n".join(
        [
            '#include "cuda_program.h"\n',
            print_signature(variants[0].program),
            print_libraries(libraries),
            print_texts(libraries),
            *tables,
            f"const int32_t dlc_variant_count = {len(variants)};",
            "const dlc_variant dlc_variants[] = {\n    " + ",\n    ".join(rows) + "};\n",
        ]
    )


def _tables(number: int, variant: CudaVariant, libraries: Sequence[str]) -> Iterator[str]:
    position = {kernel.name: index for index, kernel in enumerate(variant.kernels)}
    images = [c_list(image) for image in variant.images]
    yield print_table("dlc_image", f"images{number}", images)
    for index, kernel in enumerate(variant.kernels):
        if kernel.maps:
            yield print_table("dlc_tensor_map", _maps(number, index), list(map(_map, kernel.maps)))
        if kernel.fills:
            fills = list(map(c_list, kernel.fills))
            yield print_table("dlc_fill", _fills(number, index), fills)
        if kernel.call:
            place = libraries.index(kernel.call.library)
            yield print_call(kernel.call, _call(number, index), place)
    rows = [_kernel(kernel, number, i) for i, kernel in enumerate(variant.kernels)]
    yield print_table("dlc_kernel", f"kernels{number}", rows)
    yield print_steps(variant.program, position, number)
    yield print_table("dlc_edge", f"edges{number}", list(map(c_list, _edges(variant.program))))


def _edges(program: HostProgram) -> list[tuple[int, int]]:
    """Return the launches that others come after, with these."""
    rows = enumerate(program.launches)
    return [(other, number) for number, launch in rows for other in launch.after]


def _kernel(kernel: CudaKernel, variant: int, number: int) -> str:
    sizes = (c_list(kernel.grid), c_list(kernel.block), kernel.shared_bytes)
    ways = (int(kernel.waits), int(kernel.cooperative))
    maps = (len(kernel.maps), _maps(variant, number) if kernel.maps else "NULL")
    fills = (len(kernel.fills), _fills(variant, number) if kernel.fills else "NULL")
    call = f"&{_call(variant, number)}" if kernel.call else "NULL"
    return c_list([c_string(kernel.name), kernel.image, *sizes, *ways, *maps, *fills, call])


def _maps(number: int, kernel: int) -> str:
    """Return the name of the table of a kernel's tensor maps."""
    return f"maps{number}_{kernel}"


def _fills(number: int, kernel: int) -> str:
    """Return the name of the table of what is filled before a kernel begins."""
    return f"fills{number}_{kernel}"


def _call(number: int, kernel: int) -> str:
    """Return the name of the call in a kernel's place."""
    return f"call{number}_{kernel}"


def _map(map: DriverMap) -> str:
    values = (getattr(map, field.name) for field in fields(map))
    return c_list(c_list(x) if isinstance(x, tuple) else x for x in values)


def _row(number: int, variant: CudaVariant) -> str:
    capability = variant.capability
    return c_list(
        [
            c_string(capability.name),
            capability.major,
            capability.minor,
            int(capability.exact),
            len(variant.images),
            len(variant.kernels),
            f"images{number}",
            f"kernels{number}",
            len(_edges(variant.program)),
            f"edges{number}",
            steps_row(variant.program, number),
        ]
    )
