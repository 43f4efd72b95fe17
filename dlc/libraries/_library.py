"""What a library is: code of others that computes some groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlc.errors import CompileError

if TYPE_CHECKING:  # names of libraries are options of commands that may need no compiler
    from xdsl.dialects.builtin import MemRefType
    from xdsl.ir import Attribute, SSAValue

    from dlc.analysis.dataflow import Cluster
    from dlc.arch import Arch
    from dlc.dialects.loop import CallAttr
    from dlc.model.upper_bound import UpperBound


@dataclass(frozen=True)
class Function:
    """A function of a library as C declares it: ``float (float x, float y)`` is ``Function(name,
    "float", "float x, float y")``.
    """

    name: str
    result: str
    parameters: str


@dataclass(frozen=True)
class Price:
    """What a call takes. bound: the least time that any code can take; seconds: what it probably
    takes alone; error: by which part of that the seconds may be off (root of the mean square of
    what was measured); late_s: what it takes more between other launches.
    """

    bound: UpperBound
    seconds: float
    error: float
    late_s: float = 0.0

    @property
    def surely_s(self) -> float:
        """The seconds with which a plan counts: a call is taken where it wins by more than the
        error of its price.
        """
        return self.seconds * (1.0 + self.error) + self.late_s


@dataclass(frozen=True)
class Ordered:
    """A constant weight that a call reads with its axes in the order of a permutation."""

    value: SSAValue
    permutation: tuple[int, ...]


def _nothing(_: Cluster) -> Sequence[Ordered]:
    return ()


def _one(_: Cluster) -> int:
    return 1


@dataclass(frozen=True)
class Place:
    """Where a library is found when a model is loaded; ``DLC_<NAME>`` in the environment, the path
    of a file, goes before all of it.

    files: names that the dynamic linker looks for, in order. wheel: a Python package and the file
    in it, ``package/folder/file.so``; only Python looks there, before ``files``. prefixes: what may
    stand before the names of all functions. is_copied: whether a model opens a copy of the file, so
    that what it sets in the library (``Library.begin``) is nobody else's. is_kept: whether the file
    stays in memory once no model uses it: what a library registers with the driver may outlast it.
    """

    files: Sequence[str]
    wheel: str = ""
    prefixes: Sequence[str] = ("",)
    is_copied: bool = False
    is_kept: bool = False


@dataclass(frozen=True)
class Library:
    """A library whose functions compute some groups.

    name: a C identifier. target: the kind of chips that it is for. place: where it is found.
    functions: all that is called; without one of them nothing is. begin: C statements that run once
    when the library was found. obstacle: why it does not compute a cluster on a chip, ``None``
    where it does; without a chip, on any. price: what the chip takes for a cluster that it
    computes. call: the call that computes such a cluster, with all numbers that ``code`` needs.
    check: raises CompileError for a call that does not fit buffers of these types. code: C
    statements that do the iterations from ``first`` to before ``end`` of a call (``int64_t``) by
    its functions; ``b[i]`` is the address of the ``i``-th buffer that the call names.
    ordered: the weights that the call of such a cluster reads in another order than a kernel of
    ours. To ``call`` they are buffers behind the inputs of the group, before its results.
    result: the place, among the buffers that a call names, of the only one that it writes.
    algorithms: how many of a cluster that it computes it may be asked for by the key ``algorithm``
    of a schedule, which the call then has, too.

    For a GPU the model calls functions of ``text``, C that stands in the host program where the
    functions of the library have their own names (``cuda_program.h``, ``dlc_call``):
    ``<name>_prepare``, ``<name>_enqueue``, ``<name>_release``, ``<name>_close``. ``code`` is the
    initialiser of a constant ``<name>_call``, a type of ``text``: what they are given of a call.
    """

    name: str
    target: str
    place: Place
    functions: Sequence[Function]
    obstacle: Callable[[Cluster, Arch | None], str | None]
    price: Callable[[Cluster, Arch], Price]
    call: Callable[[Cluster], CallAttr]
    check: Callable[[CallAttr, Sequence[MemRefType[Attribute]]], None]
    code: Callable[[CallAttr], str]
    ordered: Callable[[Cluster], Sequence[Ordered]] = _nothing
    begin: str = ""
    result: int = -1
    algorithms: Callable[[Cluster], int] = _one
    text: str = ""

    @property
    def variable(self) -> str:
        """The variable of the environment that names the file of the library."""
        return f"DLC_{self.name.upper()}"

    def require_target(self, kind: str, name: str) -> None:
        """Raise CompileError unless the library is for this kind of chip; name: of the chip."""
        if self.target != kind:
            raise CompileError(
                f"library {self.name} is for a {self.target.upper()}, not for {name}"
            )

    def require(self, cluster: Cluster, chip: Arch | None = None, algorithm: int = 0) -> None:
        """Raise CompileError where the library does not compute a cluster, or by fewer algorithms
        than one that a schedule names.
        """
        if obstacle := self.obstacle(cluster, chip):
            ops = ", ".join(dict.fromkeys(op.name.removeprefix("graph.") for op in cluster.ops))
            raise CompileError(
                f"library {self.name} does not compute this group of {ops}: {obstacle}"
            )
        if algorithm >= (count := self.algorithms(cluster)):
            raise CompileError(
                f"schedule key algorithm should be from 0 to {count - 1} for this group with "
                f"library {self.name}, is {algorithm}"
            )
