"""A convolution of 3x3 taps over a padded image with channels last: the op, and what it is."""

from dataclasses import dataclass

import numpy as np

from dlc.dialects.graph.structure import Array

IMAGES, TAPS = 2, 3


@dataclass(frozen=True)
class PaddedConvolution:
    """size: rows and columns of an image, which has a zero at each side."""

    size: int
    channels: int
    features: int
    stride: int

    @property
    def op(self) -> str:
        """The op on an image ``%a`` and a weight ``%b``, without its types."""
        return (
            f"graph.conv %a, %b strides [{self.stride}, {self.stride}] padding [1, 1, 1, 1] "
            "dilations [1, 1] layout channels_last weight_layout ohwi"
        )

    @property
    def shapes(self) -> list[str]:
        """The sizes of the image, the weight and the result, with ``x`` between them."""
        result = (self.size - 1) // self.stride + 1
        return [
            f"{IMAGES}x{self.size}x{self.size}x{self.channels}",
            f"{self.features}x{TAPS}x{TAPS}x{self.channels}",
            f"{IMAGES}x{result}x{result}x{self.features}",
        ]

    @property
    def depth(self) -> int:
        """The products that are added up."""
        return TAPS * TAPS * self.channels

    def factors(self, dtype: type) -> tuple[Array, Array]:
        """Return a random image and weight."""
        random = np.random.default_rng(self.channels)
        x = random.standard_normal((IMAGES, self.size, self.size, self.channels))
        w = random.standard_normal((self.features, TAPS, TAPS, self.channels))
        return x.astype(dtype), w.astype(dtype)

    def exact(self, x: Array, w: Array) -> tuple[Array, Array]:
        """Return the result in float64, and the sums of the products' magnitudes."""
        padded = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 1), (0, 0)))
        weight = w.astype(np.float64)
        cut = [slice(tap, tap + self.size, self.stride) for tap in range(TAPS)]
        taps = [(padded[:, cut[i], cut[j]], weight[:, i, j].T) for i, j in np.ndindex(TAPS, TAPS)]
        magnitudes = [np.abs(a) @ np.abs(b) for a, b in taps]
        return np.sum([a @ b for a, b in taps], axis=0), np.sum(magnitudes, axis=0)
