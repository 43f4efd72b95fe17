"""Opens ONNX models."""

import mmap
import os
import stat
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import onnx
from google.protobuf.message import DecodeError
from onnx import version_converter

from dlc.errors import CompileError
from dlc.frontends.onnx.limits import DEEPEST_SUBGRAPH, check_depth
from dlc.frontends.onnx.ordering import sort_nodes, used_early
from dlc.frontends.onnx.sequences import fills_sequences, stack_sequences
from dlc.frontends.onnx.structure import check_extent, check_functions, check_structure
from dlc.frontends.onnx.text import check_text
from dlc.frontends.onnx.wire import Extent, split_model

OLDEST_OPSET = 7
"""Before it, broadcasting was an attribute of each operator; ``onnx`` converts older models."""

_ELF = b"\x7fELF"

ModelSource = str | os.PathLike[str] | onnx.ModelProto


def as_source(value: object) -> ModelSource:
    """Return what a user gives as a model: a path, the bytes of a file, or an ``onnx.ModelProto``.

    Raises CompileError for anything else, and for bytes that are no model.
    """
    if isinstance(value, str | os.PathLike | onnx.ModelProto):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        try:
            return onnx.load_from_string(bytes(value))
        except DecodeError as error:
            raise CompileError("the bytes are no ONNX model") from error
    kinds = {base.__module__.partition(".")[0] for base in type(value).__mro__}
    if "torch" in kinds:
        raise CompileError(
            f"{type(value).__name__} is a class of PyTorch, not an ONNX model; write one with "
            "torch.onnx.export(net, inputs, 'model.onnx'), or use torch.compile(net, backend='dlc')"
        )
    raise CompileError(
        f"{type(value).__name__} is no model; give a path, the bytes of an ONNX file, or an "
        "onnx.ModelProto"
    )


@dataclass(frozen=True)
class LoadedModel:
    """A model without the bytes of its large embedded weights.

    path: its file, ``None`` for a model that was handed over in memory.
    embedded: where in the file the raw data of initializers is, by initializer name.
    used_early: a value that the file uses before it is made, ``""`` where its nodes are in order;
    those of ``proto`` are.
    lists_stacked: whether loops of the file fill lists, in whose place ``proto`` has tensors.
    opsets: version of each operator domain; the default domain is ``""``.
    """

    proto: onnx.ModelProto
    path: Path | None = None
    embedded: dict[str, Extent] = field(default_factory=dict)
    used_early: str = ""
    lists_stacked: bool = False

    @property
    def opsets(self) -> dict[str, int]:
        """The version of each operator domain."""
        return opset_versions(self.proto.opset_import)


def opset_versions(imports: Iterable[onnx.OperatorSetIdProto]) -> dict[str, int]:
    """Return the version of each domain; ``ai.onnx`` is another name of the default domain."""
    return {domain_name(o.domain): o.version for o in imports}


def domain_name(domain: str) -> str:
    """Return the one name of an operator domain."""
    return "" if domain == "ai.onnx" else domain


def load_model(source: ModelSource) -> LoadedModel:
    """Read a model, its nodes in order, its sequences as tensors; large weights stay in its file.

    Raises CompileError as ``read_model`` does, when the graph has a cycle, and when the model is so
    old that ``onnx`` cannot convert it to opset 7.
    """
    loaded = read_model(source)
    with _placed(source):
        loaded = _without_sequences(_in_order(loaded))
        if loaded.opsets.get("", OLDEST_OPSET) >= OLDEST_OPSET:
            return loaded
        return _converted(loaded)


def read_model(source: ModelSource) -> LoadedModel:
    """Read a model as it is, whatever its opset; large weights stay in its file.

    Raises CompileError when the file is missing, is cut off or is no ONNX model, when a name in it
    is not UTF-8, or when the model is newer than the installed ``onnx`` package.
    """
    if isinstance(source, onnx.ModelProto):
        loaded = LoadedModel(source)
    else:
        loaded = _load_file(_path(source))
    with _placed(source):
        _check_versions(loaded.proto)
        check_extent(loaded.proto)
        check_text(loaded.proto)
        check_functions(loaded.proto)
    return loaded


@contextmanager
def _placed(source: ModelSource) -> Generator[None]:
    """Let errors without a place name the model."""
    try:
        yield
    except CompileError as error:
        error.place("model" if isinstance(source, onnx.ModelProto) else str(source))
        raise


