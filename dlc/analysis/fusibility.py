"""Which ops one kernel can hold, and by which strategy it is lowered.

``map``       one thread computes one element of the results, everything inside on demand
``row``       reductions over the same axes of one shape, elementwise ops between and after them
``contract``  one contraction; elementwise and index maps before its lhs, elementwise ops,
              permutations and cuts of axes after it
"""

from xdsl.ir import SSAValue

from dlc.analysis.dataflow import Cluster
from dlc.analysis.epilogue import NotFusibleError, places
from dlc.analysis.role import Role, RowSpace
from dlc.dialects._tensor import shape
from dlc.dialects.graph._structure import ComputedOp, ElementwiseOp

MOST_OPS = 64
"""A kernel larger than this compiles slowly and spills registers."""

MOST_RESULTS = 8
MOST_CHOICES = MOST_OPS
"""Of so many tensors at most a kernel that computes one of them chooses: no kernel could hold all
of their producers, and every element would pay for the branches."""


def strategy(cluster: Cluster) -> str:
    """Return the strategy that lowers ``cluster``; raises NotFusibleError with the reason."""
    if len(cluster.ops) > MOST_OPS:
        raise NotFusibleError(f"more than {MOST_OPS} ops")
    if not cluster.results:
        raise NotFusibleError("no result of the group is computed in it")
    _check_choices(cluster)
    roles = {op: cluster.flow.facts(op).role for op in cluster.ops}
    kinds = set(roles.values())
    if len(cluster.results) > MOST_RESULTS:
        raise NotFusibleError(f"more than {MOST_RESULTS} results")
    _check_order(cluster)
    if Role.ANCHOR in kinds:
        _check_contract(cluster, roles)
        return "contract"
    if Role.ROW in kinds:
        _check_row(cluster, roles)
        return "row"
    _check_map(cluster, roles)
    return "map"


def _check_choices(cluster: Cluster) -> None:
    for op in cluster.ops:
        wide = len(op.operands) > MOST_CHOICES and _chooses(cluster, op)
        if wide and not cluster.members.isdisjoint(cluster.flow.producers(op)):
            raise NotFusibleError(f"a choice between more than {MOST_CHOICES} tensors")


def _check_order(cluster: Cluster) -> None:
    orders = [op for op in cluster.ops if op.compares_elements]
    if not orders:
        return
    computed = cluster.after(op for op in cluster.ops if not op.moves_data)
    if not computed.isdisjoint(orders):
        raise NotFusibleError("an order of elements that are not in memory")


def strategies(cluster: Cluster) -> tuple[str, ...]:
    """Return all strategies that can lower ``cluster``, the one it was made for first.

    A row reduction whose value is not spread over its row again can also be done by one thread per
    result (``map``).
    """
    kind = strategy(cluster)
    if kind != "row":
        return (kind,)
    rows = [op for op in cluster.ops if cluster.flow.facts(op).role is Role.ROW]
    space = cluster.flow.facts(rows[0]).rows
    assert space is not None
    per_row = (space.reduced, space.squeezed)
    whole = any(shape(op.results[0]) not in per_row for op in cluster.after(rows))
    same = len({shape(v) for v in cluster.results}) == 1
    return (kind,) if whole or not same else (kind, "map")


def anchor(cluster: Cluster) -> ComputedOp:
    """Return the contraction of a cluster whose strategy is ``contract``."""
    return next(op for op in cluster.ops if cluster.flow.facts(op).role is Role.ANCHOR)


# map ----------------------------------------------------------------------------------------------


def _check_map(cluster: Cluster, roles: dict[ComputedOp, Role]) -> None:
    if len(cluster.ops) > 1 and len({shape(v) for v in cluster.results}) > 1:
        raise NotFusibleError("results of different shapes")
    windows = [op for op in cluster.ops if roles[op] is Role.WINDOW]
    if not windows:
        return
    if not cluster.after(windows).isdisjoint(windows):
        raise NotFusibleError("a window of a window would be recomputed")
    choices = [op for op in cluster.ops if _chooses(cluster, op)]
    if not cluster.after(choices).isdisjoint(windows):
        raise NotFusibleError("a choice between tensors at every point of a window")


