"""Attention as PyTorch's exporters write it is one kernel, and means what PyTorch computes."""

import io
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from attention_models import imported, strategies

from dlc.oracle import run_reference

torch: Any = pytest.importorskip("torch", reason="needs torch: pip install -e '.[torch]'")
pytest.importorskip("onnxscript", reason="needs onnxscript: pip install -e '.[torch]'")
nn, F = torch.nn, torch.nn.functional

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of torch itself
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning"),
]

B, S, H, D, FEW = 4, 128, 4, 64, 2
E = H * D
Weigh = Callable[..., Any]
"""What a model makes of scores and its other inputs."""


def _heads(x: Any, count: int = H) -> Any:
    return x.view(*x.shape[:2], count, D).transpose(1, 2)


def _causal(x: Any) -> Any:
    return torch.tril(torch.ones(x.shape[-2:], dtype=torch.bool))


def _window(x: Any) -> Any:
    """Return which keys are among the 32 up to the query's own."""
    queries, keys = (torch.arange(n) for n in x.shape[-2:])
    return _causal(x) & (queries[:, None] - keys < 32)


def _lowest(x: Any) -> Any:
    return torch.tensor(torch.finfo(x.dtype).min)


class _Eager(nn.Module):
    """Attention in single steps, of parts of one product (``together``) or of three."""

    def __init__(self, weigh: Weigh, together: bool):
        super().__init__()
        self.weigh = weigh
        sizes = [3 * E] if together else [E] * 3
        self.products = nn.ModuleList([nn.Linear(E, size) for size in sizes])
        self.last = nn.Linear(E, E)

    def forward(self, x: Any, *more: Any) -> Any:
        """Return the projected result."""
        parts = [part for each in self.products for part in each(x).split(E, 2)]
        q, k, v = map(_heads, parts)
        scores = q @ k.transpose(-1, -2) / math.sqrt(D)
        weights = F.softmax(self.weigh(scores, *more), -1)
        return self.last((weights @ v).transpose(1, 2).reshape(x.shape))


class _Fused(nn.Module):
    """PyTorch's own function; ``few``: fewer heads of keys."""

    def __init__(self, few: bool = False, **options: Any):
        super().__init__()
        self.options = options
        self.count = FEW if few else H

    def forward(self, q: Any, k: Any, v: Any, *mask: Any) -> Any:
        """Return its result."""
        k, v = (x[:, : self.count] for x in (k, v))
        given = {"attn_mask": mask[0]} if mask else {}
        return F.scaled_dot_product_attention(q, k, v, **given, **self.options)


class _Image(nn.Module):
    """ViT: an axis of three, the scale on the queries."""

    def __init__(self) -> None:
        super().__init__()
        self.product = nn.Linear(E, 3 * E)

    def forward(self, x: Any) -> Any:
        """Return the joined heads."""
        parts = self.product(x).reshape(*x.shape[:2], 3, H, D).permute(2, 0, 3, 1, 4)
        q, k, v = parts.unbind(0)
        weights = (q * D**-0.5 @ k.transpose(-2, -1)).softmax(-1)
        return (weights @ v).transpose(1, 2).reshape(x.shape)


class _Expanded(nn.Module):
    """Heads of keys that are expanded, or repeated beside each other."""

    def __init__(self, again: Callable[[Any], Any]):
        super().__init__()
        self.again = again

    def forward(self, q: Any, k: Any, v: Any) -> Any:
        """Return the heads apart."""
        k, v = (self.again(x[:, :FEW]) for x in (k, v))
        return F.softmax(q @ k.transpose(-1, -2) / math.sqrt(D), -1) @ v


class _Einsum(nn.Module):
    """Heads stay where projections have them."""

    def forward(self, q: Any, k: Any, v: Any) -> Any:
        """Return the heads beside each other."""
        weights = torch.softmax(torch.einsum("bshd,bthd->bhst", q, k) * D**-0.5, -1)
        return torch.einsum("bhst,bthd->bshd", weights, v)


class _Pairs(nn.Module):
    """Rotary places of neighbouring elements: RoFormer, GPT-J."""

    def forward(self, q: Any, k: Any, v: Any) -> Any:
        """Return the heads apart."""
        angles = torch.arange(S)[:, None] * 1e4 ** (-torch.arange(0, D, 2) / D)
        q, k = (_turned_pairs(x, angles.cos(), angles.sin()) for x in (q, k))
        return F.softmax(q @ k.transpose(-1, -2) / math.sqrt(D), -1) @ v


