"""``torch.compile(model, backend="dlc")``: graphs of PyTorch, compiled by dlc where it can.

Dynamo hands over a graph; it is exported (``torch.export``, ``torch.onnx``) with its parameters as
constants, compiled, and called on the memory of the tensors. A graph that cannot be taken runs as
PyTorch runs it, and the logger ``dlc.torch_backend`` says why, once for each graph.
"""

import copy
import importlib
import logging
import re
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dlc
from dlc.compiler.options import check_names
from dlc.compiler.targets import parse_targets
from dlc.errors import CompileError
from dlc.scratch import ScratchFolder

torch: Any = importlib.import_module("torch")

MOST_SIZES = 8
"""For how many sizes of its inputs a graph is compiled; others run in PyTorch."""

_log = logging.getLogger(__name__)

Outputs = Sequence[Any]
Runner = Callable[[Sequence[Any]], Outputs]


MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")
"""What ``mode=`` of ``torch.compile`` may be; none of them changes what dlc does."""


def compile_graph(
    graph: Any,
    example_inputs: Sequence[Any],
    mode: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Callable[..., Outputs]:
    """Return what runs a graph of Dynamo; it is compiled at the first call of each size.

    mode: one of ``MODES``. options: those of ``dlc.compile``, given as ``torch.compile(...,
    options={...})``. Raises TypeError for an option that there is not, CompileError for a value
    that it cannot have.
    """
    if mode is not None and mode not in MODES:
        raise CompileError(f"mode {mode!r} is unknown; give {', '.join(MODES)}")
    chosen = dict(options or {})
    check_names(chosen)
    given = dlc.Options(**chosen)
    given.check()
    parse_targets(given.target)
    return _Graph(graph, chosen)


class _Graph:
    def __init__(self, graph: Any, options: Mapping[str, Any]):
        self.graph = graph
        self.options = options
        self.are_numbers = [_is_number(n) for n in graph.graph.nodes if n.op == "placeholder"]
        self.runners: dict[tuple[object, ...], Runner] = {}
        self.reason: str | None = None

    def __call__(self, *arguments: Any) -> Outputs:
        if self.reason is None:
            try:
                return self._runner(arguments)(arguments)
            except CompileError as error:
                self._fall_back(str(error))
        return self.graph(*arguments)

    def _runner(self, arguments: Sequence[Any]) -> Runner:
        if reason := _refusal(arguments):
            raise CompileError(reason)
        both = zip(arguments, self.are_numbers, strict=True)
        values = [x.item() if is_number else x for x, is_number in both]
        key = tuple(map(_identity, values))
        if key not in self.runners:
            if len(self.runners) == MOST_SIZES:
                raise CompileError(f"it is called with more than {MOST_SIZES} sets of sizes")
            self.runners[key] = _make_runner(self.graph, values, self.options)
        return self.runners[key]

    def _fall_back(self, reason: str) -> None:
        self.reason = reason
        _log.warning("a graph runs in PyTorch, not in dlc: %s", reason)


def _refusal(arguments: Sequence[Any]) -> str | None:
    """Return why a graph is not compiled for these arguments, ``None`` if it may be."""
    tensors = [x for x in arguments if isinstance(x, torch.Tensor)]
    if torch.is_grad_enabled() and any(x.requires_grad for x in tensors):
        return "gradients are wanted; call it under torch.no_grad(), or requires_grad_(False)"
    if len({x.device for x in tensors}) > 1:
        return "its tensors are on more than one device"
    return next(
        (f"a tensor is on {x.device}" for x in tensors if x.device.type not in ("cpu", "cuda")),
        None,
    )


def _is_number(place: Any) -> bool:
    """Whether an argument is a float that Dynamo wraps in a tensor (``dynamic=True`` does)."""
    return bool(place.users) and all(_is_item(user) for user in place.users)


def _is_item(node: Any) -> bool:
    return node.op == "call_method" and node.target == "item"


def _is_constant(value: Any) -> bool:
    """Whether a value is compiled in: parameters and buffers, which Dynamo marks."""
    return isinstance(value, torch.nn.Parameter) or hasattr(value, "_dynamo_static_input_type")


def _identity(value: Any) -> object:
    """Return what a compiled graph depends on: of a constant its memory and how often it was
    written to, of a tensor its type and sizes, else the value.
    """
    if not isinstance(value, torch.Tensor):
        return value
    if _is_constant(value):
        return value.data_ptr(), value._version
    return value.dtype, value.shape, value.device


def _make_runner(graph: Any, arguments: Sequence[Any], options: Mapping[str, Any]) -> Runner:
    """Export and compile a graph. Raises CompileError, which says what cannot be taken."""
    bound, given = _with_constants(graph, arguments)
    with _refusing("torch.export"), torch.no_grad():
        program = torch.export.export(bound, tuple(given))
        functional = program.run_decompositions({})
    _check_program(functional)
    model = compile_program(program, options)
    taken = [isinstance(x, torch.Tensor) and not _is_constant(x) for x in arguments]
    results = [_TENSOR if hasattr(x, "meta") else x for x in _returned(program)]
    return _Call(model, taken, results)


@contextmanager
def _refusing(step: str) -> Generator[None]:
    """Turn what an exporter of PyTorch raises (many classes, also those of the code that it traces)
    into a CompileError that names the innermost cause; keep its warnings from the user.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Exception as error:
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        text = re.sub(r"\x1b\[[0-9;]*m", "", str(cause)).strip()
        line = (text.splitlines() or [type(cause).__name__])[0]
        raise CompileError(f"{step}: {line}") from error


def _with_constants(graph: Any, arguments: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Return the graph with its constants and numbers inside, and the other arguments."""
    inner = copy.deepcopy(graph.graph)
    module = torch.fx.GraphModule(graph, inner)
    places = [node for node in inner.nodes if node.op == "placeholder"]
    rest: list[Any] = []
    for number, (node, value) in enumerate(zip(places, arguments, strict=True)):
        if not isinstance(value, torch.Tensor):
            _write_in(node, value)
            continue
        if not _is_constant(value):
            rest.append(value)
            continue
        name = f"dlc_constant_{number}"
        module.register_buffer(name, value.detach())
        with inner.inserting_before(node):
            node.replace_all_uses_with(inner.get_attr(name))
        inner.erase_node(node)
    module.recompile()
    return module, rest


def _write_in(node: Any, value: object) -> None:
    """Put a number in the place of a node that gives it, in all that reads it."""
    for user in list(node.users):
        if _is_item(user):
            _write_in(user, value)
            continue
        user.args, user.kwargs = torch.fx.map_arg(
            (user.args, user.kwargs), lambda read: value if read is node else read
        )
    node.graph.erase_node(node)


def _check_program(program: Any) -> None:
    """Raise CompileError for what an exported program does beside computing its outputs."""
    signature = program.graph_signature
    written = {**signature.buffers_to_mutate, **signature.user_inputs_to_mutate}
    if written:
        raise CompileError(f"it writes to an input or a buffer ({', '.join(written.values())})")
    for node in program.graph.nodes:
        if _draws(node):
            raise CompileError(f"it draws random numbers ({node.target})")
    inputs = {_storage(node) for node in program.graph.nodes if node.op == "placeholder"}
    for node in _returned(program):
        if hasattr(node, "meta") and _storage(node) in inputs - {None}:
            raise CompileError("an output is an input or a view of one")


def _draws(node: Any) -> bool:
    """Whether an op draws random numbers; attention does only where it drops something."""
    if torch.Tag.nondeterministic_seeded not in getattr(node.target, "tags", ()):
        return False
    for number, argument in enumerate(node.target._schema.arguments):
        if argument.name == "dropout_p":
            given = node.args[number] if number < len(node.args) else argument.default_value
            return node.kwargs.get("dropout_p", given) != 0
    return True


def _storage(node: Any) -> int | None:
    value = node.meta.get("val")
    return value.untyped_storage()._cdata if isinstance(value, torch.Tensor) else None


def _returned(program: Any) -> Sequence[Any]:
    (output,) = (node for node in program.graph.nodes if node.op == "output")
    return output.args[0]


_TENSOR = object()
"""Stands for an output that is computed; other outputs are known when compiling."""


def compile_program(program: Any, options: Mapping[str, Any]) -> dlc.Model:
    """Return the compiled model of an exported program. Raises CompileError."""
    device = next((v.device for v in _values(program) if v.device.type == "cuda"), None)
    with ScratchFolder("dlc-torch-") as folder:
        path = Path(folder, "graph.onnx")
        with _refusing("torch.onnx"):
            exported = torch.onnx.export(program, dynamo=True, verbose=False)
            exported.save(path, external_data=True)
        target = None if device else "cpu"
        chosen: dict[str, Any] = {"target": target, **options}
        model = dlc.compile(path, **chosen)
    return model.placed(device=device.index or 0) if device else model


def _values(program: Any) -> Iterator[Any]:
    for node in program.graph.nodes:
        if isinstance(value := node.meta.get("val"), torch.Tensor):
            yield value


class _Call:
    """Calls a model on tensors. taken: which arguments go to it; results: ``_TENSOR``, or a value
    that is known.
    """

    def __init__(self, model: dlc.Model, taken: Sequence[bool], results: Sequence[Any]):
        self.model = model
        self.taken = taken
        self.results = results
        self.made = [(info.shape, getattr(torch, info.dtype.name)) for info in model.outputs]

    def __call__(self, arguments: Sequence[Any]) -> Outputs:
        tensors = [
            x.detach().contiguous() for x, taken in zip(arguments, self.taken, strict=True) if taken
        ]
        device = tensors[0].device if tensors else "cpu"
        out = [torch.empty(shape, dtype=dtype, device=device) for shape, dtype in self.made]
        computed = iter(self.model(*tensors, out=out))
        return [next(computed) if value is _TENSOR else value for value in self.results]
