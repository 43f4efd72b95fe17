"""Bugs where blocks of a launch hand each other values."""

from collections.abc import Sequence

from mutant import Mutant


def _published(name: str, file: str, old: str, new: str, bug: str) -> Mutant:
    return Mutant(name, "published values", file, old, new, bug, ("steps",), ("sm_90a",))


_NATIVE = "dlc/runtime/native"

MUTANTS: Sequence[Mutant] = (
    _published(
        "filled-with-zeros",
        f"{_NATIVE}/cuda_fills.c",
        "enum { ONES = 0xff };",
        "enum { ONES = 0 };",
        "zeros are taken for values",
    ),
    _published(
        "fill-of-another-operand",
        "dlc/analysis/fill.py",
        "(buffer.index, buffer_bytes(buffer))",
        "(buffer.index - 1, buffer_bytes(buffer))",
        "the buffer before the right one is filled",
    ),
    _published(
        "fill-is-not-awaited",
        f"{_NATIVE}/cuda.c",
        "cuGraphAddKernelNode(node, model->graph, fills->nodes, kernel->fill_count, &parameters)",
        "cuGraphAddKernelNode(node, model->graph, fills->nodes, 0, &parameters)",
        "a launch begins while its buffers are filled",
    ),
    _published(
        "filled-memory-of-others",
        "passes/fused_group_plan_memory.py",
        "            if self._is_filled(op, number):",
        "            if False:",
        "others use memory after it was filled for scratch",
    ),
    _published(
        "blocks-in-any-order",
        f"{_NATIVE}/cuda.c",
        "if (kernel->cooperative) TRY(cuGraph",
        "if (0) TRY(cuGraph",
        "nothing promises that all blocks are there",
    ),
    _published(
        "half-a-vector",
        "dlc/dialects/gpu/publish.py",
        "return self.elements.value.data * element_bytes(element_of(self.published))",
        "return max(4, self.elements.value.data * element_bytes(element_of(self.published)) // 2)",
        "half of the values are moved",
    ),
    _published(
        "first-word-of-a-vector",
        "dlc/backends/cuda/published_values.py",
        "i < {count} * pieces; i++",
        "i < {count} * pieces; i += {count}",
        "a wait looks at the first word of each vector",
    ),
)
