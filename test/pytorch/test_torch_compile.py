"""``torch.compile`` with dlc as its backend, on PyTorch for the CPU."""

import logging
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", reason="needs torch: pip install -e '.[torch]'")
pytest.importorskip("onnxscript", reason="needs onnxscript: pip install -e '.[torch]'")

from dlc import torch_backend  # noqa: E402  (where PyTorch is)
from dlc.torch_backend import compile_graph  # noqa: E402  (where PyTorch is)

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of torch itself
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

Module = Callable[..., Any]


@pytest.fixture(autouse=True)
def fresh() -> None:
    """Forget what Dynamo compiled, and draw the same numbers again."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    torch.backends.mha.set_fastpath_enabled(False)  # its one op has no ONNX form


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the models that dlc has compiled, in order."""
    models: list[object] = []
    whole = torch_backend.compile_program

    def recording(program: Any, options: Any) -> object:
        models.append(whole(program, options))
        return models[-1]

    monkeypatch.setattr(torch_backend, "compile_program", recording)
    return models


def both(function: Module, *arguments: Any) -> tuple[Any, Any]:
    """Return the results of PyTorch and of dlc."""
    with torch.no_grad():
        return function(*arguments), torch.compile(function, backend=compile_graph)(*arguments)


def check(function: Module, *arguments: Any, terms: int = 1) -> None:
    """Compare; terms: how many products a value is a sum of, over all layers."""
    wanted, found = both(function, *arguments)
    # 16 roundings of 2^-24 per value, errors of a sum added in quadrature.
    bound = 16 * 2.0**-24 * (1 + terms) ** 0.5
    torch.testing.assert_close(found, wanted, rtol=bound, atol=bound * float(wanted.abs().max()))