def _chooses(cluster: Cluster, op: ComputedOp) -> bool:
    """Whether an element of ``op`` comes from one of several tensors (a concatenation)."""
    reads = cluster.flow.facts(op).profile.reads
    return len(reads) > 1 and not isinstance(op, ElementwiseOp) and op.moves_data


# row ----------------------------------------------------------------------------------------------


def _check_row(cluster: Cluster, roles: dict[ComputedOp, Role]) -> None:
    if Role.WINDOW in roles.values():
        raise NotFusibleError("a window does not join a row reduction")
    rows = [op for op in cluster.ops if roles[op] is Role.ROW]
    spaces = {cluster.flow.facts(op).rows for op in rows}
    space = spaces.pop()
    if spaces or space is None:
        raise NotFusibleError("reductions over different axes")
    dependent = cluster.after(rows) | set(rows)
    for op in cluster.ops:
        inside = [v for v in op.operands if cluster.flow.origin(v).owner in dependent]
        if not all(_same_without_ones(v, cluster.flow.origin(v)) for v in inside):
            raise NotFusibleError("a change of layout after a row reduction")
        if inside and roles[op] is not Role.ROW:
            _check_after_row(op, inside, space)
    _check_row_results(cluster, space, dependent)


def _check_after_row(op: ComputedOp, inside: list[SSAValue], space: RowSpace) -> None:
    """Check that ``op`` computes an element of a row from that row's elements and reductions
    only.
    """
    own, sources = shape(op.results[0]), {shape(v) for v in inside}
    if not isinstance(op, ElementwiseOp):
        raise NotFusibleError("data movement after a row reduction")
    if own == space.squeezed:
        fits = sources <= {space.squeezed}
    else:
        fits = own in (space.shape, space.reduced) and sources <= {space.shape, space.reduced}
    if not fits:
        raise NotFusibleError("mixes elements of different rows")


def _check_row_results(cluster: Cluster, space: RowSpace, dependent: set[ComputedOp]) -> None:
    for value in cluster.results:
        allowed = {space.shape}
        if value.owner in dependent:
            allowed |= {space.reduced, space.squeezed}
        if shape(value) not in allowed:
            raise NotFusibleError("a result that is not of the row's shape")


def _same_without_ones(left: SSAValue, right: SSAValue) -> bool:
    return [n for n in shape(left) if n > 1] == [n for n in shape(right) if n > 1]


# contract -----------------------------------------------------------------------------------------


def _check_contract(cluster: Cluster, roles: dict[ComputedOp, Role]) -> None:
    anchors = [op for op in cluster.ops if roles[op] is Role.ANCHOR]
    if len(anchors) > 1:
        raise NotFusibleError("two contractions")
    if kinds := {Role.ROW, Role.WINDOW} & set(roles.values()):
        name = "row" if Role.ROW in kinds else "window"
        raise NotFusibleError(f"a {name} reduction does not join a contraction")
    (root,) = anchors
    after = places(root.results[0], cluster.ops)
    for op in cluster.ops:
        if op.results[0] not in after:
            _check_prologue(cluster, op, root)


def _check_prologue(cluster: Cluster, op: ComputedOp, root: ComputedOp) -> None:
    """Check that ``op`` can be computed where the lhs, or another operand of the epilogue, is
    read.
    """
    if any(v in cluster.results for v in op.results):
        raise NotFusibleError("a prologue that others read too")
    if root.operands[1] is not root.operands[0] and _feeds(cluster, op, root.operands[1]):
        raise NotFusibleError("only the lhs of a contraction takes a prologue")
    reads = cluster.flow.facts(op).profile.reads
    if any(r.is_gather for r in reads):
        raise NotFusibleError("a gather before a contraction")
    if _chooses(cluster, op):
        raise NotFusibleError("a choice between tensors before a contraction")


def _feeds(cluster: Cluster, op: ComputedOp, value: SSAValue) -> bool:
    """Whether ``value`` depends on ``op`` by ops of the cluster."""
    owner = cluster.flow.origin(value).owner
    return owner is op or (owner in cluster.members and owner in cluster.after([op]))
