"""The graph that groups were made of."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.entry import find_main, groups


def without_groups(module: ModuleOp) -> ModuleOp:
    """Return a copy of a module with the ops of each group of ``main`` in place of it."""
    flat = module.clone()
    for group in groups(find_main(flat)):
        body = group.body.block
        end = body.last_op
        assert end is not None
        Rewriter.inline_block(body, InsertPoint.before(group), list(group.inputs))
        results = list(end.operands)
        Rewriter.erase_op(end)
        Rewriter.replace_op(group, [], results)
    return flat
