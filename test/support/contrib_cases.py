"""Nodes of ONNX Runtime's own operators: every form of their inputs that is taken."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from attention_models import Array, Given, node_model

B, S, H, D, P = 2, 5, 3, 16, 4
E, T = H * D, P + S
HEADS, FEW = 4, 2

_draws = np.random.default_rng(3)


def _f(*sizes: int) -> Array:
    return _draws.standard_normal(sizes).astype(np.float32)


def _i(*values: int) -> Array:
    return np.array(values, np.int32)


def _marks(*sizes: int) -> Array:
    """Return 0 and 1, the first of each row 1: a row that sees nothing differs by rounding."""
    marks = (_draws.random(sizes) > 0.3).astype(np.int32)
    marks[..., 0] = 1
    return marks


def _places(most: int, *sizes: int) -> Array:
    return _draws.integers(0, most, sizes)


@dataclass(frozen=True)
class Case:
    """A node. constants: inputs that the file holds. rows: how many rows of each sequence of the
    first output mean something; all by default. runs: whether ONNX Runtime's CPU has this form.
    """

    op_type: str
    inputs: Given
    outputs: Sequence[str] = ("y",)
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])
    constants: Sequence[str] = ()
    rows: Sequence[int] = ()
    runs: bool = True

    def model(self) -> onnx.ModelProto:
        """Return a model of the node."""
        return node_model(
            self.op_type,
            self.inputs,
            self.outputs,
            domain="com.microsoft",
            constants=self.constants,
            **self.attributes,
        )

    def feeds(self) -> dict[str, Array]:
        """Return the inputs of the model."""
        given = self.inputs.items()
        return {n: x for n, x in given if x is not None and n not in self.constants}


def _attention(present: bool = False, **more: Any) -> Case:
    names = ("mask", "past", "added")
    inputs = {"x": _f(B, S, E), "weights": _f(E, 3 * E), "bias": _f(3 * E)}
    inputs |= {n: more.pop(n, None) for n in names}
    return Case("Attention", inputs, ["y", "present"][: 1 + present], {"num_heads": H, **more})


def _multi_head(present: bool = False, **more: Any) -> Case:
    runs = bool(more.pop("runs", True))
    names = ("key", "value", "bias", "mask", "added", "past_key", "past_value")
    inputs = {"query": more.pop("query", _f(B, S, E)), **{n: more.pop(n, None) for n in names}}
    outputs = ["y", "keys", "values"] if present else ["y"]
    return Case("MultiHeadAttention", inputs, outputs, {"num_heads": H, **more}, runs=runs)


def _grouped(
    queries: int, past: int, last: Sequence[int], total: int, *words: str, **more: Any
) -> Case:
    """Return a case. last: the place of the last key of each sequence."""
    count, packed, rotary = len(last), "packed" in words, "rotary" in words
    own = _f(count, queries, FEW * D)
    inputs: dict[str, Array | None] = {
        "query": _f(count, queries, (HEADS + (2 * FEW if packed else 0)) * D),
        "key": None if packed else own,
        "value": None if packed else own[::-1].copy(),
        "past_key": _f(count, FEW, past, D) if past else None,
        "past_value": _f(count, FEW, past, D) if past else None,
        "last": _i(*last),
        "total": np.array(total, np.int32),
        "cosines": _f(32, D // 2) if rotary else None,
        "sines": _f(32, D // 2) if rotary else None,
        "places": more.pop("places", None),
        "added": _f(1, HEADS, queries, max(past, total)) if "added" in words else None,
    }
    rows = more.pop("rows", ())
    attributes = {"num_heads": HEADS, "kv_num_heads": FEW, "do_rotary": int(rotary), **more}
    outputs = ["y", "keys", "values"]
    return Case("GroupQueryAttention", inputs, outputs, attributes, ["total"], rows)


_KEYS: dict[str, Any] = {"key": _f(B, 7, E), "value": _f(B, 7, E)}
_NEW: dict[str, Any] = {"key": _f(B, S, E), "value": _f(B, S, E), "bias": _f(3 * E)}
_PAST: dict[str, Any] = {"past_key": _f(B, H, P, D), "past_value": _f(B, H, P, D)}
_APART: dict[str, Any] = {"key": _f(B, H, 7, D), "value": _f(B, H, 7, D)}
_SUM: dict[str, Array | None] = {"x": _f(B, S, E), "skip": _f(B, S, E), "scale": _f(E)}
_EMBED: dict[str, Array | None] = {
    "ids": _places(11, B, S).astype(np.int32),
    "kinds": _places(2, B, S).astype(np.int32),
    "words": _f(11, E),
    "positions": _f(9, E),
    "segments": _f(2, E),
    "scale": _f(E),
    "shift": _f(E),
}
_PLAIN_EMBED = {**_EMBED, "kinds": None, "segments": None, "mask": None}


def _rotary(x: Array, places: Array, columns: int = D // 2, **attributes: int) -> Case:
    tables = {"cosines": _f(32, columns), "sines": _f(32, columns)}
    return Case("RotaryEmbedding", {"x": x, "places": places, **tables}, attributes=attributes)


CASES: dict[str, Case] = {
    "attention": _attention(),
    "attention causal": _attention(unidirectional=1),
    "attention present": _attention(True, unidirectional=1),
    "attention tokens": _attention(mask=_marks(B, S)),
    "attention causal tokens": _attention(mask=_marks(B, S), unidirectional=1),
    "attention pairs": _attention(mask=_marks(B, S, S)),
    "attention ends": _attention(mask=_i(3, 5)),
    "attention ends and begins": _attention(mask=_i(4, 5, 1, 2)),
    "attention past": _attention(True, past=_f(2, B, H, P, D)),
    "attention causal past": _attention(
        True, mask=_marks(B, T), past=_f(2, B, H, P, D), unidirectional=1
    ),
    "attention added": _attention(added=_f(1, H, S, S)),
    "attention low": _attention(
        mask=_i(0, 4), added=_f(B, 1, S, S), mask_filter_value=-9.0, scale=0.3
    ),
    "attention sizes": Case(
        "Attention",
        {"x": _f(B, S, E), "weights": _f(E, 2 * E + 12), "bias": _f(2 * E + 12)},
        attributes={"num_heads": H, "qkv_hidden_sizes": [E, E, 12]},
    ),
    "heads": _multi_head(**_KEYS),
    "heads of other values": _multi_head(key=_KEYS["key"], value=_f(B, 7, 12)),
    "heads with bias": _multi_head(True, **_NEW),
    "heads tokens": _multi_head(**_KEYS, bias=_f(3 * E), mask=_marks(B, 7)),
    "heads ends": _multi_head(**_KEYS, mask=_i(3, 7)),
    "heads pairs": _multi_head(**_KEYS, mask=_marks(B, S, 7)),
    "heads added": _multi_head(**_KEYS, added=_f(1, H, S, 7)),
    "heads low": _multi_head(
        **_KEYS, mask=_marks(B, 7), added=_f(B, 1, S, 7), scale=0.2, mask_filter_value=-50.0
    ),
    "heads past": _multi_head(True, **_NEW, **_PAST),
    "heads causal past": _multi_head(True, **_NEW, **_PAST, unidirectional=1),
    "heads causal": _multi_head(key=_f(B, S, E), value=_f(B, S, E), unidirectional=1),
    "heads apart": _multi_head(**_APART),
    "heads apart with bias": _multi_head(**_APART, bias=_f(3 * E)),
    "heads packed": _multi_head(query=_f(B, S, H, 3, D), bias=_f(3 * E), runs=False),
    "heads of packed keys": _multi_head(key=_f(B, 7, H, 2, D), runs=False),
    "groups": _grouped(5, 0, (4, 4), 5),
    "groups ragged": _grouped(5, 0, (2, 4), 5, rows=(3, 5)),
    "groups packed rotary": _grouped(5, 0, (4, 4), 5, "packed", "rotary"),
    "groups in a buffer": _grouped(5, 9, (4, 4), 5),
    "groups step": _grouped(1, 6, (6, 6), 7),
    "groups ragged step": _grouped(1, 6, (3, 6), 7, "rotary"),
    "groups step in a buffer": _grouped(1, 9, (6, 3), 7, "rotary", "packed"),
    "groups several": _grouped(3, 4, (6,), 7, "rotary"),
    "groups several in a buffer": _grouped(3, 12, (8,), 9, "rotary", rotary_interleaved=1),
    "groups window": _grouped(6, 0, (5, 5), 6, local_window_size=2),
    "groups window step": _grouped(1, 8, (8, 5), 9, local_window_size=3),
    "groups softcap": _grouped(5, 0, (4, 4), 5, softcap=1.5, scale=0.7),
    "groups added": _grouped(5, 0, (4, 4), 5, "added"),
    # Of the places of several tokens ONNX Runtime's CPU reads the first one.
    "groups places": _grouped(
        5, 0, (4, 4), 5, "rotary", places=np.arange(10).reshape(2, 5) % 5 + 3
    ),
    **{
        f"rotary {name} {word}": _rotary(x, places, interleaved=word, **more)
        for word in (0, 1)
        for name, x, places, more in (
            ("joined", _f(B, S, E), _places(32, B, S), {}),
            ("apart", _f(B, H, S, D), np.array([3]), {}),
            (
                "part",
                _f(B, S, E),
                np.array([3]),
                {"columns": 4, "num_heads": H, "rotary_embedding_dim": 8},
            ),
        )
    },
    "skip": Case("SkipLayerNormalization", {**_SUM, "shift": _f(E)}, attributes={"epsilon": 1e-5}),
    "skip all": Case(
        "SkipLayerNormalization",
        {**_SUM, "shift": _f(E), "bias": _f(E)},
        ["y", "", "", "sum"],
        {"epsilon": 1e-5},
    ),
    "skip of all": Case("SkipLayerNormalization", {**_SUM, "skip": _f(S, E)}),
    "skip root": Case(
        "SkipSimplifiedLayerNormalization",
        {**_SUM, "bias": _f(E)},
        ["y", "", "", "sum"],
        {"epsilon": 1e-5},
    ),
    "embed": Case(
        "EmbedLayerNormalization",
        {**_EMBED, "mask": _marks(B, S)},
        ["y", "count"],
        {"epsilon": 1e-5},
    ),
    "embed places": Case(
        "EmbedLayerNormalization",
        {**_PLAIN_EMBED, "places": _places(9, B, S).astype(np.int32)},
        ["y", "count", "sum"],
        {"epsilon": 1e-5},
    ),
    "fast gelu": Case("FastGelu", {"x": _f(B, S, E)}),
    "fast gelu of a sum": Case("FastGelu", {"x": _f(B, S, E), "bias": _f(E)}),
    "gelu": Case("Gelu", {"x": _f(B, S, E)}),
    "gelu of a sum": Case("BiasGelu", {"x": _f(B, S, E), "bias": _f(E)}),
    "quick gelu": Case("QuickGelu", {"x": _f(B, S, E)}, attributes={"alpha": 1.3}),
}
