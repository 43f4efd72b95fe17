"""Values on which a single node is checked: such as its operator takes."""

from collections.abc import Callable, Mapping

import numpy as np
from onnx import helper

from dlc.dialects.graph.structure import Array
from dlc.verification.node_kind import Input, NodeKind

_Draw = Callable[[np.random.Generator, NodeKind, Input], Array]

CASES = {"ordinary": 1.0, "small": 1e-2}
"""How large floats are: beside small ones the epsilon of a normalisation shows."""

LARGEST = 1.5
"""Of the deviation; one in fifteen is as large, and one as small."""


def node_inputs(kind: NodeKind, scale: float) -> dict[str, Array]:
    """Return values of all inputs by name; those of constants whose elements matter are their own.

    Floats are normal of deviation ``scale``, cut off at ``LARGEST`` of it and a quarter of them
    multiples of its half, so that ties, also of the largest ones, and zeros occur. Integers are
    small and of both signs, 8-bit ones any; indices are in range, of both signs where the operator
    takes that.
    """
    generator = np.random.default_rng(len(kind.inputs))
    numbers = {name: number for number, name in enumerate(kind.node.input)}

    def draw(name: str, x: Input) -> Array:
        if x.array is not None:
            return x.array
        special = _SPECIAL.get((kind.name, numbers.get(name, -1))) or _of_body(kind, name)
        if special is not None:
            return special(generator, kind, x).astype(x.dtype)
        return _ordinary(generator, x, scale)

    return {name: draw(name, x) for name, x in kind.inputs.items()}


def _of_body(kind: NodeKind, name: str) -> _Draw | None:
    """Return what a node in the body of a function takes that reads the input, if its operator is
    among those that take the same in every node.
    """
    function = next(
        (f for f in kind.functions if (f.domain, f.name) == (kind.node.domain, kind.node.op_type)),
        None,
    )
    if function is None:
        return None
    inner = dict(zip(kind.node.input, function.input, strict=False)).get(name)
    places = [(n.op_type, i) for n in function.node for i, x in enumerate(n.input) if x == inner]
    draws = (_SPECIAL.get(place) for place in places)
    return next((draw for draw in draws if draw in (_positive, _unit, _divisor)), None)


def _ordinary(generator: np.random.Generator, x: Input, scale: float) -> Array:
    if x.dtype.kind == "b":
        return generator.integers(0, 2, x.shape).astype(x.dtype)
    if x.dtype.kind in "iu":
        limits = np.iinfo(x.dtype)
        low, high = (limits.min, limits.max) if limits.bits == 8 else (max(limits.min, -9), 9)
        return generator.integers(low, high, x.shape, endpoint=True).astype(x.dtype)
    values = np.clip(generator.standard_normal(x.shape), -LARGEST, LARGEST)
    tied = generator.random(x.shape) < 0.25
    return (scale * np.where(tied, np.round(2 * values) / 2, values)).astype(x.dtype)


