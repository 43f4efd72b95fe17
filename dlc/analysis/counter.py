"""Whether a condition depends on what a counter says of other blocks."""

from xdsl.ir import Operation, SSAValue

from dlc.dialects.loop import LoadOp, StoreOp
from dlc.ir.order import OrderingOp, Token, TokenKind
from dlc.ir.space import Space, space_of


def acquired_counter(op: Operation) -> Token | None:
    """Return the counter that tells what other blocks have done, if ``op`` asks one."""
    token = op.acquires if isinstance(op, OrderingOp) else None
    return token if token is not None and token.kind is TokenKind.COUNTER else None


def is_told(value: SSAValue) -> bool:
    """Return whether ``value`` is computed from what a counter said: in this thread, or in another
    one of the block, which put it into shared memory.
    """
    waiting, seen = [value], {value}
    while waiting:
        op = waiting.pop().owner
        if not isinstance(op, Operation):
            continue
        if acquired_counter(op) is not None:
            return True
        found = {*op.operands, *_stored(op)} - seen
        waiting += found
        seen |= found
    return False


def _stored(op: Operation) -> set[SSAValue]:
    """Return what the threads of a block put where ``op`` loads."""
    if not isinstance(op, LoadOp) or space_of(op.buffer) is Space.GLOBAL:
        return set()
    stores = (use.operation for use in op.buffer.uses)
    return {store.value for store in stores if isinstance(store, StoreOp)}