class Residual(torch.nn.Module):
    """Two convolutions with a skip, a mean, a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(8)
        self.second = torch.nn.Conv2d(8, 8, 3, padding=1)
        self.classify = torch.nn.Linear(8, 5)

    def forward(self, x: Any) -> Any:
        x = torch.relu(self.norm(self.first(x)))
        x = torch.relu(x + self.second(x))
        return self.classify(x.mean((2, 3)))


def test_a_residual_network(compiled: list[object]) -> None:
    check(Residual().eval(), torch.randn(2, 3, 8, 8), terms=27 + 72 + 64 + 8)
    assert len(compiled) == 1


def test_a_transformer(compiled: list[object]) -> None:
    layer = torch.nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
    net = torch.nn.TransformerEncoder(layer, 1, enable_nested_tensor=False).eval()
    check(net, torch.randn(2, 5, 16), terms=16 + 4 + 5 + 16 + 32 + 16)
    assert len(compiled) == 1


def test_a_recurrent_layer_between_graphs() -> None:
    class Tagger(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = torch.nn.Embedding(10, 8)
            self.lstm = torch.nn.LSTM(8, 6, batch_first=True)
            self.out = torch.nn.Linear(6, 3)

        def forward(self, tokens: Any) -> Any:
            return self.out(self.lstm(self.embed(tokens))[0])

    check(Tagger().eval(), torch.randint(0, 10, (2, 4)), terms=4 * 14 + 6)


def test_two_graphs_around_a_break(compiled: list[object]) -> None:
    def function(x: Any) -> Any:
        y = torch.exp(x) + 1
        torch._dynamo.graph_break()
        return y * 3

    check(function, torch.randn(4))
    assert len(compiled) == 2


def test_each_size_is_compiled_once(compiled: list[object]) -> None:
    net = torch.nn.Linear(4, 3)
    called = torch.compile(net, backend=compile_graph)
    with torch.no_grad():
        for rows in (2, 5, 7, 5, 7):
            x = torch.randn(rows, 4)
            torch.testing.assert_close(called(x), net(x), rtol=2.0**-20, atol=2.0**-20)
    assert len(compiled) == 3


def test_writing_to_a_value_of_its_own(compiled: list[object]) -> None:
    def function(x: Any) -> Any:
        x = x.clone()
        x.add_(1)
        x[0] = 3
        return x

    check(function, torch.randn(3, 2))
    assert len(compiled) == 1


def test_integers_and_half_precision(compiled: list[object]) -> None:
    wanted, found = both(
        lambda x, y: (x * 2 + x.sum(), y * 2), torch.arange(5), torch.ones(3).bfloat16()
    )
    assert [x.dtype for x in found] == [torch.int64, torch.bfloat16]
    assert all(torch.equal(a, b) for a, b in zip(wanted, found, strict=True))
    assert len(compiled) == 1


def test_parameters_that_change_are_compiled_in_again(compiled: list[object]) -> None:
    net = torch.nn.Linear(4, 4)
    called = torch.compile(net, backend=compile_graph)
    x = torch.randn(2, 4)
    with torch.no_grad():
        called(x)
        net.weight.mul_(2)
        torch.testing.assert_close(called(x), net(x), rtol=2.0**-20, atol=2.0**-20)
    assert len(compiled) == 2


def test_results_are_memory_of_their_own() -> None:
    called = torch.compile(lambda x: x + 1, backend=compile_graph)
    with torch.no_grad():
        first, second = called(torch.zeros(3)), called(torch.ones(3))
    assert first.tolist() == [1, 1, 1]
    assert second.tolist() == [2, 2, 2]


# What is not taken -------------------------------------------------------------------------------


def write(x: Any) -> Any:
    x.add_(1)
    return x * 2


def train() -> Any:
    return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout()).train()


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda: write, "it writes to an input or a buffer"),
        (train, "it draws random numbers"),
        (lambda: torch.nn.BatchNorm1d(4).train(), "it writes to an input or a buffer"),
        (lambda: lambda x: (x.view(-1), x + 1), "an output is an input or a view of one"),
        (lambda: lambda x: torch.linalg.eigvals(x @ x.T), "torch.onnx: "),
    ],
    ids=["writes", "dropout", "batch norm", "view", "operator"],
)
def test_a_graph_that_is_not_taken_runs_in_pytorch_and_says_why_once(
    function: Callable[[], Module],
    reason: str,
    caplog: pytest.LogCaptureFixture,
    compiled: list[object],
) -> None:
    eager, called = function(), None
    called = torch.compile(eager, backend=compile_graph)
    x = torch.randn(3, 4)
    mine, theirs = x.clone(), x.clone()
    with torch.no_grad(), caplog.at_level(logging.WARNING, "dlc.torch_backend"):
        torch.manual_seed(1)
        found = [called(mine), called(mine)]
        torch.manual_seed(1)
        wanted = [eager(theirs), eager(theirs)]
    torch.testing.assert_close(found, wanted)
    assert torch.equal(mine, theirs)
    (record,) = (r for r in caplog.records if r.name == "dlc.torch_backend")
    assert record.getMessage().startswith(f"a graph runs in PyTorch, not in dlc: {reason}")
    assert compiled == []


def test_gradients_are_left_to_pytorch(caplog: pytest.LogCaptureFixture) -> None:
    net = torch.nn.Linear(4, 4)
    x = torch.randn(2, 4)
    torch.compile(net, backend=compile_graph)(x).sum().backward()
    torch.testing.assert_close(net.weight.grad, x.sum(0).expand(4, 4))
    assert "gradients are wanted" in caplog.text


def test_options_reach_the_compiler(compiled: list[Any]) -> None:
    options = {"precision": "bf16"}
    called = torch.compile(lambda x: x + 1, backend=compile_graph, options=options)
    with torch.no_grad():
        called(torch.ones(2))
    assert [model.report["precision"] for model in compiled] == ["bf16"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"precision": "fp8"}, "precision 'fp8' is unknown; give fp32, tf32, fp16, bf16"),
        ({"target": "sm_99"}, "target 'sm_99' is unknown; give cpu"),
        ({"precison": "fp16"}, "dlc.compile has no option 'precison'; did you mean precision"),
    ],
)
def test_a_wrong_option_is_raised(options: dict[str, str], message: str) -> None:
    called = torch.compile(lambda x: x + 1, backend=compile_graph, options=options)
    with torch.no_grad(), pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=message):
        called(torch.ones(2))


def test_a_mode_is_accepted(compiled: list[object]) -> None:
    called = torch.compile(lambda x: x + 1, backend=compile_graph, mode="max-autotune")
    with torch.no_grad():
        torch.testing.assert_close(called(torch.ones(2)), torch.full((2,), 2.0), rtol=0, atol=0)
    assert len(compiled) == 1


def test_sizes_and_floats_that_dynamo_leaves_open(compiled: list[object]) -> None:
    norm = torch.nn.BatchNorm2d(4).eval()
    called = torch.compile(norm, backend=compile_graph, dynamic=True)
    with torch.no_grad():
        for batch in (2, 3, 2):
            x = torch.randn(batch, 4, 5, 5)
            # Two roundings of values of at most 8.
            torch.testing.assert_close(called(x), norm(x), rtol=0, atol=8 * 2.0**-23)
    assert len(compiled) == 2


def test_the_name_of_the_backend() -> None:
    try:
        entries = distribution("dlc").entry_points
    except PackageNotFoundError:
        pytest.skip("needs dlc to be installed, torch looks at its entry points")
    (entry,) = (e for e in entries if e.group == "torch_dynamo_backends")
    assert entry.name == "dlc"
    assert entry.load() is compile_graph
    with torch.no_grad():
        assert torch.compile(lambda x: x + 1, backend="dlc")(torch.zeros(2)).tolist() == [1, 1]
