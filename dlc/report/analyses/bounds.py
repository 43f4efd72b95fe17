"""The bounds of a model's time: which there are, and what they are called."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Bound:
    """A time of a whole model. key: in the ``bounds`` of a report, which has microseconds. text:
    what it is called. of_libraries: whether only an analysis with libraries has it. of_page:
    whether only a page shows it. of_training: whether only an analysis of gradients has it.
    """

    key: str
    text: str
    of_libraries: bool = False
    of_page: bool = False
    of_training: bool = False


@dataclass(frozen=True)
class Pair:
    """What a model takes whose parts run one after the other, and each as soon as its inputs are
    there.
    """

    sequential: Bound
    parallel: Bound

    def of(self, bounds: Mapping[str, float]) -> tuple[float, float]:
        """Return both by the ``bounds`` of a report, in microseconds."""
        return bounds[self.sequential.key], bounds[self.parallel.key]


def _pair(
    sequential: str, parallel: str, text: str, of_libraries: bool = False, of_page: bool = False
) -> Pair:
    """Return the bounds of some parts by their keys. text: what the parts are."""
    return Pair(
        Bound(sequential, f"{text}, one after the other", of_libraries, of_page),
        Bound(parallel, f"{text}, each as soon as its inputs are there", of_libraries, of_page),
    )


ADVISED = _pair(
    "advised_sequential_us",
    "advised_parallel_us",
    "libraries by layer, as they advise",
    of_libraries=True,
)
LIBRARIES = _pair(
    "library_sequential_us",
    "library_parallel_us",
    "libraries by layer, fastest algorithms",
    of_libraries=True,
)
JOINED = _pair(
    "joined_sequential_us",
    "joined_parallel_us",
    "libraries, with what one call computes of several layers",
    of_libraries=True,
)
LAYERS = _pair("sequential_us", "parallel_us", "layers by our kernels")
FUSED = _pair("fused_sequential_us", "fused_parallel_us", "our fused kernels")
HARDWARE = Bound("hardware_us", "hardware: all products at the peak, all bytes once")
LEAST = _pair("least_sequential_us", "least_parallel_us", "the least of each layer", of_page=True)
FUSED_LEAST = Bound(
    "fused_bound_us", "the least of each of our kernels, one after the other", of_page=True
)
TRAINING_HARDWARE = Bound("training_hardware_us", "hardware, a step of training", of_training=True)


@dataclass(frozen=True)
class Trained:
    """Of whoever computes the layers: all gradients, and a step of training."""

    backward: Bound
    training: Pair


def _trained(
    backward: str, sequential: str, parallel: str, who: str, of_libraries: bool = True
) -> Trained:
    """Return the bounds of gradients and of a step by their keys. who: computes them."""
    step = _pair(sequential, parallel, f"a step of training by {who}", of_libraries)
    return Trained(
        Bound(backward, f"gradients by {who}, one after the other", of_libraries, of_training=True),
        Pair(replace(step.sequential, of_training=True), replace(step.parallel, of_training=True)),
    )


TRAINED = {
    LIBRARIES: _trained(
        "library_backward_sequential_us",
        "library_training_sequential_us",
        "library_training_parallel_us",
        "libraries' fastest algorithms",
    ),
    JOINED: _trained(
        "joined_backward_sequential_us",
        "joined_training_sequential_us",
        "joined_training_parallel_us",
        "what one call computes of several",
    ),
    LAYERS: _trained(
        "backward_sequential_us",
        "training_sequential_us",
        "training_parallel_us",
        "our kernels",
        of_libraries=False,
    ),
}
"""By the bounds of the layers alone. They are there where gradients were asked."""

_TRAINED = tuple(row for each in TRAINED.values() for row in (each.backward, each.training))

BOUNDS = tuple(
    bound
    for row in (
        *(ADVISED, LIBRARIES, JOINED, LAYERS, FUSED, HARDWARE),
        *(*_TRAINED, TRAINING_HARDWARE, LEAST, FUSED_LEAST),
    )
    for bound in ((row.sequential, row.parallel) if isinstance(row, Pair) else (row,))
)
"""All of them, in the order in which they are shown."""


def shown_bounds(bounds: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Yield the names and microseconds of the times of a whole model, as far as they are known."""
    yield from ((x.text, bounds[x.key]) for x in BOUNDS if x.key in bounds and not x.of_page)


def all_bounds(bounds: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Yield these, and the sums of what parts take at least."""
    yield from ((x.text, bounds[x.key]) for x in BOUNDS if x.key in bounds)
