"""The architectures that dlc is compared on, for ``dlc-bench --torch``; weights are random.

    dlc-bench --torch test/benchmarks/workloads.py:resnet50 --batch 1,64 --precision fp16

Needs torchvision, and for the transformers the package of that name. Batch norms have the
statistics of random inputs, so that activations stay of order one.
"""

import importlib
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

torch: Any = importlib.import_module("torch")
nn: Any = torch.nn

Made = tuple[Any, Sequence[Any]]
VOCABULARY = 30000


def _with_statistics(module: Any, *arguments: Any) -> Any:
    """Return the module, whose batch norms have seen some arguments."""
    norms = [x for x in module.modules() if isinstance(x, nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.momentum = None
    if norms:
        with torch.no_grad():
            module.train()(*arguments)
    return module.eval()


def _image(name: str, size: int, batch: int) -> Made:
    models = importlib.import_module("torchvision.models")
    auxiliary = {"aux_logits": False, "init_weights": True}
    options = auxiliary if name in ("inception_v3", "googlenet") else {}
    module = _with_statistics(getattr(models, name)(**options), torch.randn(8, 3, size, size))
    if name.startswith("vit"):
        nn.init.normal_(module.heads.head.weight, std=0.02)
    return module, (torch.randn(batch, 3, size, size),)


class _FirstOutput(nn.Module):
    """A model of the package transformers that takes token numbers, and their mask."""

    def __init__(self, model: Any, **fixed: Any):
        super().__init__()
        self.model = model
        self.fixed = fixed

    def forward(self, ids: Any, *mask: Any) -> Any:
        """Return the first output."""
        named = {"attention_mask": mask[0]} if mask else {}
        return self.model(input_ids=ids, **named, **self.fixed)[0]


def _bert(length: int, batch: int, **sizes: int) -> Made:
    transformers = importlib.import_module("transformers")
    config = transformers.BertConfig(attn_implementation="sdpa", **sizes)
    model = transformers.BertModel(config, add_pooling_layer=False)
    ids = torch.randint(0, VOCABULARY, (batch, length))
    return _FirstOutput(model), (ids, torch.ones(batch, length, dtype=torch.long))


def _gpt2(length: int, batch: int) -> Made:
    transformers = importlib.import_module("transformers")
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(attn_implementation="sdpa"))
    return _FirstOutput(model, use_cache=False), (torch.randint(0, VOCABULARY, (batch, length)),)


class _Recurrent(nn.Module):
    """Two layers of 1024."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.LSTM(1024, 1024, 2)

    def forward(self, x: Any) -> Any:
        """Return the outputs of all steps."""
        return self.layers(x)[0]


def lstm_2x1024(batch: int) -> tuple[Any, Sequence[Any], dict[str, Any]]:
    """100 steps; the older exporter writes the layers as ONNX's LSTM."""
    options = {"dynamo": False, "opset_version": 18}
    return _Recurrent(), (torch.randn(100, batch, 1024),), options


def dcgan(batch: int) -> Made:
    """The generator: noise to images of 64 x 64."""

    def up(channels: int, made: int, stride: int, pad: int) -> list[Any]:
        return [
            nn.ConvTranspose2d(channels, made, 4, stride, pad, bias=False),
            nn.BatchNorm2d(made),
            nn.ReLU(),
        ]

    layers = [*up(100, 512, 1, 0), *up(512, 256, 2, 1), *up(256, 128, 2, 1), *up(128, 64, 2, 1)]
    last = nn.ConvTranspose2d(64, 3, 4, 2, 1, bias=False)
    module = nn.Sequential(*layers, last, nn.Tanh())
    return _with_statistics(module, torch.randn(8, 100, 1, 1)), (torch.randn(batch, 100, 1, 1),)


def mlp_dlrm(batch: int) -> Made:
    """Wide layers, as those of recommenders."""
    sizes = [512, 4096, 4096, 4096, 1024, 1]
    layers = [layer for a, b in pairwise(sizes) for layer in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*layers[:-1]), (torch.randn(batch, 512),)


_IMAGES = {
    **dict.fromkeys(
        (
            "alexnet", "convnext_tiny", "densenet121", "efficientnet_b0", "googlenet",
            "mobilenet_v2", "resnet18", "resnet50", "squeezenet1_1", "vgg16", "vit_b_16",
        ),
        224,
    ),
    "inception_v3": 299,
}  # fmt: skip
LARGE = {
    "hidden_size": 1024,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "intermediate_size": 4096,
}
WORKLOADS: dict[str, Callable[[int], Any]] = {
    **{name: partial(_image, name, size) for name, size in _IMAGES.items()},
    "resnext50": partial(_image, "resnext50_32x4d", 224),
    "shufflenet_v2": partial(_image, "shufflenet_v2_x1_0", 224),
    "bert_base": partial(_bert, 128),
    "bert_base_s512": partial(_bert, 512),
    "bert_large": partial(_bert, 128, **LARGE),
    "gpt2": partial(_gpt2, 128),
    "gpt2_s1024": partial(_gpt2, 1024),
    "lstm_2x1024": lstm_2x1024,
    "dcgan": dcgan,
    "mlp_dlrm": mlp_dlrm,
}
"""By name; each is a function of this module, too."""
globals().update(WORKLOADS)
