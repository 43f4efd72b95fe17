"""Small ONNX models that together use every part of the compiler, and arrays to run them on.

Sizes are odd on purpose, so that every tile, vector and row has a tail; inputs reach the places at
which code fails: ties, negative indices, infinities, both signs of a division.
"""

from collections.abc import Iterator

import convolution_models
import element_models
import integer_models
import product_models
import sequence_models
from graph_maker import SmallModel

_FILES = convolution_models, sequence_models, element_models, integer_models, product_models


def small_models() -> Iterator[SmallModel]:
    """Yield all of them."""
    for file in _FILES:
        for make in file.MODELS:
            yield make()
