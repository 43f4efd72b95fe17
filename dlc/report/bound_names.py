"""What the bounds of a model are called."""

from collections.abc import Iterator, Mapping

_WHOSE = {
    "advised_": "libraries by layer, as they advise",
    "library_": "libraries by layer, fastest algorithms",
    "joined_": "libraries, with what one call computes of several layers",
    "": "layers by our kernels",
    "fused_": "our fused kernels",
}
_HOW = {
    "sequential_us": "one after the other",
    "parallel_us": "each as soon as its inputs are there",
}
_TRAINED_BY = {
    "library_": "libraries' fastest algorithms",
    "joined_": "what one call computes of several",
    "": "our kernels",
}
_TRAINING = {
    key: name
    for kind, who in _TRAINED_BY.items()
    for key, name in (
        (f"{kind}backward_sequential_us", f"gradients by {who}, one after the other"),
        *(
            (f"{kind}training_{key}", f"a step of training by {who}, {how}")
            for key, how in _HOW.items()
        ),
    )
}
_SHOWN = {
    **{f"{one}{two}": f"{who}, {how}" for one, who in _WHOSE.items() for two, how in _HOW.items()},
    "hardware_us": "hardware: all products at the peak, all bytes once",
    **_TRAINING,
    "training_hardware_us": "hardware, a step of training",
}
_LEAST = {
    **{f"least_{two}": f"the least of each layer, {how}" for two, how in _HOW.items()},
    "fused_bound_us": "the least of each of our kernels, one after the other",
}


def shown_bounds(bounds: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Yield the names and microseconds of the times of a whole model, as far as they are known."""
    yield from ((name, bounds[key]) for key, name in _SHOWN.items() if key in bounds)


def all_bounds(bounds: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Yield these, and the sums of what parts take at least."""
    names = _SHOWN | _LEAST
    yield from ((name, bounds[key]) for key, name in names.items() if key in bounds)
