"""Host programs as C for NVIDIA GPUs: tables for ``native/cuda.c``, one variant per target."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dlc.backends._c_text import c_list, c_string
from dlc.backends._host_program import Address, HostProgram
from dlc.backends._host_signature import print_signature

Size3 = tuple[int, int, int]


@dataclass(frozen=True)
class CudaKernel:
    """A kernel of an image. grid, block: blocks, threads along x, y, z; shared_bytes: dynamic."""

    name: str
    image: int
    grid: Size3
    block: Size3
    shared_bytes: int


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


def print_cuda_program(variants: Sequence[CudaVariant]) -> str:
    """Return the C file of a GPU artifact's program; the variants have equal inputs and outputs."""
    tables = (line for n, variant in enumerate(variants) for line in _tables(n, variant))
    rows = (_row(number, variant) for number, variant in enumerate(variants))
    return "\n".join(
        [
            '#include "cuda_program.h"\n',
            print_signature(variants[0].program),
            *tables,
            f"const int32_t dlc_variant_count = {len(variants)};",
            "const dlc_variant dlc_variants[] = {\n    " + ",\n    ".join(rows) + "};\n",
        ]
    )


def _tables(number: int, variant: CudaVariant) -> Iterator[str]:
    program = variant.program
    position = {kernel.name: index for index, kernel in enumerate(variant.kernels)}
    operands = [address for launch in program.launches for address in launch.operands]
    launches: list[str] = []
    first = 0
    for launch in program.launches:
        count = len(launch.operands)
        launches.append(c_list([position[launch.kernel], first, count]))
        first += count
    images = [c_list(image) for image in variant.images]
    yield _table("dlc_image", f"images{number}", images)
    yield _table("dlc_kernel", f"kernels{number}", [_kernel(k) for k in variant.kernels])
    yield _table("dlc_launch", f"launches{number}", launches)
    yield _table("dlc_address", f"operands{number}", [_address(a) for a in operands])
    copies = [c_list([_address(c.target), _address(c.source), c.bytes]) for c in program.copies]
    yield _table("dlc_copy", f"copies{number}", copies)


def _table(kind: str, name: str, rows: Sequence[str]) -> str:
    return f"static const {kind} {name}[] = {{\n    " + ",\n    ".join(rows or ["{0}"]) + "};"


def _kernel(kernel: CudaKernel) -> str:
    sizes = (c_list(kernel.grid), c_list(kernel.block))
    return c_list([c_string(kernel.name), kernel.image, *sizes, kernel.shared_bytes])


def _address(address: Address) -> str:
    return c_list([f"DLC_{address.space.upper()}", address.buffer, f"{address.offset}u"])


def _row(number: int, variant: CudaVariant) -> str:
    capability, program = variant.capability, variant.program
    counts = (
        len(variant.images),
        len(variant.kernels),
        len(program.launches),
        sum(len(launch.operands) for launch in program.launches),
        len(program.copies),
    )
    names = (f"{x}{number}" for x in ("images", "kernels", "launches", "operands", "copies"))
    return c_list(
        [
            c_string(capability.name),
            capability.major,
            capability.minor,
            int(capability.exact),
            f"{program.workspace_bytes}u",
            *counts,
            *names,
        ]
    )
