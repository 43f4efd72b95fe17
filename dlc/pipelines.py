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
    "lower-to-gpu": Pipeline(
        "Write each kernel of loops as the program of one thread.",
        (
            "loop-assign-roles",  # takes the loops that it is asked for, the next pass all others
            "loop-pipeline-stages",  # while a tile is one op, it is moved as one
            "loop-assign-stages",
            "loop-hoist-indices",  # finds the positions that the copies have
            "loop-select-instruction",
            "loop-spread-copies",  # the steps that it puts copies between are written
            "convert-loop-to-gpu",
            "cse",  # nests of one kernel compute the same positions
            "gpu-check-order",  # while each access is one element
            "gpu-unroll-rounds",  # before neighbours are looked for in what it writes out
            "gpu-jam-unrolled",
            "gpu-hoist-invariants",  # an index that is the same for neighbours has a value then
            "gpu-hoist-choices",  # what a branch loads are neighbours then
            "gpu-align-loads",  # before neighbours are loaded together
            "gpu-vectorize-memory",  # finds the neighbours in the innermost loops
            "gpu-fold-conversions",  # of moves between buffers that it has made
            "gpu-select-quotients",
            "gpu-insert-barriers",  # all accesses are written; allocation shares bytes across them
            "gpu-swizzle-shared",  # before allocation: a swizzled buffer is aligned
            "gpu-allocate-shared",
            "gpu-set-resident-blocks",  # copies and their waits are written
            "gpu-unroll-windows",  # neighbours are wide loads by now, one for each tap
            "gpu-unroll-pairs",
            "fused-group-order-launches",  # shared memory is allocated
            "gpu-set-dependents",  # knows which launches come after which
            "gpu-merge-loads",  # which inputs may be taken for constant is decided
            "gpu-load-ahead",  # registers and shared memory of the main loop are there
            "gpu-hoist-loads",  # what is left of them
            "gpu-insert-launch-waits",  # loads stand where they stay
            "gpu-hoist-constant-copies",  # before the waits
            "gpu-prefetch-constants",  # the same, where copies stay in their loops
            "gpu-check-limits",
        ),
    ),
    "optimize-graph": Pipeline(
        "Simplify a model, choose its layouts and precision.",
        (
            "graph-check-sizes",  # no other pass need ask whether a size is a number
            "graph-canonicalize",
            "graph-split-batches",  # reshapes that meet are one by then
            "graph-recognize",  # before anything is taken apart
            "graph-pad-keys",  # while softmax is one op; rates products in the precision to come
            "graph-decompose",  # batch normalisation becomes a product and a sum that can be folded
            "graph-split-scales",  # while the integers still have their casts
            "graph-split-zero-points",  # constant factors are still 8 bits and a zero point
            "graph-fold-constants",  # a folded scale must be a constant, not ops on constants
            "graph-split-concatenations",  # the products that are hoisted
            "graph-hoist-products",  # their weights are operands of loops
            "graph-sink-constants",  # before anything asks which factors are weights
            "graph-fold-lookups",  # their indices are constants now
            "graph-fold-masks",  # masks are constants, and still have fp32's lowest number
            "graph-sink-broadcasts",  # the lookups between masks and what broadcasts them are gone
            "graph-fold-scale",  # before layouts: scales still vary along one axis
            "graph-set-precision",  # before folding, so that folded weights are rounded once
            "graph-choose-layout",  # rates kernels in their precision
            "graph-sink-transposes",
            "graph-order-weights",
            "graph-pad-channels",  # knows which axis of a weight are channels
            "cse",  # what all readers of a weight make of it becomes one weight
            "graph-merge-products",  # their lhs, a cast of a norm, has become one value
            "graph-fold-constants",  # all passes above leave ops on weights
            "graph-canonicalize",
            "graph-share-factors",  # reshapes between what is repeated and its product are gone
            "cse",
            "graph-split-casts",  # what cse would undo
            "graph-split-small",  # the same
            "graph-split-parts",  # the same
            "graph-share-concatenations",  # the same
            "graph-skew-loops",  # rates kernels of loops as they are then
            "graph-pair-loops",  # those that are left
        ),
    ),
    "lower-to-loop": Pipeline(
        "Write each group as a kernel of loops over buffers.",
        (
            "graph-decompose",  # no strategy sees composite ops
            "convert-fused-group-to-loop",
        ),
    ),
}
