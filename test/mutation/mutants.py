"""All seeded bugs, and the fixed few that continuous integration tries."""

import graph_mutants
import import_mutants
import lowering_mutants
import memory_mutants
import text_mutants

ALL = (
    *import_mutants.MUTANTS,
    *graph_mutants.MUTANTS,
    *lowering_mutants.MUTANTS,
    *memory_mutants.MUTANTS,
    *text_mutants.MUTANTS,
)
