"""What a layer, or a whole model, cannot do without."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from dlc.analysis.dataflow import Cluster, is_free, origin
from dlc.analysis.traffic import traffic_bytes
from dlc.analyze.inside import points_inside
from dlc.dialects.graph.computed import ContractionOp, ElementwiseOp
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.structure import BodyOp, GraphOp
from dlc.ir.tensor import element_bytes, element_type, is_integer, tensor_bytes


@dataclass(frozen=True)
class Work:
    """macs: multiply-adds, those with padding included. needed: those without, by the type in which
    factors are multiplied (``f16``, ``tf32``, ``i8``).

    flops: floating-point operations, of which a multiply-add is two; comparisons count 1.
    bytes_read, bytes_written: each tensor once, or as many of its elements as are asked for.
    """

    macs: int
    needed: Mapping[str, int]
    flops: int
    bytes_read: int
    bytes_written: int

    @property
    def bytes(self) -> int:
        """What is read and written."""
        return self.bytes_read + self.bytes_written


def work_of(cluster: Cluster) -> Work:
    """Return the work of the ops of a cluster, which may be loops of steps."""
    steps = list(_all_runs(cluster.ops))
    products = [(op, runs) for op, runs in steps if isinstance(op, ContractionOp)]
    needed = Counter[str]()
    for op, runs in products:
        needed[_multiplied_in(op)] += runs * points_inside(op)
    written = sum(map(tensor_bytes, cluster.results))
    inside = sum(tensor_bytes(op.results[0]) for op, _ in steps if isinstance(op, WeightOp))
    return Work(
        sum(runs * op.domain.points for op, runs in products),
        dict(needed),
        sum(runs * op.flops() for op, runs in steps if not is_free(op)),
        traffic_bytes(cluster) - written + inside,
        written,
    )


def _all_runs(ops: Iterable[Operation]) -> Iterator[tuple[GraphOp, int]]:
    """Yield ops, those of bodies in place of their loops, and how often each of them runs."""
    for op in ops:
        if isinstance(op, BodyOp):
            for inner, runs in _all_runs(op.regions[0].block.ops):
                yield inner, op.runs * runs
        elif isinstance(op, GraphOp):
            yield op, 1


_QUANTIZED_OPS = 4
"""At most so many operations make a factor of 8-bit integers: a conversion, a zero point, a scale,
a conversion to the precision of the model.
"""


def _multiplied_in(op: ContractionOp) -> str:
    """Return the narrowest type in which a product gives the same: quantised factors are integers
    of 8 bits.
    """
    if all(_is_quantized(factor, _QUANTIZED_OPS) for factor in op.operands[:2]):
        return "i8"
    return str(element_type(op.operands[0]) if op.precision is None else op.precision.data)


def _is_quantized(value: SSAValue, most: int) -> bool:
    element, maker = element_type(value), origin(value).owner
    if is_integer(element) and element_bytes(element) == 1:
        return True
    if not most or not isinstance(maker, ElementwiseOp):
        return False
    return any(_is_quantized(x, most - 1) for x in maker.operands)
