"""Bugs of how slices come to shared memory: boxes of tensors, and runs that threads compute."""

from collections.abc import Sequence

from mutant import Mutant

_COPIES = "dlc/simt/tensor_copies.py"
_DRIVER = "dlc/backends/host/tensor_map.py"
_RUN = "dlc/simt/staged_run.py"


def _boxes(name: str, file: str, old: str, new: str, bug: str) -> Mutant:
    return Mutant(name, "tensor copies", file, old, new, bug, ["walking products fp16"], ["sm_90a"])


def _runs(name: str, old: str, new: str, bug: str) -> Mutant:
    return Mutant(name, "staged runs", _RUN, old, new, bug, ["walking products fp16"], ["sm_90a"])


MUTANTS: Sequence[Mutant] = (
    _boxes(
        "size-of-a-map",
        "dlc/analysis/tensor_stage.py",
        "sizes = tuple(axis.size for axis in axes)",
        "sizes = tuple(max(1, axis.size - 1) for axis in axes)",
        "the last elements along each axis are taken for outside",
    ),
    _boxes(
        "coordinates-of-a-box",
        _COPIES,
        "for e in found.coordinates]",
        "for e in reversed(found.coordinates)]",
        "a box begins at the coordinates of another axis",
    ),
    _boxes(
        "axes-of-the-driver",
        _DRIVER,
        "(*reversed(values), *[0]",
        "(*values, *[0]",
        "the driver gets the axes from the first one on",
    ),
    _boxes(
        "swizzle-of-the-driver",
        _DRIVER,
        "SWIZZLES.index(map.swizzle)",
        "SWIZZLES.index(map.swizzle) - (map.swizzle > 0)",
        "the driver gets the number of the next smaller swizzle",
    ),
    _runs(
        "place-of-a-run",
        "self.line, self.number * self.length + at)\n        exprs",
        "self.line, self.number + at)\n        exprs",
        "runs are stored as if they were one element long",
    ),
    _runs(
        "rest-of-a-run-not-cleared",
        "self._each(lambda at: self._store(self._zero(), at))",
        "self._each(lambda at: None)",
        "what is not there keeps the values of another slice",
    ),
    _runs(
        "condition-of-a-run",
        "self._writer(line, number * self.length)",
        "self._writer(line, number)",
        "whether a run is there is asked of another one",
    ),
)
