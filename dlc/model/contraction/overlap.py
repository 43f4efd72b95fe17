"""Times of things that happen at once."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def slower(power: Floats | float, *times: Floats | float) -> Floats:
    """Return a little more than the longest of some times: ``(sum of t^power)^(1/power)``.

    What takes as long as another thing hides under it only in part; the higher the power, the more.
    """
    total = sum(np.asarray(time, np.float64) ** power for time in times)
    return np.asarray(total) ** (1 / power)
