"""All seeded bugs, and the fixed few that continuous integration tries."""

import graph_mutants
import import_mutants
import joined_mutants
import lowering_mutants
import memory_mutants
import published_mutants
import role_mutants
import staging_mutants
import text_mutants
import warpgroup_mutants

ALL = (
    *import_mutants.MUTANTS,
    *graph_mutants.MUTANTS,
    *lowering_mutants.MUTANTS,
    *memory_mutants.MUTANTS,
    *text_mutants.MUTANTS,
    *warpgroup_mutants.MUTANTS,
    *role_mutants.MUTANTS,
    *staging_mutants.MUTANTS,
    *published_mutants.MUTANTS,
    *joined_mutants.MUTANTS,
)
FIXED = {
    "cpu": (
        "folded-operands-swapped",
        "first-read",
        "weights-by-type",
        "row-rest",
        "arg-tie",
        "tanh-of-large",
    ),
    "sm_90a": (
        "shift-not-scaled",
        "second-output",
        "kernel-number",
        "half-a-butterfly",
        "copy-direction",
        "short-grid",
    ),
}
"""By target those that continuous integration tries: an area each, models that are fast."""
