"""The two products of ``attention``, and the tiles that a block has of their factors and sums."""

from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.attention import Attention
from dlc.arch import instructions
from dlc.core.task_map import repeat, spatial
from dlc.dialects.loop import LoadFragmentOp, ZeroOp
from dlc.dialects.loop.spread import Spread, SpreadAttr
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_type
from dlc.lowering.factor import Factor, Staged
from dlc.lowering.job import Job
from dlc.lowering.product import At, Product
from dlc.lowering.tile_scope import TileScope
from dlc.strategies.attention.logits import Logits, logits_of
from dlc.strategies.attention.schedule import AttentionOnGpu


@dataclass(frozen=True)
class Products:
    """Of queries and keys, and of weights and values."""

    job: Job
    attention: Attention
    schedule: AttentionOnGpu

    @cached_property
    def scope(self) -> TileScope:
        """Where the kernel is written."""
        return TileScope(self.job, self.attention.product.results[0])

    @cached_property
    def scores(self) -> Product:
        """That of queries and keys."""
        return Product(self.attention.scores, self.attention.loops[0])

    @cached_property
    def product(self) -> Product:
        """That of weights and values."""
        return Product(self.attention.product, self.attention.loops[1])

    @property
    def rows(self) -> int:
        """The rows of queries of one product of the batch."""
        return self.scores.gemm.m_size

    @property
    def keys(self) -> int:
        """The keys of one product of the batch."""
        return self.scores.gemm.n_size

    @cached_property
    def logits(self) -> Logits:
        """What the scores become before the softmax."""
        return logits_of(self.attention)

    @property
    def steps(self) -> int:
        """The steps of a block."""
        return -(-self.keys // (self.schedule.step * self.schedule.split))

    @property
    def tiles(self) -> int:
        """The tiles of rows of one product of the batch."""
        return -(-self.rows // self.schedule.rows)

    @property
    def count(self) -> int:
        """The tiles of rows of all products of the batch."""
        return self.scores.gemm.batch_size * self.tiles

    @property
    def depth(self) -> int:
        """The elements of a query in shared memory."""
        return self.schedule.padded_depth(self.scores.gemm.k_size)

    @property
    def columns(self) -> int:
        """The elements of a value in shared memory."""
        return self.schedule.padded_columns(self.product.gemm.n_size)

    def lhs(self, queries: Staged) -> tuple[SSAValue, bool]:
        """Return the queries where the instruction takes them, in registers if it can, and whether
        they are transposed there.
        """
        if self.schedule.reads_shared:
            return queries.alloc.buffer, not queries.along_k
        type = self._type(element_type(self.attention.scores.operands[0]), self.depth)
        held = LoadFragmentOp(queries.alloc.buffer, type, not queries.along_k)
        held.held.name_hint = "held"
        return self.scope.b.insert(held), False

    def sums(self) -> SSAValue:
        """Write the sums of weights and values."""
        return self.zero(self.columns, "sums")

    def zero(self, columns: int, name: str, beside: int = 1) -> SSAValue:
        """Write a tile of zeros in registers. beside: teams that have columns of their own."""
        compute = compute_type(element_type(self.attention.product.results[0]))
        made = self.scope.b.insert(ZeroOp(self._type(compute, columns, beside)))
        made.name_hint = name
        return made

    def _type(self, element: Attribute, columns: int, beside: int = 1) -> MemRefType[Attribute]:
        """Return the type of a tile in registers: who multiplies together has whole rows. beside:
        teams that have columns of their own; else each team has all columns.
        """
        schedule, (groups, down) = self.schedule, self.schedule.parts
        name = instructions.widest(schedule.row.name, columns)
        across = columns // beside // instructions.named(name)[0].n
        map = spatial(groups, beside) * repeat(down, across)
        spread = SpreadAttr(Spread(name, map, teams=schedule.teams // beside))
        space = SpaceAttr(Space.REGISTER)
        return MemRefType(element, [schedule.rows, columns], spread, space)

    def factor(
        self,
        product: Product,
        number: int,
        batch: At,
        first_row: AffineExpr,
        rows: int,
        depth: int,
        slices: int = 1,
    ) -> Factor:
        """Return a factor's tile. slices: as many, of ``depth``, are brought."""
        return Factor(
            self.scope,
            product,
            number,
            batch,
            first_row,
            rows,
            depth,
            self.schedule.threads,
            is_whole=product.gemm.k_size == slices * depth,
            order=lambda row, along_k: row,
            in_place=self.schedule.reads_shared,
            tensor=self.schedule.producers > 0,
        )
