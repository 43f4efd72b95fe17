"""The order in which the axes of images and convolution weights are stored."""

from collections.abc import Sequence
from enum import auto

from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.str_enum import StrEnum


class DataLayout(StrEnum):
    """Where the channel axis of a batch of images stands; the batch axis is always the first."""

    channels_first = auto()
    channels_last = auto()


class WeightLayout(StrEnum):
    """The axes of a weight: ``o`` output channels, ``i`` input channels, ``hw`` all window axes."""

    oihw = auto()
    ohwi = auto()
    hwio = auto()


@irdl_attr_definition
class DataLayoutAttr(EnumAttribute[DataLayout], SpacedOpaqueSyntaxAttribute):
    """The layout of the images that an op reads and writes."""

    name = "graph.data_layout"

    def channel_axis(self, rank: int) -> int:
        """Return the channel axis of a tensor of ``rank`` axes."""
        return 1 if self.data is DataLayout.channels_first else rank - 1

    def spatial_axes(self, rank: int) -> tuple[int, ...]:
        """Return the axes that are neither batch nor channel."""
        first = 2 if self.data is DataLayout.channels_first else 1
        return tuple(range(first, first + rank - 2))

    def permuted(self, permutation: Sequence[int]) -> "DataLayoutAttr | None":
        """Return the layout after axis ``i`` became axis ``permutation[i]``, if it is one."""
        rank = len(permutation)
        for layout in (CHANNELS_FIRST, CHANNELS_LAST):
            axes = [0, *self.spatial_axes(rank)]
            axes.insert(layout.channel_axis(rank), self.channel_axis(rank))
            if list(permutation) == axes:
                return layout
        return None


@irdl_attr_definition
class WeightLayoutAttr(EnumAttribute[WeightLayout], SpacedOpaqueSyntaxAttribute):
    """The layout of a convolution's weight."""

    name = "graph.weight_layout"

    def axes(self, rank: int) -> tuple[int, int, tuple[int, ...]]:
        """Return the output-channel axis, the input-channel axis and the window axes."""
        match self.data:
            case WeightLayout.oihw:
                return 0, 1, tuple(range(2, rank))
            case WeightLayout.ohwi:
                return 0, rank - 1, tuple(range(1, rank - 1))
            case WeightLayout.hwio:
                return rank - 1, rank - 2, tuple(range(rank - 2))


CHANNELS_FIRST = DataLayoutAttr(DataLayout.channels_first)
CHANNELS_LAST = DataLayoutAttr(DataLayout.channels_last)
OIHW = WeightLayoutAttr(WeightLayout.oihw)
OHWI = WeightLayoutAttr(WeightLayout.ohwi)
HWIO = WeightLayoutAttr(WeightLayout.hwio)


def channels_last_permutation(rank: int) -> tuple[int, ...]:
    """Return the permutation that moves the channel axis of channels-first images to the end."""
    return (0, *range(2, rank), 1)


ATTRIBUTES = [DataLayoutAttr, WeightLayoutAttr]
