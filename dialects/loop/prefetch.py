"""Places that a core will need are asked for ahead of time."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import AttrSizedOperandSegments, irdl_op_definition, opt_operand_def
from xdsl.utils.exceptions import VerifyException

from dlc.dialects.loop.memory import ElementOp
from dlc.dialects.loop.structure import ForOp
from dlc.ir.access import Access, IndexedBuffer, canonical_access, verify_access


@irdl_op_definition
class PrefetchOp(ElementOp):
    """Bring the line of an element to the core's own cache; with ``next``, the one of the next
    iteration of a loop.

    ``next`` counts the iterations of that loop; the index is the one that this iteration would
    have. In a loop that goes ``backward`` the next iteration is the one before. After the last
    iteration the place may lie outside of the buffer: nothing is read, only time is lost.

    ``loop.prefetch %w[%i, %k] next %i : memref<8x64xf32>``
    """

    name = "loop.prefetch"
    next = opt_operand_def(IndexType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (IndexedBuffer,)
    assembly_format = (
        "custom<IndexedBuffer>($buffer, $indices, $map) (`next` $next^)? attr-dict"
        " `:` type($buffer)"
    )

    def __init__(
        self,
        buffer: SSAValue,
        exprs: Sequence[AffineExpr],
        dims: Sequence[SSAValue],
        next: SSAValue | None = None,
    ):
        """Bring the element at ``exprs``, whose dims stand for ``dims``."""
        map, indices = canonical_access(exprs, dims)
        super().__init__(operands=[next, buffer, indices], properties={"map": map})

    @property
    def loop(self) -> ForOp | None:
        """The loop whose next iteration is meant, if one is."""
        block = None if self.next is None else self.next.owner
        owner = block.parent_op() if isinstance(block, Block) else None
        return owner if isinstance(owner, ForOp) and owner.induction is self.next else None

    @property
    def place(self) -> Access:
        """The element that is brought."""
        loop, indices = self.loop, tuple(self.indices)
        if loop is None:
            return self.access()
        step = -loop.range.step if loop.backward else loop.range.step
        dims = [
            AffineExpr.dimension(number) + (step if value is self.next else 0)
            for number, value in enumerate(indices)
        ]
        exprs = tuple(e.replace_dims_and_symbols(dims, ()) for e in self.affine_map.results)
        return Access(self.buffer, AffineMap(len(indices), 0, exprs), indices)

    def accesses(self) -> Sequence[Access]:
        return ()

    def verify_(self) -> None:
        verify_access(self.access(), self.name)
        if self.next is not None and self.loop is None:
            raise VerifyException("next counts the iterations of a loop.for around it")
