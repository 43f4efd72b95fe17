"""What an ``attention`` group does, as the model of the chip asks."""

from dataclasses import dataclass
from functools import cached_property

from dlc.analysis.attention import Attention, attention_of
from dlc.analysis.dataflow import Cluster
from dlc.analysis.factor_box import is_in_boxes
from dlc.analysis.role import Role
from dlc.analysis.traffic import traffic_bytes
from dlc.dialects.graph.computed import ContractionOp
from dlc.ir.tensor import compute_type, element_bytes, element_count, element_type, shape
from dlc.strategies.attention.logits import logits_of


@dataclass(frozen=True)
class AttentionWork:
    """What an ``attention`` group does.

    batch: pairs of products. rows: of queries in each. keys: their number. depth: elements of a
    query. columns: elements of a value. element, element_bytes: the factors' type, and the bytes of
    one. compute: the type of scores and sums. operations, reads: of a score, between the products:
    scalar operations, elements of tensors. read_bytes, written_bytes: each tensor once. last_seen:
    the last key that the first row sees, where each row sees one more than the row before. boxes:
    whether tensor copies can bring queries, keys and values.
    """

    batch: int
    rows: int
    keys: int
    depth: int
    columns: int
    element: str
    element_bytes: int
    compute: str
    operations: float
    reads: int
    read_bytes: int
    written_bytes: int
    last_seen: int | None = None
    boxes: bool = False

    @cached_property
    def flops(self) -> float:
        """The operations of both products."""
        return 2.0 * self.batch * self.pairs * (self.depth + self.columns)

    @cached_property
    def pairs(self) -> int:
        """The queries and keys of one head that see each other."""
        return sum(self.steps(1, 1))

    def steps(self, rows: int, step: int) -> list[int]:
        """Return the steps of ``step`` keys of each block of ``rows`` rows."""
        most, tiles = -(-self.keys // step), range(0, self.rows, rows)
        if self.last_seen is None:
            return [most for _ in tiles]
        return [min(most, (first + rows - 1 + self.last_seen) // step + 1) for first in tiles]


def attention_in(cluster: Cluster) -> Attention | None:
    """Return the attention of a cluster that has all of its ops."""
    anchors = [op for op, role in cluster.roles.items() if role is Role.ANCHOR]
    if len(anchors) != 2 or not isinstance(anchors[1], ContractionOp):
        return None
    found = attention_of(anchors[1])
    if found is None or found.scores is not anchors[0]:
        return None
    own = {*found.steps, *found.between}
    return found if own <= cluster.members else None


def work_of(cluster: Cluster) -> AttentionWork:
    """Return the work of a cluster whose strategy is ``attention``."""
    found = attention_in(cluster)
    assert found is not None
    first, second = found.loops
    written = sum(element_count(v) * element_bytes(element_type(v)) for v in cluster.results)
    scores, element = shape(found.scores.results[0]), element_type(found.scores.operands[0])
    logits = logits_of(found)
    between = [op for op in found.between if op not in logits.by_softmax]
    read = {v for op in between for v in op.operands if not cluster.inner(v)}
    return AttentionWork(
        first.batch_size,
        first.m_size,
        first.n_size,
        first.k_size,
        second.n_size,
        str(element),
        element_bytes(element),
        str(compute_type(element)),
        float(sum(cluster.facts(op).cost for op in between)),
        sum(bool(shape(v)) and shape(v)[-1:] == scores[-1:] for v in read),
        max(0, traffic_bytes(cluster) - written),
        written,
        logits.last,
        _in_boxes(cluster, found),
    )


def _in_boxes(cluster: Cluster, found: Attention) -> bool:
    first, second = found.loops
    nests = first.m, first.n, first.k, second.n, second.k
    if any(len(nest) != 1 for nest in nests):
        return False
    (row,), (key,), (place,), (column,), (value,) = ([loop.dim for loop in nest] for nest in nests)
    return (
        is_in_boxes(cluster, found.scores, 0, row, place)
        and is_in_boxes(cluster, found.scores, 1, key, place)
        and is_in_boxes(cluster, found.product, 1, value, column)
    )


def describe(work: AttentionWork) -> str:
    """Return the words for a work in an error."""
    return f"attention of {work.rows} queries and {work.keys} keys of {work.depth} elements"
