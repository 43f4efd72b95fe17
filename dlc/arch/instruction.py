"""What an instruction that multiplies tiles is: a row of data, from which all layers take what they
need. The rows are in ``dlc/arch/instructions``.
"""

from dataclasses import dataclass

from dlc.arch.fragments import WARP_LANES, Fragment
from dlc.arch.scope import Scope


@dataclass(frozen=True)
class Operand:
    """A factor or the sum of an instruction.

    element: the type of its elements as the IR names it; ``None`` for any that is computed in the
    sum's type. place: how a warp holds it, or its rows of it, in registers; ``None`` where each
    thread has one element, or where it is always in shared memory.
    """

    element: str | None
    place: Fragment | None = None


@dataclass(frozen=True)
class Instruction:
    """``c[m, n] += sum over k of a[m, k] * b[k, n]``, done by the threads of a scope at once.

    name: as schedules and ``loop.contract`` have it; rows for other types may share it, with the
    same sizes. scope: whose threads do it. element: the factors' type as units and capabilities
    name it (``tf32`` is held in ``f32``); ``None`` for any. unit: a key of
    ``GpuArch.flops_per_clock_per_sm``. capability: what the chip must have, ``None`` for nothing.
    ptx: the instruction; empty where the operation is one that every thread has. lanes: how the
    lanes of a warp stand over its part of a tile, where each does the instruction for itself.
    ignored_bits: the last bits of a factor's element, which the hardware does not look at.
    """

    name: str
    scope: Scope
    m: int
    n: int
    k: int
    a: Operand
    b: Operand
    c: Operand
    element: str | None
    unit: str
    capability: str | None = None
    ptx: str = ""
    lanes: tuple[int, int] = (1, 1)
    ignored_bits: int = 0

    @property
    def shape(self) -> str:
        """The sizes as PTX writes them."""
        return f"m{self.m}n{self.n}k{self.k}"

    @property
    def least(self) -> tuple[int, int, int]:
        """The m, n and k that a warp, or a wider scope, does at least."""
        return self.m * self.lanes[0], self.n * self.lanes[1], self.k

    @property
    def family(self) -> str:
        """The name; ``N`` stands for the columns where there are rows of many."""
        return self.name.replace(f"n{self.n}k", "nNk") if self.is_asynchronous else self.name

    @property
    def warps(self) -> int:
        """The warps that do it together; they stand below each other over its rows."""
        return max(1, self.scope.threads // WARP_LANES)

    @property
    def panels(self) -> int:
        """The panels of columns beside each other in the sum; of a row of each, every lane that
        stands over it has one run of neighbours.
        """
        return 1 if self.c.place is None else self.c.place.panels[1]

    @property
    def is_asynchronous(self) -> bool:
        """Whether it reads factors where they are in shared memory, while the warps go on: by the
        asynchronous proxy (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions").
        """
        return self.scope is Scope.WARPGROUP

    @property
    def cuts_factors(self) -> bool:
        """Whether it cuts bits off that nobody can round once a factor is in shared memory."""
        return self.is_asynchronous and self.ignored_bits > 0

    @property
    def flops(self) -> int:
        """The operations when a warp or a wider scope does it; a multiply-add counts 2."""
        m, n, k = self.least
        return 2 * m * n * k

    @property
    def lhs_readers(self) -> int:
        """How many lanes of a warp load each element of the lhs."""
        return self.lanes[1]

    @property
    def rhs_readers(self) -> int:
        """How many lanes of a warp load each element of the rhs."""
        return self.lanes[0]

    @property
    def spreads_fragments(self) -> bool:
        """Whether the threads hold parts of the factors for each other."""
        return self.scope is not Scope.THREAD

    @property
    def types_text(self) -> str:
        """The types of a, b and c in words."""
        a, b, c = (operand.element or "any" for operand in (self.a, self.b, self.c))
        return f"{a} by {b} in {c}"

    @property
    def fragments(self) -> tuple[Fragment, Fragment, Fragment]:
        """The layouts of a, b and c, where all three are spread over registers."""
        a, b, c = (operand.place for operand in (self.a, self.b, self.c))
        assert a is not None
        assert b is not None
        assert c is not None
        return a, b, c

    def takes(self, a: str, b: str, c: str) -> bool:
        """Return whether it multiplies these types of elements, and adds in the third."""
        wanted = (self.a.element, self.b.element, self.c.element)
        return all(want in (None, is_) for want, is_ in zip(wanted, (a, b, c), strict=True))

    def multiplies(self, element: str, compute: str) -> bool:
        """Return whether it multiplies factors of which ``element`` is the name of the type, and
        ``compute`` the type of sums.
        """
        return self.element in (None, element) and self.c.element == compute


WARPGROUP_WARPS = 4
WARPGROUP_COLUMNS = (8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 192, 224, 240, 256)
"""The widths of a warpgroup's product that all types of factors have and a tile may want (PTX ISA,
"wgmma.mma_async", ``.shape``)."""

_PTX_TYPES = {"i8": "s8", "ui8": "u8", "i32": "s32"}
_REGISTER_BITS = 32


def warpgroup_product(
    shape: tuple[int, int, int],
    element: str,
    factors: tuple[str, str],
    result: str,
    bits: int,
    ignored_bits: int = 0,
) -> Instruction:
    """Return the row of a ``wgmma.mma_async`` of dense factors; the arguments are those of
    ``warp_product``.

    Each of the four warps has 16 rows of the sum, in the layout of ``mma.sync``, and the same rows
    of ``a`` where that is in registers; ``b`` is in shared memory. PTX ISA, "Asynchronous
    warpgroup level matrix instructions: register fragments".
    """
    (m, n, k), pack = shape, _REGISTER_BITS // bits
    rows = m // WARPGROUP_WARPS
    held = [_PTX_TYPES.get(type, element) for type in factors]
    types = ".".join([_PTX_TYPES.get(result, result), *held])
    name = f"m{m}n{n}k{k}"
    return Instruction(
        f"wgmma.{name}",
        Scope.WARPGROUP,
        *shape,
        Operand(factors[0], Fragment(rows, k, pack)),
        Operand(factors[1]),
        Operand(result, Fragment(rows, n, pack=2)),
        element,
        unit=f"wgmma.{element}",
        capability="wgmma",
        ptx=f"wgmma.mma_async.sync.aligned.{name}.{types}",
        ignored_bits=ignored_bits,
    )


def warp_product(
    shape: tuple[int, int, int],
    element: str,
    factors: tuple[str, str],
    result: str,
    bits: int,
    ignored_bits: int = 0,
) -> Instruction:
    """Return the row of an ``mma.sync`` of dense factors, a by rows and b by columns.

    factors: the types of a and b as the IR names them. result: that of sums. bits: of an element of
    both factors. All fragments follow one rule: PTX ISA, "Matrix multiply-accumulate operation
    using mma instruction".
    """
    (m, n, k), pack = shape, _REGISTER_BITS // bits
    a = Operand(factors[0], Fragment(m, k, pack))
    b = Operand(factors[1], Fragment(k, n, pack, transposed=True))
    c = Operand(result, Fragment(m, n, pack=2))
    name = f"m{m}n{n}k{k}"
    held = [_PTX_TYPES.get(type, element) for type in factors]
    total = _PTX_TYPES.get(result, result)
    types = ".".join([total, *held, total])
    return Instruction(
        f"mma.{name}",
        Scope.WARP,
        *shape,
        a,
        b,
        c,
        element,
        unit=f"mma.{element}",
        capability=f"mma.sync.{element}",
        ptx=f"mma.sync.aligned.{name}.row.col.{types}",
        ignored_bits=ignored_bits,
    )