def _positive(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return values away from zero and not above 2."""
    return generator.uniform(0.25, 2, x.shape)


def _unit(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return values between 0 and 1."""
    return generator.uniform(0, 1, x.shape)


def _divisor(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return values of both signs that are not zero."""
    sign = generator.choice([-1, 1] if x.dtype.kind != "u" else [1], x.shape)
    if x.dtype.kind in "iu":
        return sign * generator.integers(1, 9, x.shape)
    return sign * generator.uniform(0.25, 2, x.shape)


def _exponent(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return exponents: whole numbers, as the base has both signs."""
    return generator.integers(0, 4, x.shape)


def _amount(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return numbers of bits to shift by."""
    return generator.integers(0, 8 * x.dtype.itemsize, x.shape)


def _castable(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return values that all element types hold: what others become is not defined."""
    if x.dtype.kind == "b":
        return generator.integers(0, 2, x.shape)
    to = helper.tensor_dtype_to_np_dtype(int(str(_attribute(kind, "to", 1))))
    values = generator.integers(0, 100, x.shape)
    signed = to.kind not in "u" and x.dtype.kind != "u"
    fraction = generator.choice([0, 0.25, 0.5, 0.75], x.shape) if x.dtype.kind not in "iu" else 0
    return (values + fraction) * (generator.choice([-1, 1], x.shape) if signed else 1)


def _attribute(kind: NodeKind, name: str, default: object) -> object:
    found = {a.name: helper.get_attribute_value(a) for a in kind.node.attribute}
    return found.get(name, default)


def _size(kind: NodeKind, number: int, axis: int) -> int:
    """Return the size of input ``number`` along an axis."""
    sizes = kind.inputs[kind.node.input[number]].shape
    return sizes[axis] if sizes else 1


def _axis(kind: NodeKind, default: int) -> int:
    return int(str(_attribute(kind, "axis", default)))


def _indices(data: int, signed: bool = True, default_axis: int = 0) -> _Draw:
    """Return a draw of indices along the attribute ``axis`` of input ``data``."""

    def draw(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
        size = _size(kind, data, _axis(kind, default_axis))
        return generator.integers(-size if signed else 0, max(size, 1), x.shape)

    return draw


def _scatter_indices(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return indices no two of which, along the axis, name one element."""
    axis = _axis(kind, 0)
    size = _size(kind, 0, axis)
    count = x.shape[axis] if x.shape else 1
    order = generator.permuted(np.broadcast_to(np.arange(size), (*_others(x, axis), size)), axis=-1)
    found = np.moveaxis(order[..., :count], -1, axis) if x.shape else order[0]
    return np.where(generator.random(found.shape) < 0.5, found, found - size)


def _others(x: Input, axis: int) -> tuple[int, ...]:
    sizes = list(x.shape)
    sizes.pop(axis)
    return tuple(sizes)


def _tuples(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return tuples of indices, no two of which are equal where there are enough of them."""
    skipped = int(str(_attribute(kind, "batch_dims", 0)))
    sizes = kind.inputs[kind.node.input[0]].shape[skipped : skipped + x.shape[-1]]
    places = int(np.prod(sizes))
    count = int(np.prod(x.shape[:-1]))
    flat = generator.permutation(places)
    chosen = flat[:count] if count <= places else generator.integers(0, places, count)
    found = np.stack(np.unravel_index(chosen, sizes), axis=-1).reshape(x.shape)
    return np.where(generator.random(x.shape) < 0.5, found, found - np.array(sizes))


def _classes(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return classes: places along axis 1 of input 0."""
    return generator.integers(0, _size(kind, 0, 1), x.shape)


def _lengths(time_axis: int) -> _Draw:
    """Return a draw of lengths of sequences along an axis of input 0."""

    def draw(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
        return generator.integers(1, _size(kind, 0, time_axis) + 1, x.shape)

    return draw


def _reversed_lengths(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    return _lengths(int(str(_attribute(kind, "time_axis", 0))))(generator, kind, x)


def _unpooled(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return different places in a tensor that has at least as many elements as ``x``."""
    return generator.permutation(x.elements).reshape(x.shape)


def _written_at(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return where an update (input 1) begins, so that it ends inside of input 0."""
    axis = int(str(_attribute(kind, "axis", -2)))
    return generator.integers(0, _size(kind, 0, axis) - _size(kind, 1, axis) + 1, x.shape)


def _boxes(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return boxes ``[left, top, right, bottom]`` inside of an image."""
    sizes = kind.inputs[kind.node.input[0]].shape
    corners = np.sort(generator.uniform(0, 1, (*x.shape[:-1], 2, 2)), axis=-2)
    return (corners * np.array([sizes[3] - 1, sizes[2] - 1])).reshape(x.shape)


def _batch(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return places along axis 0 of input 0."""
    return generator.integers(0, _size(kind, 0, 0), x.shape)


def _positions(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return places along axis 0 of input 1."""
    return generator.integers(0, _size(kind, 1, 0), x.shape)


def _hot(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return places of both signs in a row of the length that input 1 says."""
    depth = kind.inputs[kind.node.input[1]].array
    length = 9 if depth is None else max(int(depth.flat[0]), 1)
    return generator.integers(-length if x.dtype.kind != "u" else 0, length, x.shape)


def _seen(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return 0 and 1 for tokens, of several rows the last one 0 alone; or where sequences end, and
    behind that where they begin: a key between is seen, and one on each side of these is not.
    """
    if len(x.shape) > 1:
        tokens = generator.integers(0, 2, x.shape)
        rows = tokens.reshape(-1, x.shape[-1]) if tokens.size else tokens
        rows[1:][-1:] = 0
        return tokens
    keys, batch = _keys(kind), min(_size(kind, 0, 0), *x.shape)
    least = min(2, keys)
    ends = generator.integers(least, max(keys, least + 1), batch)
    begins = generator.integers(ends > 1, np.maximum(ends, 1))
    return np.resize(np.concatenate([ends, begins]), x.shape)


def _keys(kind: NodeKind) -> int:
    """Return how many keys attention has, but for those of the past."""
    given = kind.node.input
    number = 1 if kind.node.op_type == "MultiHeadAttention" and given[1] else 0
    return _size(kind, number, 2 if len(kind.inputs[given[number]].shape) == 4 else 1)


def _rotary_places(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return places in the caches (input 2); where there is one, it is that of the first token."""
    sizes = kind.inputs[kind.node.input[0]].shape
    more = sizes[-2] if len(x.shape) == 1 else 1
    return generator.integers(0, max(_size(kind, 2, 0) - more + 1, 1), x.shape)


def _last_places(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
    """Return the places of the last keys: behind all queries (input 0), within input 6."""
    total = kind.inputs[kind.node.input[6]].array
    queries = _size(kind, 0, 1)
    most = queries if total is None else int(np.max(total))
    return generator.integers(queries - 1, max(most, queries), x.shape)


def _rows(table: int) -> _Draw:
    """Return a draw of places along axis 0 of an input."""

    def draw(generator: np.random.Generator, kind: NodeKind, x: Input) -> Array:
        return generator.integers(0, _size(kind, table, 0), x.shape)

    return draw


_SPECIAL: Mapping[tuple[str, int], _Draw] = {
    **dict.fromkeys([("Log", 0), ("Sqrt", 0), ("BatchNormalization", 4)], _positive),
    **dict.fromkeys([("Asin", 0), ("Acos", 0), ("Atanh", 0), ("Dropout", 1)], _unit),
    **dict.fromkeys([("Div", 1), ("Mod", 1), ("Reciprocal", 0)], _divisor),
    **dict.fromkeys([("QuantizeLinear", 1), ("DequantizeLinear", 1)], _positive),
    **dict.fromkeys([("QLinearConv", i) for i in (1, 4, 6)], _positive),
    **dict.fromkeys([("QLinearMatMul", i) for i in (1, 4, 6)], _positive),
    ("Pow", 1): _exponent,
    ("BitShift", 1): _amount,
    **dict.fromkeys([("Cast", 0)], _castable),
    **dict.fromkeys([("Gather", 1), ("GatherElements", 1)], _indices(0)),
    **dict.fromkeys([("ScatterElements", 1), ("Scatter", 1)], _scatter_indices),
    **dict.fromkeys([("GatherND", 1), ("ScatterND", 1)], _tuples),
    **dict.fromkeys([("NegativeLogLikelihoodLoss", 1), ("SoftmaxCrossEntropyLoss", 1)], _classes),
    **dict.fromkeys([(op, 4) for op in ("RNN", "GRU", "LSTM")], _lengths(0)),
    ("ReverseSequence", 1): _reversed_lengths,
    ("LpNormalization", 0): _positive,  # the reference takes no absolute value
    ("MaxUnpool", 1): _unpooled,
    ("TensorScatter", 2): _written_at,
    ("RoiAlign", 1): _boxes,
    ("RoiAlign", 2): _batch,
    ("RotaryEmbedding", 3): _positions,
    ("OneHot", 0): _hot,
    ("com.microsoft.Attention", 3): _seen,
    ("com.microsoft.MultiHeadAttention", 4): _seen,
    ("com.microsoft.RotaryEmbedding", 1): _rotary_places,
    ("com.microsoft.GroupQueryAttention", 5): _last_places,
    ("com.microsoft.GroupQueryAttention", 9): _rows(7),
    ("com.microsoft.EmbedLayerNormalization", 0): _rows(2),
    ("com.microsoft.EmbedLayerNormalization", 1): _rows(4),
    ("com.microsoft.EmbedLayerNormalization", 7): _seen,
    ("com.microsoft.EmbedLayerNormalization", 8): _rows(3),
}
"""What single inputs take, by operator and number."""