def _turned_pairs(x: Any, cosines: Any, sines: Any) -> Any:
    a, b = x[..., ::2], x[..., 1::2]
    pairs = torch.stack((a * cosines - b * sines, a * sines + b * cosines), -1)
    return pairs.flatten(-2)


def _expanded(x: Any) -> Any:
    return x[:, :, None].expand(B, FEW, H // FEW, S, D).reshape(B, H, S, D)


def _turned(x: Any, cosines: Any, sines: Any) -> Any:
    a, b = x.chunk(2, -1)
    return x * cosines + torch.cat((-b, a), -1) * sines


class _Rotary(nn.Module):
    """A layer of LLaMA: root mean square norm, rotary places, shared heads, past keys."""

    def __init__(self) -> None:
        super().__init__()
        sizes = (E, FEW * D, FEW * D)
        self.products = nn.ModuleList([nn.Linear(E, size, bias=False) for size in sizes])
        self.scale = nn.Parameter(torch.rand(E) + 0.5)
        self.register_buffer("steps", 1e4 ** (-torch.arange(0, D, 2) / D))

    def forward(self, x: Any, *past: Any) -> Any:
        """Return the result with what entered."""
        h = self.scale * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        q, k, v = (_heads(each(h), each.out_features // D) for each in self.products)
        first = past[0].shape[2] if past else 0
        angles = torch.arange(first, first + x.shape[1])[:, None] * self.steps
        table = torch.cat((angles, angles), -1)
        q, k = (_turned(each, table.cos(), table.sin()) for each in (q, k))
        if past:
            k, v = (torch.cat(pair, 2) for pair in zip(past, (k, v), strict=True))
        k, v = (each.repeat_interleave(H // FEW, 1) for each in (k, v))
        scores = q @ k.transpose(2, 3) / math.sqrt(D)
        hidden = torch.full(scores.shape[-2:], torch.finfo(x.dtype).min)
        weights = F.softmax(scores + torch.triu(hidden, 1 + first), -1, dtype=torch.float32)
        return x + (weights.to(x.dtype) @ v).transpose(1, 2).reshape(x.shape)


class _Layer(nn.Module):
    """PyTorch's own module."""

    def __init__(self) -> None:
        super().__init__()
        self.own = nn.MultiheadAttention(E, H, batch_first=True)

    def forward(self, x: Any, padding: Any) -> Any:
        """Return its result, without weights."""
        return self.own(x, x, x, key_padding_mask=padding, need_weights=False)[0]


class _Masked(nn.Module):
    """The same with a mask of scores."""

    def __init__(self) -> None:
        super().__init__()
        self.own = nn.MultiheadAttention(E, H, batch_first=True)

    def forward(self, x: Any, mask: Any) -> Any:
        """Return its result, without weights."""
        return self.own(x, x, x, attn_mask=mask, need_weights=False)[0]


class _Encoder(nn.Module):
    """PyTorch's own layer, with its feed-forward part."""

    def __init__(self) -> None:
        super().__init__()
        self.own = nn.TransformerEncoderLayer(E, H, 2 * E, batch_first=True, norm_first=True)

    def forward(self, x: Any) -> Any:
        """Return its result."""
        return self.own(x)


Made = tuple[Any, Sequence[Any]]


def _x(*sizes: int) -> Any:
    return torch.randn(sizes or (B, S, E))


def _qkv() -> list[Any]:
    return [_x(B, H, S, D) for _ in range(3)]


def _tokens() -> Any:
    return torch.arange(S)[None] < torch.tensor([[S], [S // 2], [7], [S - 1]])


FORMS: dict[str, Callable[[], Made]] = {
    "function": lambda: (_Fused(), _qkv()),
    "function causal": lambda: (_Fused(is_causal=True), _qkv()),
    "function with numbers": lambda: (_Fused(), [*_qkv(), _x(B, 1, S, S)]),
    "function with booleans": lambda: (_Fused(), [*_qkv(), _x(B, 1, S, S) > -1]),
    "function of shared heads": lambda: (_Fused(True, enable_gqa=True, is_causal=True), _qkv()),
    "function with a scale": lambda: (_Fused(scale=0.3), _qkv()),
    "function of other lengths": lambda: (
        _Fused(),
        [_x(B, H, 197, D), _x(B, H, 77, D), _x(B, H, 77, D)],
    ),
    "GPT-2 where": lambda: (
        _Eager(lambda s: torch.where(_causal(s), s, _lowest(s)), True),
        [_x()],
    ),
    "GPT-2 factor": lambda: (
        _Eager(lambda s: s * _causal(s).float() - 1e4 * (1 - _causal(s).float()), True),
        [_x()],
    ),
    "GPT-2 fill": lambda: (
        _Eager(lambda s: s.masked_fill(~_causal(s), float("-inf")), True),
        [_x()],
    ),
    "BERT": lambda: (_Eager(lambda s: s, False), [_x()]),
    "BERT mask": lambda: (
        _Eager(lambda s, m: s + (1 - m[:, None, None].float()) * _lowest(s), False),
        [_x(), _tokens().long()],
    ),
    "DistilBERT": lambda: (
        _Eager(lambda s, m: s.masked_fill((m == 0)[:, None, None], _lowest(s)), False),
        [_x(), _tokens().long()],
    ),
    "T5": lambda: (_Eager(lambda s, bias: s * 8 + bias, False), [_x(), _x(1, H, S, S)]),
    "ViT": lambda: (_Image(), [_x()]),
    "Mistral": lambda: (
        _Eager(lambda s: s.masked_fill(~_window(s), _lowest(s)), False),
        [_x()],
    ),
    "Gemma 2": lambda: (
        _Eager(
            lambda s: (torch.tanh(s / 50) * 50).masked_fill(~_causal(s), _lowest(s)),
            False,
        ),
        [_x()],
    ),
    "heads expanded": lambda: (_Expanded(_expanded), _qkv()),
    "heads repeated": lambda: (_Expanded(lambda x: x.repeat(1, H // FEW, 1, 1)), _qkv()),
    "sums of products": lambda: (_Einsum(), [_x(B, S, H, D) for _ in range(3)]),
    "GPT-J": lambda: (_Pairs(), _qkv()),
    "LLaMA": lambda: (_Rotary(), [_x()]),
    "LLaMA past": lambda: (_Rotary(), [_x(B, 1, E), *(_x(B, FEW, 256, D) for _ in range(2))]),
    "module": lambda: (_Layer(), [_x(), ~_tokens()]),
    "module with numbers": lambda: (
        _Masked(),
        [_x(), torch.triu(torch.full((S, S), -math.inf), 1)],
    ),
    "module with booleans": lambda: (_Masked(), [_x(), ~_causal(_x(S, S))]),
    "encoder": lambda: (_Encoder(), [_x()]),
}
OLD = 0
"""In place of the opset of the exporter that traces: it writes 17."""

CASES = [
    (name, opset)
    for name in FORMS
    for opset in ((OLD, 18, 20, 23) if name.startswith(("function", "module")) else (OLD, 20))
    if opset or name != "function of shared heads"  # the older exporter refuses it
]


@pytest.fixture(autouse=True)
def same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    monkeypatch.setattr(torch.backends.mha, "get_fastpath_enabled", lambda: False)


def _exported(module: Any, inputs: Sequence[Any], opset: int) -> onnx.ModelProto:
    """Return the model of an exporter; its inputs are called i0, i1, ..."""
    names = [f"i{number}" for number in range(len(inputs))]
    if opset:
        program = torch.onnx.export(
            module, tuple(inputs), dynamo=True, input_names=names, opset_version=opset
        )
        return program.model_proto
    buffer = io.BytesIO()
    options = {"dynamo": False, "input_names": names, "opset_version": 17}
    torch.onnx.export(module, tuple(inputs), buffer, **options)
    return onnx.load_from_string(buffer.getvalue())


@pytest.mark.parametrize(("name", "opset"), CASES)
def test_one_kernel(name: str, opset: int) -> None:
    module, inputs = FORMS[name]()
    with torch.no_grad():
        wanted = module.eval()(*inputs).numpy()
    graph, context = imported(_exported(module, inputs, opset))
    feeds = {f"i{number}": x.numpy() for number, x in enumerate(inputs)}
    (found,) = run_reference(graph, feeds, context.weights).values()
    # 16 roundings of 2^-24 a value, those of sums of E + D + S terms added in quadrature.
    bound = 16 * 2.0**-24 * (E + D + S) ** 0.5 * np.abs(wanted).max()
    np.testing.assert_allclose(found, wanted, rtol=0, atol=bound)
    assert strategies(graph, context).count("attention") == 1
    (after,) = run_reference(graph, feeds, context.weights).values()
    # Weights are rounded to half precision; all else is computed in double.
    half = 16 * 2.0**-11 * np.abs(wanted).max()
    np.testing.assert_allclose(after, wanted, rtol=0, atol=half)
