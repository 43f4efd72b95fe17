"""Operators of ONNX Runtime (``com.microsoft``) in numpy, written from their descriptions.

The ONNX reference implementation has none of them. With these their nodes are checked like all
others. ``test/numerics/test_contrib_operators.py`` holds them to ONNX Runtime.
"""

from collections.abc import Callable, Sequence
from math import erf, sqrt
from typing import Any

import numpy as np
from onnx.reference.op_run import OpRun

from dlc.dialects.graph.structure import Array

_Results = Array | tuple[Array | None, ...]


def _split(x: Array, heads: int) -> Array:
    batch, length, size = x.shape
    return x.reshape(batch, length, heads, size // heads).transpose(0, 2, 1, 3)


def _joined(x: Array) -> Array:
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def _softmax(x: Array) -> Array:
    weights = np.exp(x - x.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def _masked(
    mask: Array | None, low: float, causal: int, batch: int, queries: int, keys: int
) -> Array:
    """Return what is added to scores, ``[b, 1, s, t]``."""
    added = np.zeros((batch, 1, queries, keys))
    if mask is not None and mask.ndim > 1:
        rows = mask.reshape(batch, 1, -1, keys)
        added += np.where(rows > 0, 0, low)
    elif mask is not None:
        for b in range(batch):
            added[b, ..., mask[b] :] = low
            if len(mask) > batch:
                added[b, ..., : mask[batch + b]] = low
    if causal:
        added[..., ~np.tri(queries, keys, keys - queries, dtype=np.bool_)] = -np.inf
    return added


def _attend(q: Array, k: Array, v: Array, scale: float, added: Array) -> Array:
    scores = q @ np.swapaxes(k, -1, -2) * (scale or 1 / sqrt(q.shape[-1])) + added
    return _joined(_softmax(scores) @ v)


def attention(
    x: Array,
    weights: Array,
    bias: Array | None = None,
    mask: Array | None = None,
    past: Array | None = None,
    added: Array | None = None,
    **attributes: Any,
) -> _Results:
    """Return the output, and keys and values with the past ones before them."""
    wide, heads = x @ weights + (0 if bias is None else bias), attributes["num_heads"]
    sizes = attributes.get("qkv_hidden_sizes") or [wide.shape[-1] // 3] * 3
    q, k, v = (_split(part, heads) for part in np.split(wide, np.cumsum(sizes)[:2], axis=-1))
    if past is not None:
        k, v = (np.concatenate((p, n), 2) for p, n in zip(past, (k, v), strict=True))
    old = 0 if past is None else past.shape[3]
    y = _of_attributes(q, k, v, mask, added, attributes, old)
    return y, np.stack((k, v)) if k.shape == v.shape else None


def _of_attributes(
    q: Array,
    k: Array,
    v: Array,
    mask: Array | None,
    added: Array | None,
    given: dict[str, Any],
    past: int = 0,
) -> Array:
    """Raises LookupError where the description does not say which keys come later."""
    low, causal = given.get("mask_filter_value", -10000.0), given.get("unidirectional", 0)
    if causal and k.shape[2] - past != q.shape[2]:
        raise LookupError(f"{k.shape[2] - past} new keys for {q.shape[2]} queries have no order")
    bias = _masked(mask, low, causal, q.shape[0], q.shape[2], k.shape[2])
    return _attend(q, k, v, given.get("scale", 0.0), bias if added is None else bias + added)


def multi_head_attention(
    query: Array,
    key: Array | None = None,
    value: Array | None = None,
    bias: Array | None = None,
    mask: Array | None = None,
    added: Array | None = None,
    past_key: Array | None = None,
    past_value: Array | None = None,
    **attributes: Any,
) -> _Results:
    """Return the output, keys and values."""
    heads = attributes["num_heads"]
    parts: list[Array] = []
    for x in (query, key, value):
        packed = x is not None and x.ndim == len("bshpd")
        if x is not None:
            parts += (
                [x[:, :, :, i].reshape(*x.shape[:2], -1) for i in range(x.shape[3])]
                if packed
                else [x]
            )
    if bias is not None:
        flat = [x.ndim == len("bsd") for x in parts]
        sizes = [x.shape[-1] * (1 if one else heads) for x, one in zip(parts, flat, strict=True)]
        biases = np.split(bias, np.cumsum(sizes)[:2])
        parts = [x + b if one else x for x, b, one in zip(parts, biases, flat, strict=True)]
    q, k, v = (_split(x, heads) if x.ndim == len("bsd") else x for x in parts)
    past = 0
    if past_key is not None and past_value is not None:
        past = past_key.shape[2]
        k, v = np.concatenate((past_key, k), 2), np.concatenate((past_value, v), 2)
    return _of_attributes(q, k, v, mask, added, attributes, past), k, v


def _turned(x: Array, cosines: Array, sines: Array, interleaved: int) -> Array:
    """Return ``x[h, s, d]`` turned by the angles of each place, ``[s, r]``."""
    half = cosines.shape[-1]
    y = x.copy()
    first = slice(0, 2 * half, 2) if interleaved else slice(0, half)
    second = slice(1, 2 * half, 2) if interleaved else slice(half, 2 * half)
    a, b = x[..., first], x[..., second]
    y[..., first], y[..., second] = a * cosines - b * sines, a * sines + b * cosines
    return y


def rotary_embedding(
    x: Array, places: Array, cosines: Array, sines: Array, **attributes: Any
) -> _Results:
    """Return ``x[b, s, h * d]`` or ``[b, h, s, d]`` with pairs turned by the angles of places."""
    flat, interleaved = x.ndim == len("bsd"), attributes.get("interleaved", 0)
    heads = attributes.get("num_heads", 0) or x.shape[-1] // (2 * cosines.shape[-1])
    apart = _split(x, heads) if flat else x
    length = apart.shape[2]
    rows = places if places.ndim > 1 else places + np.arange(length)[None]
    rows = np.broadcast_to(rows, (len(apart), length))
    pairs = zip(apart, rows, strict=True)
    y = np.stack([_turned(own, cosines[at], sines[at], interleaved) for own, at in pairs])
    return _joined(y) if flat else y


def group_query_attention(
    query: Array,
    key: Array | None,
    value: Array | None,
    past_key: Array | None,
    past_value: Array | None,
    lengths: Array,
    total: Array,
    cosines: Array | None = None,
    sines: Array | None = None,
    places: Array | None = None,
    added: Array | None = None,
    **attributes: Any,
) -> _Results:
    """Return the output, keys and values; each sequence alone."""
    heads, own = attributes["num_heads"], attributes["kv_num_heads"]
    if key is None or value is None:
        unit = query.shape[-1] // (heads + 2 * own)
        query, key, value = np.split(query, [heads * unit, (heads + own) * unit], axis=-1)
    q, k, v = (_split(x, n) for x, n in ((query, heads), (key, own), (value, own)))
    count, whole = q.shape[2], int(np.max(total))
    size = max(whole, 0 if past_key is None else past_key.shape[2])
    keys, values = (np.zeros((*x.shape[:2], size, x.shape[3])) for x in (k, v))
    window, results = attributes.get("local_window_size", -1), list[Array]()
    for b, length in enumerate(np.ravel(lengths)):
        before = 0 if count == whole else int(length) + 1 - count
        at = np.arange(before, before + count)
        one_q, one_k = q[b], k[b]
        if attributes.get("do_rotary", 0) and cosines is not None and sines is not None:
            row = at if places is None else places[b]
            turn = attributes.get("rotary_interleaved", 0)
            one_q, one_k = (_turned(x, cosines[row], sines[row], turn) for x in (one_q, one_k))
        for present, past, new in ((keys, past_key, one_k), (values, past_value, v[b])):
            if past is not None:
                present[b, :, :before] = past[b, :, :before]
            present[b, :, before : before + count] = new
        unseen = np.arange(size) > at[:, None]
        if window >= 0:
            unseen |= np.arange(size) <= at[:, None] - window
        scores = one_q @ np.repeat(keys[b], heads // own, 0).swapaxes(-1, -2)
        scores = scores * (attributes.get("scale", 0.0) or 1 / sqrt(q.shape[-1]))
        if cap := attributes.get("softcap", 0.0):
            scores = np.tanh(scores / cap) * cap
        scores = scores + np.where(unseen, -np.inf, 0)
        if added is not None:
            scores = scores + added[min(b, len(added) - 1)]
        results.append(_softmax(scores) @ np.repeat(values[b], heads // own, 0))
    return _joined(np.stack(results)), keys, values


def _normal(x: Array, epsilon: float) -> tuple[Array, Array, Array]:
    mean = x.mean(-1, keepdims=True)
    inverse = 1 / np.sqrt(x.var(-1, keepdims=True) + epsilon)
    return (x - mean) * inverse, mean, inverse


def skip_layer_normalization(
    x: Array,
    skip: Array,
    scale: Array,
    shift: Array | None = None,
    bias: Array | None = None,
    **attributes: Any,
) -> _Results:
    """Return the norm of the sum, its mean, its inverse deviation, and the sum."""
    sum = x + skip + (0 if bias is None else bias)
    y, mean, inverse = _normal(sum, attributes.get("epsilon", 1e-12))
    return y * scale + (0 if shift is None else shift), mean, inverse, sum


def skip_simplified_layer_normalization(
    x: Array, skip: Array, scale: Array, bias: Array | None = None, **attributes: Any
) -> _Results:
    """Return the sum over its root mean square, and as the fourth result the sum."""
    sum = x + skip + (0 if bias is None else bias)
    square = (sum * sum).mean(-1, keepdims=True)
    return sum / np.sqrt(square + attributes.get("epsilon", 1e-12)) * scale, None, None, sum


def embed_layer_normalization(
    ids: Array,
    kinds: Array | None,
    words: Array,
    positions: Array,
    segments: Array | None,
    scale: Array,
    shift: Array,
    mask: Array | None = None,
    places: Array | None = None,
    **attributes: Any,
) -> _Results:
    """Return the norm of the sum of embeddings, how many tokens a mask has, and the sum."""
    rows = np.arange(ids.shape[1])[None] if places is None else places
    sum = words[ids] + positions[rows]
    if kinds is not None and segments is not None:
        sum = sum + segments[kinds]
    count = np.zeros(len(ids)) if mask is None else (mask == 1).sum(1)
    y, _, _ = _normal(sum, attributes.get("epsilon", 1e-12))
    return y * scale + shift, count.astype(np.int32), sum


def _with_bias(x: Array, bias: Array | None) -> Array:
    return x if bias is None else x + bias


def gelu(x: Array, bias: Array | None = None) -> _Results:
    """Return GELU of the sum."""
    z = _with_bias(x, bias)
    return z * (1 + np.vectorize(erf, otypes=[np.float64])(z / sqrt(2))) / 2


def fast_gelu(x: Array, bias: Array | None = None) -> _Results:
    """Return GELU of the sum, by a hyperbolic tangent."""
    z = _with_bias(x, bias)
    return z * (1 + np.tanh(sqrt(2 / np.pi) * (z + 0.044715 * z**3))) / 2


def quick_gelu(x: Array, alpha: float = 1.702) -> _Results:
    """Return ``x`` by a logistic function."""
    return x / (1 + np.exp(-alpha * x))


def _operator(name: str, function: Callable[..., _Results]) -> type[OpRun]:
    """Return the class that the reference implementation takes for an operator; results have the
    float type of the operands.
    """

    def run(self: OpRun, *operands: Array | None, **attributes: Any) -> tuple[Array, ...]:
        floats = [x.dtype for x in operands if x is not None and x.dtype.kind not in "iub"]
        wide = [x if x is None or x.dtype not in floats else x.astype(np.float64) for x in operands]
        found = function(*wide, **attributes)
        each = found if isinstance(found, tuple) else (found,)
        results: list[Array] = []
        for output, x in zip(self.onnx_node.output, each, strict=False):
            if output and x is None:
                raise LookupError(f"output {output} of {name} has no value here")
            results.append(np.empty(0) if x is None or not output else x)  # it takes no None
        return tuple(x if x.dtype.kind in "iu" else x.astype(floats[0]) for x in results)

    # Without a schema of its own the class would be given that of ONNX's operator of its name.
    return type(name, (OpRun,), {"op_domain": "com.microsoft", "op_schema": None, "_run": run})


CONTRIB: Sequence[type[OpRun]] = tuple(
    _operator(name, function)
    for name, function in {
        "Attention": attention,
        "BiasGelu": gelu,
        "EmbedLayerNormalization": embed_layer_normalization,
        "FastGelu": fast_gelu,
        "Gelu": gelu,
        "GroupQueryAttention": group_query_attention,
        "MultiHeadAttention": multi_head_attention,
        "QuickGelu": quick_gelu,
        "RotaryEmbedding": rotary_embedding,
        "SkipLayerNormalization": skip_layer_normalization,
        "SkipSimplifiedLayerNormalization": skip_simplified_layer_normalization,
    }.items()
)