def _in_order(loaded: LoadedModel) -> LoadedModel:
    """Return a model with its nodes in order."""
    early = used_early(loaded.proto)
    if not early:
        return loaded
    proto = _own(loaded)
    sort_nodes(proto)
    return replace(loaded, proto=proto, used_early=early)


def _without_sequences(loaded: LoadedModel) -> LoadedModel:
    """Return a model whose loops give tensors where they fill sequences."""
    if not fills_sequences(loaded.proto):
        return loaded
    proto = _own(loaded)
    stack_sequences(proto)
    return replace(loaded, proto=proto, lists_stacked=True)


def _own(loaded: LoadedModel) -> onnx.ModelProto:
    """Return a model that may be changed: one in memory belongs to the caller."""
    if loaded.path is not None:
        return loaded.proto
    proto = onnx.ModelProto()
    proto.CopyFrom(loaded.proto)
    return proto


def _converted(loaded: LoadedModel) -> LoadedModel:
    """Return a model in the oldest opset that the conversions know."""
    proto = loaded.proto
    if loaded.embedded:
        assert loaded.path is not None
        proto = onnx.load_model(loaded.path, load_external_data=False)
        sort_nodes(proto)
    check_structure(proto.graph)
    try:
        converted = version_converter.convert_version(proto, OLDEST_OPSET)
    except (RuntimeError, version_converter.ConvertError) as error:
        raise CompileError(
            f"opset {loaded.opsets['']} is older than {OLDEST_OPSET}, and onnx cannot convert it: "
            f"{str(error).splitlines()[0]}; export the model again"
        ) from error
    return replace(loaded, proto=converted, embedded={})


def _path(source: object) -> Path:
    """Return what is no model as a path; the types are only those of callers that are checked."""
    if not isinstance(source, str | os.PathLike):
        kind = type(source).__name__
        raise CompileError(f"the model is a {kind}; give the path of an ONNX file or a ModelProto")
    return Path(source)


def _load_file(path: Path) -> LoadedModel:
    try:
        data = _map_file(path)
        split = split_model(data)
        proto = onnx.ModelProto.FromString(split.model)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CompileError(f"cannot read the file: {reason}", str(path)) from error
    except DecodeError as error:
        if "MaxDepth" in str(error):  # of messages: a subgraph is three
            check_depth(DEEPEST_SUBGRAPH + 1, str(path))
        raise CompileError("this is not an ONNX model", str(path)) from error
    except CompileError as error:
        error.place(str(path))
        raise
    initializers = proto.graph.initializer
    embedded = {initializers[i].name: extent for i, extent in split.embedded.items()}
    return LoadedModel(proto, path, embedded)


def _map_file(path: Path) -> memoryview:
    with open(path, "rb", opener=_open_at_once) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise CompileError("this is no ordinary file; give the path of an ONNX file")
        if found.st_size == 0:
            raise CompileError("the file is empty; this is not an ONNX model")
        if file.peek(len(_ELF)).startswith(_ELF):
            raise CompileError("this is not an ONNX model but a shared library; see dlc-run")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _open_at_once(path: str, flags: int) -> int:
    """Open a file; a pipe to which nobody writes must not keep a compile waiting."""
    return os.open(path, flags | os.O_NONBLOCK)


def _check_versions(proto: onnx.ModelProto) -> None:
    if not proto.HasField("graph") or not proto.opset_import:
        raise CompileError("this is not an ONNX model: it has no graph or no operator set")
    if proto.ir_version > onnx.IR_VERSION:
        raise CompileError(
            f"IR version {proto.ir_version} is newer than {onnx.IR_VERSION}, the newest that onnx"
            f" {onnx.__version__} knows; install a newer onnx"
        )
    opset = opset_versions(proto.opset_import).get("")
    newest = onnx.defs.onnx_opset_version()
    if not all(0 < o.version < 1 << 31 for o in proto.opset_import):
        raise CompileError("a version of an operator set is not a positive 32-bit number")
    if opset is not None and opset > newest:
        raise CompileError(
            f"opset {opset} is newer than {newest}, the newest that onnx {onnx.__version__} knows;"
            " install a newer onnx or export the model for an older opset"
        )
