"""Attention without a mask, as an operation of cuDNN."""

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from dlc.analysis.attention import Attention, attention_of
from dlc.analysis.dataflow import Cluster
from dlc.analysis.operand import is_inlined
from dlc.core.affine import Ranges, extent, linear_index, stride
from dlc.dialects.graph.computed import ComputedOp, ContractionOp
from dlc.dialects.graph.elementwise import MulOp
from dlc.dialects.graph.layout import TransposeOp
from dlc.dialects.graph.pattern import constant_number
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, shape
from dlc.libraries._cublaslt_price import rate_per_sm
from dlc.libraries._cudnn.kind import MANY, Asked, Kind, Member
from dlc.libraries._cudnn.products import Made, multiplied
from dlc.libraries._library import Price
from dlc.libraries._operation_graph import Operation, Tensor
from dlc.libraries._operations import Operations, row_strides
from dlc.libraries._tiles import Rounds, Sizes

TYPES = ("f16", "bf16")
"""Element types."""

_PIECE = 8
"""Queries, keys and values have a multiple of so many elements: 16 bytes."""

_LONGEST = 128
"""And at most so many: what cuDNN's manual promises for all chips from Ampere on."""

_AXES = 4
"""Of its tensors: the batch, heads, rows, elements."""


_PART, _ROUND_S, _KEY_S = 0.7, 1.8e-6, 1.9e-9
_ROWS = 128
"""How it is computed: the part of the peak, what a round takes, and each key in it, beside
products; the queries of a block.
"""

_S = 2.4e-6
"""What a call takes beside a kernel of ours."""

_ERROR = 0.09
"""Root of the mean square over 24 cases."""


def _operations(cluster: Cluster) -> Operations | None:
    """Return the operation of a cluster, ``None`` for one without attention; raises CompileError
    with the reason why cuDNN does not compute it.
    """
    products = [op for op in cluster.ops if isinstance(op, ContractionOp)]
    found = attention_of(products[-1]) if products else None
    if found is None:
        return None
    scale = _scale(found)
    turns = _turns(cluster.ops, found)
    _check(found)
    return _operation(found, scale, turns, cluster.results[0])


def _scale(found: Attention) -> float:
    """Return the factor of the scores; raises CompileError where there is more before a softmax."""
    if not found.between:
        return 1.0
    op = found.between[0]
    factors = [constant_number(x) for x in op.operands if x is not found.scores.results[0]]
    if len(found.between) > 1 or not isinstance(op, MulOp) or len(factors) != 1:
        raise CompileError("cuDNN is given attention without a mask here")
    if factors[0] is None:
        raise CompileError("cuDNN is given a scale that is a number")
    return float(factors[0])


def _turns(ops: Sequence[ComputedOp], found: Attention) -> list[TransposeOp]:
    """Return the transpositions behind attention; raises CompileError for any other op."""
    own = {found.scores, found.product, *found.between, *found.steps}
    if not own <= set(ops):
        raise CompileError("cuDNN computes all of attention, or nothing of it")
    rest = [op for op in ops if op not in own]
    value = found.product.results[0]
    turns: list[TransposeOp] = []
    for op in rest:
        if not isinstance(op, TransposeOp) or op.operands[0] is not value:
            raise CompileError(f"cuDNN computes no {op.name} beside attention")
        turns.append(op)
        value = op.results[0]
    return turns


def _check(found: Attention) -> None:
    read = (*found.scores.operands, found.product.operands[1])
    if str(element_type(read[0])) not in TYPES:  # attention is of one type
        raise CompileError(f"cuDNN attends {' and '.join(TYPES)}")
    if any(map(is_inlined, read)) or any(0 in shape(x) for x in read):
        raise CompileError("there is nothing in memory to attend")


def _operation(
    found: Attention, scale: float, turns: Sequence[TransposeOp], result: SSAValue
) -> Operations:
    made = Operations()
    scores, product = found.scores, found.product
    # Axes of a product are the batch, rows, columns, then those of the reduction.
    rank = len(shape(scores.results[0]))
    batch = range(rank - 2)
    query = _read(made, scores, 0, (*batch, rank - 2, rank))
    key = _read(made, scores, 1, (*batch, rank - 1, rank))
    value = _read(made, product, 1, (*batch, rank, rank - 1))
    inputs = (query, key, value, made.number(scale, _AXES))
    sizes, strides = shape(product.results[0]), _strides(turns, result)
    output = made.between(_padded(sizes), _padded(strides))
    made.operations.append(Operation("attention", inputs, output))
    made.store(result)
    return made


def _read(made: Operations, op: ContractionOp, number: int, dims: Sequence[int]) -> int:
    """Return the tensor of an operand of a product; dims: what its axes run along."""
    value = op.operands[number]
    ranges = Ranges([extent(n) for n in (*op.domain.parallel, *op.domain.reduction)])
    place = linear_index(op.indexing_maps()[number].results, shape(value))
    sizes = [(*op.domain.parallel, *op.domain.reduction)[dim] for dim in dims]
    strides = [stride(place, dim, ranges) or 0 for dim in dims]
    if len(dims) > _AXES:
        raise CompileError(f"cuDNN is given queries, keys and values of at most {_AXES} axes")
    if any(n > 1 and s == 0 for n, s in zip(sizes, strides, strict=True)):
        raise CompileError("cuDNN is given as many keys and values as queries have heads")
    if sizes[-1] % _PIECE or sizes[-1] > _LONGEST or strides[-1] != 1:
        raise CompileError(f"cuDNN attends {_PIECE}, {2 * _PIECE}, ... to {_LONGEST} elements")
    return made.read(value, _padded(sizes), _padded(strides))


def _strides(turns: Sequence[TransposeOp], result: SSAValue) -> tuple[int, ...]:
    """Return the strides of what attention gives, by which it lies in the result."""
    strides = row_strides(shape(result))
    for turn in reversed(turns):
        places = tuple(turn.permutation.get_values())
        strides = tuple(strides[places.index(axis)] for axis in range(len(places)))
    return strides


def _padded(axes: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes or strides of axes, with those of axes of one element before them."""
    return (*(1,) * (_AXES - len(axes)), *axes)


def _fits(inputs: Sequence[Tensor], result: Tensor, operation: Operation) -> bool:
    """Return whether they are queries, keys, values, a scale, and what attention gives."""
    query, key, value, scale = (each.sizes for each in inputs)
    if not len(query) == len(key) == len(value) == len(result.sizes) == _AXES:
        return False
    *heads, rows, _ = query
    keys, elements = value[2:]
    wanted = ((*heads, keys, query[3]), (*heads, keys, elements), (*heads, rows, elements))
    return (key, value, result.sizes) == wanted and set(scale) == {1}


def _price(asked: Asked) -> Price:
    """Return the price of attention: both products as one."""
    graph, sms = asked.graph, asked.chip.sm_count
    query, key, value = (graph.tensors[n].sizes for n in graph.operations[0].inputs[:3])
    heads, rows, keys = prod(query[:-2]), query[-2], key[-2]
    sizes = Sizes(heads, rows, keys, query[-1] + value[-1])
    rounds = Rounds(_PART, _ROUND_S + keys * _KEY_S)
    rate = rate_per_sm(asked.type, asked.chip)
    return multiplied(
        asked, Made(sizes, _S, sizes.tiled_s((_ROWS, keys), 1, rounds, rate, sms)), _ERROR
    )


KIND = Kind(
    name="attention",
    plural="attention",
    members=[Member("attention", (4,))],
    operations=_operations,
    fits=_fits,
    price=_price,
    algorithms=MANY,
    is_product=True,
)
