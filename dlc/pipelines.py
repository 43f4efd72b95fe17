"""The table of contents: the pipelines that have a name, and why their passes stand in that order.

A pipeline is used like a pass: ``dlc-opt --lower-to-gpu=arch=sm_90a``.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Pipeline:
    """Passes in order, each as text with its options; ``summary`` is one line for a user."""

    summary: str
    steps: tuple[str, ...]


PIPELINES: dict[str, Pipeline] = {
    "lower-to-loop": Pipeline(
        "Write each group as a kernel of loops over buffers.",
        (
            "graph-decompose",  # no strategy sees composite ops
            "convert-fused-group-to-loop",
        ),
    ),
}
