"""Bugs of the products of warpgroups: descriptors, swizzles, fences, waits."""

from collections.abc import Sequence

from mutant import Mutant

_PRINTED = "dlc/backends/cuda/warpgroup_products.py"
_TILE = "dialects/gpu/shared_tile.py"
_STAGES = "passes/loop_pipeline_stages.py"


def _products(name: str, file: str, old: str, new: str, bug: str) -> Mutant:
    return Mutant(name, "warpgroups", file, old, new, bug, ["large products fp16"], ["sm_90a"])


MUTANTS: Sequence[Mutant] = (
    _products(
        "stride-of-descriptor",
        _TILE,
        "stride = PATTERN_ROWS * self._row_bytes",
        "stride = PATTERN_ROWS // 2 * self._row_bytes",
        "eight rows of a tile lie half as far from the next as they do",
    ),
    _products(
        "leading-of-descriptor",
        _TILE,
        "leading = prod(self._sizes[-2:]) * self._element_bytes",
        "leading = prod(self._sizes[-2:])",
        "groups of a transposed tile follow each other in elements, not in bytes",
    ),
    _products(
        "mode-of-descriptor",
        "dlc/arch/matrix_descriptor.py",
        "_MODES[self.row_bytes] << 62",
        "(_MODES[self.row_bytes] + 1) % 4 << 62",
        "a descriptor names another swizzle than the tile has",
    ),
    _products(
        "steps-of-descriptor",
        _PRINTED,
        "units = PIECE_BYTES // element_bytes(access.type.element_type)",
        "units = PIECE_BYTES",
        "a descriptor moves by bytes of elements of one byte",
    ),
    _products(
        "transposed-factor",
        _PRINTED,
        'chosen = ", ".join("0" if flag is None else "1" for flag in flags)',
        'chosen = ", ".join("0" if flag is None else "1" for flag in flags[::-1])',
        "the bits for transposed factors are exchanged",
    ),
    _products(
        "printed-wait-for-products",
        _PRINTED,
        'p.line(f"wgmma_wait<{op.outstanding.value.data}>();")',
        'p.line(f"wgmma_wait<{op.outstanding.value.data + 1}>();")',
        "CUDA waits for one group of products less",
    ),
    _products(
        "sums-of-a-warp",
        "dlc/simt/warpgroup_tile.py",
        "super().row(i) + self.warp % self.spread.row.warps * self._fragment.rows",
        "super().row(i) + self.warp % 2 * self._fragment.rows",
        "two warps of a warpgroup take the rows of two others for theirs",
    ),
    _products(
        "fence-of-products",
        "dlc/simt/warpgroup_tile.py",
        "        insert(gpu.WgmmaFenceOp())\n",
        "",
        "products may begin before their sums are set to zero",
    ),
    _products(
        "fence-of-tiles",
        _STAGES,
        "            scope.b.builder.insert(gpu.AsyncFenceOp())\n        scope",
        "            pass\n        scope",
        "products may not see the tiles that threads have written",
    ),
    _products(
        "last-wait-for-products",
        _STAGES,
        "Rewriter.insert_op(gpu.WgmmaWaitOp(0), InsertPoint.after(self.loop))",
        "Rewriter.insert_op(gpu.WgmmaWaitOp(1), InsertPoint.after(self.loop))",
        "the last products may be under way when their sums are stored",
    ),
    _products(
        "slots-of-products",
        _STAGES,
        "scope.b.builder.insert(gpu.WgmmaWaitOp(self._behind))",
        "scope.b.builder.insert(gpu.WgmmaWaitOp(self._behind + 1))",
        "a slot is written while products read it",
    ),
)
