"""Let the copies of a later slice start between the products of this one, not in front of them."""

from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator, Pure

from dlc.analysis.shared_conflict import shared_accesses
from dlc.core.passes import DlcPass
from dlc.dialects import gpu
from dlc.dialects.loop import ForOp, KernelOp
from dlc.ir.order import OrderingOp


class LoopSpreadCopiesPass(DlcPass):
    """Cut the condition around the asynchronous copies of a slice: each copy gets the condition for
    itself, and they stand evenly in front of the products of the steps but the last one.

    A copy stays within its group: the commit follows the last one. Nothing that it passes waits for
    copies or for other threads, so it is under way with what it was under way with before. Copies
    stay where nothing is multiplied in registers behind them, and where anything but copies stands
    in the condition.

    Runs on: ``loop``. Leaves: ``loop``. Order: after ``loop-select-instruction``, which writes the
    steps; before ``convert-loop-to-gpu``.

    ::

        scf.if %more { copy 0  copy 1 }  ->  loads of step 0
        gpu.cp_async_commit                  scf.if %more { copy 0 }
        loads of step 0                      products of step 0
        products of step 0                   loads of step 1
        loads of step 1                      scf.if %more { copy 1 }
        products of step 1                   products of step 1
        loads of step 2                      loads of step 2
        products of step 2                   gpu.cp_async_commit
                                             products of step 2
    """

    name = "loop-spread-copies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                for branch in [o for o in kernel.walk() if isinstance(o, scf.IfOp)]:
                    if isinstance(branch.parent_op(), ForOp):
                        _spread(branch)


def _spread(branch: scf.IfOp) -> None:
    commit, copies = branch.next_op, _copies(branch)
    if not isinstance(commit, gpu.CpAsyncCommitOp) or not copies:
        return
    products = list(_products_after(commit))
    if not products:
        return
    places = [InsertPoint.before(op) for op in products[:-1] or products]
    for op in list(branch.true_region.block.ops):
        if op.has_trait(Pure) and not op.has_trait(IsTerminator):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(branch))
    for number, copy in enumerate(copies):
        copy.detach()
        alone = scf.IfOp(branch.cond, [], [copy, scf.YieldOp()])
        Rewriter.insert_op(alone, places[number * len(places) // len(copies)])
    commit.detach()
    Rewriter.insert_op(commit, InsertPoint.before(products[-1]))
    Rewriter.erase_op(branch)


def _copies(branch: scf.IfOp) -> Sequence[Operation]:
    """Return the copies of a branch that has nothing else with an effect; else nothing."""
    if branch.results or branch.false_region.blocks:
        return ()
    effects = [op for op in branch.true_region.block.ops if not _is_without_effect(op)]
    return effects if all(isinstance(op, gpu.CpAsyncOp) for op in effects) else ()


def _is_without_effect(op: Operation) -> bool:
    return op.has_trait(Pure) or op.has_trait(IsTerminator)


def _products_after(commit: Operation) -> Iterator[Operation]:
    """Yield what only computes in registers behind a commit, up to what orders accesses."""
    op = commit.next_op
    while op is not None and not any(map(_orders, op.walk())):
        if op.regions and not any(shared_accesses(inner) for inner in op.walk()):
            yield op
        op = op.next_op


def _orders(op: Operation) -> bool:
    return isinstance(op, OrderingOp) and (op.acquires or op.releases) is not None
