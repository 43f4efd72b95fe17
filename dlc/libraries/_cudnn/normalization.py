"""A layer normalisation, or one by the root of the mean square, as an operation of cuDNN."""

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from dlc.analysis.dataflow import Cluster
from dlc.analysis.operand import is_inlined
from dlc.dialects.graph.normalization_form import NormalizationForm, normalization_form
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, shape
from dlc.libraries._cudnn.kind import Asked, Kind, Member
from dlc.libraries._cudnn.streaming import by_bytes
from dlc.libraries._library import Price
from dlc.libraries._operation_graph import Operation, Tensor
from dlc.libraries._operations import Operations, row_strides

TYPES = ("f16", "bf16")
"""Element types of what is normalised."""

_NAMES = {True: "layer_norm", False: "rms_norm"}
"""Names of operations, by whether the mean is taken off."""

_AXES = 4
"""Of its tensors: rows, elements, and two axes of one element."""

_S, _EFFICIENCY, _ERROR = 0.2e-6, 0.74, 0.16
"""What it takes beside a kernel of ours; the part of the bandwidth; root of the mean square over 11
layer normalisations.
"""

_PIECE, _ODD_S, _ODD = 128, 6e-6, 3.7
"""Where rows are no multiple of so many elements (1,000), it takes that much more, and its bytes
take so many times as long.
"""


def _operations(cluster: Cluster) -> Operations | None:
    """Return the operation of a cluster, ``None`` where its result is no normalisation's; raises
    CompileError with the reason why cuDNN does not compute one.
    """
    result = cluster.results[0]
    found = normalization_form(result)
    if found is None:
        return None
    _check(found, cluster)
    sizes = shape(found.x)
    elements = prod(sizes[len(sizes) - found.axes :])
    rows = prod(sizes) // elements
    made = Operations()
    x, scale = _read(made, found.x, rows, elements), _read(made, found.scale, 1, elements)
    inputs = [x, scale, made.number(found.epsilon, _AXES)]
    if found.bias is not None:
        inputs.append(_read(made, found.bias, 1, elements))
    whole = (rows, elements, 1, 1)
    output = made.between(whole, row_strides(whole))
    made.operations.append(Operation(_NAMES[found.is_centred], tuple(inputs), output))
    made.store(result)
    return made


def _read(made: Operations, value: SSAValue, rows: int, elements: int) -> int:
    sizes = (rows, elements, 1, 1)
    return made.read(value, sizes, row_strides(sizes))


def _check(found: NormalizationForm, cluster: Cluster) -> None:
    ops = frozenset(cluster.ops)
    if not found.ops <= ops:
        raise CompileError("cuDNN computes all of a normalisation, or nothing of it")
    if rest := [op for op in cluster.ops if op not in found.ops]:
        raise CompileError(f"cuDNN computes no {rest[0].name} beside a normalisation")
    _check_types(found, cluster.results[0])
    vectors = [found.scale, *([] if found.bias is None else [found.bias])]
    wanted = _without_ones(shape(found.x)[len(shape(found.x)) - found.axes :])
    if any(_without_ones(shape(vector)) != wanted for vector in vectors):
        raise CompileError("cuDNN is given a scale and a bias of each element of a row")
    if any(map(is_inlined, (found.x, *vectors))) or 0 in shape(found.x):
        raise CompileError("there is nothing in memory to normalise")


def _check_types(found: NormalizationForm, result: SSAValue) -> None:
    own = str(element_type(found.x))
    if own not in TYPES or str(element_type(result)) != own:
        raise CompileError(f"cuDNN normalises {' and '.join(TYPES)} here")
    inner = {str(element_type(x)) for op in found.ops for x in (*op.operands, *op.results)}
    if not inner <= {own, "f32"}:
        raise CompileError(f"cuDNN normalises {own} in {own} and f32")


def _without_ones(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return sizes from the first one on that is not 1."""
    first = next((n for n, size in enumerate(sizes) if size != 1), len(sizes))
    return sizes[first:]


def _fits(inputs: Sequence[Tensor], result: Tensor, operation: Operation) -> bool:
    """Return whether they are rows, a scale, an epsilon, maybe a bias, and rows again."""
    x, scale, epsilon, *bias = (each.sizes for each in inputs)
    row = (1, *x[1:])
    is_whole = len(x) == _AXES and x == result.sizes
    return is_whole and epsilon == (1,) * _AXES and all(each == row for each in (scale, *bias))


def _price(asked: Asked) -> Price:
    """Return the price of rows, of which little is computed."""
    is_odd = asked.graph.tensors[0].sizes[1] % _PIECE != 0
    more_s, times = (_ODD_S, _ODD) if is_odd else (0.0, 1.0)
    return by_bytes(asked, _EFFICIENCY / times, _S + more_s, _ERROR)


KIND = Kind(
    name="normalization",
    plural="normalisations",
    members=[Member("layer_norm", (3, 4), 0), Member("rms_norm", (3, 4), 4)],
    operations=_operations,
    fits=_fits,
    price=_price,
)
"""Modes are those of ``cudnnBackendNormMode_t``."""
