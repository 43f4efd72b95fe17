"""Reads off the body of a loop what one step computes for one unit of one sequence."""

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.ir.affine import AffineSymExpr
from xdsl.rewriter import InsertPoint

from dlc.analysis.contraction import gemm
from dlc.analysis.dataflow import origin
from dlc.analysis.epilogue import NotFusibleError
from dlc.analysis.step_dependence import of_steps
from dlc.dialects.graph.computed import ContractionOp, Index, ReductionOp
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.dialects.graph.step_part import laid_out
from dlc.errors import CompileError
from dlc.ir.tensor import compute_type, element_type, shape
from dlc.strategies.recurrent.cell import Cell, Phase, Read
from dlc.strategies.recurrent.cell_scope import CellScope


def cell_of(loop: StepLoopOp) -> Cell:
    """Return what a step does for a unit; raises NotFusibleError where it is not the same for each
    unit of each sequence, or needs more of other units than products of what these give.
    """
    sizes = {shape(value) for value in loop.initial}
    if len(sizes) != 1 or len(own := sizes.pop()) != 2 or not all(own):
        raise NotFusibleError("states that are not all of one shape, sequences by units")
    if any(shape(laid_out(value)) != own for value in loop.yielded):
        raise NotFusibleError("a step gives a part of another shape than its states")
    products = [op for op in loop.body.block.ops if isinstance(op, ReductionOp)]
    if not products:
        raise NotFusibleError("no product of a state")
    cell = Cell(loop, _phases(loop, products, own))
    _Recorder(cell).record()
    return cell


def _phases(loop: StepLoopOp, products: Sequence[ReductionOp], own: tuple[int, ...]) -> list[Phase]:
    """Return the phases of a step: a product of a state is in the first one, that of what depends
    on products in the phase behind theirs.
    """
    states = list[SSAValue](loop.body.block.args[: len(loop.initial)])
    changing, behind = of_steps(loop), _phases_before(loop)
    found: dict[int, list[SSAValue]] = {}
    for op in products:
        if not isinstance(op, ContractionOp):
            raise NotFusibleError(f"{op.name} in a step")
        lhs, product = origin(op.operands[0]), gemm(op)
        if lhs not in states and not behind[lhs]:
            raise NotFusibleError("a product of neither a state nor what other products give")
        sizes = product.batch_size, product.m_size, product.k_size
        if shape(lhs) != own or sizes != (1, *own) or op.lhs_guard:
            raise NotFusibleError("a product that is not of rows of a state")
        if len(shape(op.results[0])) != 2:
            raise NotFusibleError("a product that is not of rows of a state")
        if op.operands[1] in changing:
            raise NotFusibleError("a product with a factor that changes from step to step")
        factors = found.setdefault(behind[lhs], [])
        if lhs not in factors:
            factors.append(lhs)
    if len({element_type(factor) for factors in found.values() for factor in factors}) > 1:
        raise NotFusibleError("products of values of several types")
    in_order = [tuple(found[number]) for number in range(len(found))]
    given = [*in_order[1:], [laid_out(value) for value in loop.yielded]]
    return [Phase(factors, values) for factors, values in zip(in_order, given, strict=True)]


def _phases_before(loop: StepLoopOp) -> dict[SSAValue, int]:
    """Return how many phases each value of the body needs."""
    body = loop.body.block
    found = dict.fromkeys(list[SSAValue](body.args), 0)
    for op in body.ops:
        own = max((found[x] for x in op.operands), default=0) + isinstance(op, ContractionOp)
        found.update(dict.fromkeys(op.results, own))
    return found


class _Recorder:
    """Writes a cell into a block that nobody needs, and notes what it reads."""

    def __init__(self, cell: Cell):
        self.cell, self.phase = cell, cell.phases[0]
        self.block = Block(arg_types=[IndexType(), IndexType()])

    def record(self) -> None:
        try:
            for phase in self.cell.phases:
                self.phase = phase
                self._record_phase()
        except CompileError as error:
            raise NotFusibleError(
                f"a step cannot be computed unit by unit: {error.message}"
            ) from None

    def _record_phase(self) -> None:
        """Write what the phase gives, and anew what earlier ones have computed for it."""
        scope = CellScope(Builder(InsertPoint.at_end(Block())), {})
        scope.elements = self._element
        with scope.region(self.block, [self.cell.sequences, self.cell.units]) as at:
            for value in self.phase.given:
                scope.read(value, at)

    def _element(self, value: SSAValue, index: Index) -> SSAValue | None:
        cell, owner = self.cell, value.owner
        is_leaf = isinstance(value, BlockArgument)
        if not is_leaf and not isinstance(owner, ContractionOp):
            return None
        used = {dim for expr in index for dim in expr.used_dims()}
        if not used <= {0, 1} or any(isinstance(x, AffineSymExpr) for e in index for x in e.dfs()):
            raise NotFusibleError("a step reads elements at places that it computes")
        if isinstance(owner, ContractionOp):
            part = cell.part(owner, index)
            if part is None:
                raise NotFusibleError("a product is read at another place than the unit's own")
            if part not in (parts := cell.phase_of(part.factor).parts):
                parts.append(part)
            if part not in self.phase.read:
                self.phase.read.append(part)
        elif value in cell.states:
            if not cell.is_own(index):
                raise NotFusibleError("a state is read at another place than the unit's own")
        elif (read := Read(value, cell.index(index))) not in cell.read:
            cell.read.append(read)
        type = compute_type(element_type(value))
        return self.block.insert_arg(type, len(self.block.args))
