"""How large a model may be: what goes beyond is refused at once, and does not run for ever."""

from collections.abc import Sequence
from math import prod

from dlc.errors import CompileError

MOST_ELEMENTS = 1 << 31
"""Of one tensor: 8 GB as fp32. No layer of a known model comes near, and other compilers have the
same limit."""

MOST_COMPUTED = 1 << 27
"""Elements of a tensor that is made when compiling: its values are in memory, some times over."""

MOST_COMPUTED_IN_ALL = 1 << 28
"""Elements of all such tensors together, those of sparse initializers included: 2 GB as int64."""

MOST_AXES = 64
"""Of one tensor: NumPy, which computes the reference, has no more."""

MOST_NODES = 50_000
"""Nodes and the ops that they become, functions inlined and loops unrolled. The largest known
models have some thousands; a compile takes milliseconds for each."""

MOST_STEPS = 10_000
"""Steps of a loop, which a run launches one after the other. A compile takes some milliseconds for
each."""

DEEPEST_SUBGRAPH = 25
"""Subgraphs in subgraphs. Known models have three; a file cannot hold many more than this."""


class LimitError(CompileError):
    """A model that is too large: there is no use in looking at the rest of it."""


def check_sizes(sizes: Sequence[int], most: int = MOST_ELEMENTS) -> None:
    """Raise CompileError for a tensor with too many axes, or more than ``most`` elements.

    A size that is not fixed counts as 1.
    """
    if len(sizes) > MOST_AXES:
        raise CompileError(f"a tensor of {len(sizes)} axes; at most {MOST_AXES} are supported")
    elements = prod(max(size, 1) for size in sizes)
    if elements > most:
        raise CompileError(
            f"a tensor of shape {list(sizes)} has {elements} elements; at most {most} are supported"
        )


def check_computed(elements: int) -> None:
    """Raise LimitError for more elements, of all tensors that are made when compiling."""
    if elements > MOST_COMPUTED_IN_ALL:
        raise LimitError(
            f"the constants that are computed so far have {elements} elements; at most"
            f" {MOST_COMPUTED_IN_ALL} in all are supported"
        )


def check_depth(depth: int, at: str | None = None) -> None:
    """Raise LimitError for a subgraph that is nested too deeply, in the file ``at``."""
    if depth > DEEPEST_SUBGRAPH:
        raise LimitError(
            f"subgraphs are nested deeper than {DEEPEST_SUBGRAPH}; such models are not supported",
            at,
        )


def check_steps(steps: int) -> None:
    """Raise CompileError for more steps than a loop may have."""
    if steps > MOST_STEPS:
        raise CompileError(
            f"the loop has {steps} steps, at most {MOST_STEPS} are supported; export one of them"
            " as the model, and call it in a loop of your program"
        )


def check_count(nodes: int) -> None:
    """Raise LimitError for more nodes or ops than a model may have."""
    if nodes > MOST_NODES:
        raise LimitError(
            f"the model has more than {MOST_NODES} nodes, those of loops and functions counted each"
            " time they run; larger models are not supported"
        )
