"""ONNX Runtime's session over ``dlc.compile``: ``import dlc as ort``."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import onnx

import dlc
from dlc.compiler.options import Options
from dlc.compiler.targets import device_capability, parse_targets
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError, InputError
from dlc.frontends.onnx.input_types import input_types, model_inputs
from dlc.frontends.onnx.loading import as_source, read_model
from dlc.frontends.onnx.open_sizes import find_open_sizes
from dlc.onnx_backend import PreparedModel, Run
from dlc.runtime.library import TensorInfo
from dlc.runtime.model import Model
from dlc.session_options import check_session_options

CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"

_ELEMENT_NAMES = {"float32": "float", "float64": "double"}
"""Where ONNX Runtime's name of an element type is not numpy's."""


def get_available_providers() -> list[str]:
    """Return ONNX Runtime's names of what models can run on here, the fastest first."""
    return [CUDA, CPU] if device_capability() else [CPU]


def get_device() -> str:
    """Return ``GPU`` where there is one, else ``CPU``."""
    return "GPU" if device_capability() else "CPU"


@dataclass(frozen=True)
class NodeArg:
    """An input or output. shape: a number, the name of a symbolic size, or ``None`` per axis.

    type: as ``tensor(float)``.
    """

    name: str
    type: str
    shape: list[int | str | None]


@dataclass(frozen=True)
class ModelMetadata:
    """What a model file says about itself; empty where it says nothing."""

    producer_name: str = ""
    graph_name: str = ""
    domain: str = ""
    description: str = ""
    graph_description: str = ""
    version: int = 0
    custom_metadata_map: Mapping[str, str] = field(default_factory=dict[str, str])


class InferenceSession:
    """Runs a model as ONNX Runtime's class of this name does.

    A model whose sizes are all known is compiled at once. One with symbolic sizes is compiled
    when it is run, once for the sizes of each run; ``options`` with shapes fixes them before.
    """

    def __init__(
        self,
        path_or_bytes: str | os.PathLike[str] | bytes | onnx.ModelProto,
        sess_options: Any = None,
        providers: Sequence[str | tuple[str, Mapping[str, Any]]] | None = None,
        provider_options: Sequence[Mapping[str, Any]] | None = None,
        *,
        options: Options | None = None,
    ):
        """path_or_bytes: an ONNX model, or a ``model.so`` of ``dlc-compile``.

        sess_options: of this module or of ONNX Runtime (``SessionOptions`` says what is used).
        providers: ONNX Runtime's names, the preferred one first, each alone or with its options
        (``device_id``), which may also be the list ``provider_options``; the first that is
        available runs the whole model. A target of the options, or that of a ``model.so``, must be
        among them. Default: that target, else the GPU found, else the CPU. options: of the compile.

        Raises CompileError, ArtifactError.
        """
        check_session_options(sess_options)
        if provider_options is not None:
            names = [entry if isinstance(entry, str) else entry[0] for entry in providers or ()]
            providers = list(zip(names, provider_options, strict=True))
        self._threads = getattr(sess_options, "intra_op_num_threads", 0) or None
        self._model: Model | None = None
        if _is_artifact(path_or_bytes):
            assert not isinstance(path_or_bytes, bytes | onnx.ModelProto)
            model = dlc.load(Path(path_or_bytes))
            self._provider = _choose(providers, CUDA if model.is_cuda else CPU)
            self._model = self._placed(model)
        else:
            options = options or Options()
            if sizes := getattr(sess_options, "sizes", {}):
                options = replace(options, shapes={**(options.shapes or {}), **sizes})
            self._provider = _choose(providers, _provider_of(options.target))
            is_cpu = options.target is None and self._provider.name == CPU
            self._options = replace(options, target="cpu") if is_cpu else options
            self._source = as_source(path_or_bytes)
            self._prepared = PreparedModel(self._proto, self._compile)
            if not self._is_open:
                self._model = self._compiled({}, {})

    # The model --------------------------------------------------------------------------------

    @cached_property
    def _proto(self) -> onnx.ModelProto:
        """The model without weights that are in other files."""
        if isinstance(self._source, onnx.ModelProto):
            return self._source
        return read_model(self._source).proto

    @property
    def _is_open(self) -> bool:
        """Whether some size of an input is not known."""
        inputs = model_inputs(self._proto.graph)
        types = input_types(inputs, self._options.shapes or {})
        given = self._options.constants or {}
        return bool(find_open_sizes([i for i in inputs if i.name not in given], types))

    def _placed(self, model: Model) -> Model:
        """Return a model on the device, or with the threads, that was asked for."""
        if model.is_cuda:
            device = self._provider.device
            return model if device is None else model.placed(device)
        return model if self._threads is None else model.placed(threads=self._threads)

    def _compiled(
        self, shapes: Mapping[str, Sequence[int]], constants: Mapping[str, Array]
    ) -> Model:
        options = self._options
        all_constants = {**(options.constants or {}), **constants}
        given = replace(
            options, shapes={**(options.shapes or {}), **shapes}, constants=all_constants
        )
        return self._placed(dlc.compile(self._source, **vars(given)))

    def _compile(
        self,
        _: onnx.ModelProto,
        shapes: Mapping[str, Sequence[int]],
        constants: Mapping[str, Array],
    ) -> Run:
        return self._compiled(shapes, constants).run

    # ONNX Runtime's methods -------------------------------------------------------------------

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: object = None,
    ) -> list[Any]:
        """Return the outputs named, in that order; of ``None`` or an empty list, all.

        input_feed: an array for each input by name. run_options: has no effect. Raises InputError
        (a ValueError) for names, element types and shapes that do not fit.
        """
        known = self._output_names
        wanted = list(output_names or known)
        if unknown := [name for name in wanted if name not in known]:
            raise InputError(f"the model has no output {unknown[0]!r}; it has {', '.join(known)}")
        feeds = {name: np.asarray(x) for name, x in input_feed.items()}
        self._check(feeds)
        if self._model:
            results = self._model.run(feeds)
        else:
            results = dict(zip(known, self._prepared.run(feeds), strict=True))
        return [results[name] for name in wanted]

    def _check(self, feeds: Mapping[str, Array]) -> None:
        declared = self._declared_inputs
        if missing := [name for name in declared if name not in feeds]:
            raise InputError(
                f"required inputs ({missing}) are missing from input feed ({list(feeds)})"
            )
        for name, array in feeds.items():
            if name not in declared:
                raise InputError(
                    f"invalid input name {name!r}; the model has {', '.join(declared)}"
                )
            _check_fits(declared[name], array)

    @cached_property
    def _declared_inputs(self) -> dict[str, NodeArg]:
        return {info.name: info for info in self.get_inputs()}

    @cached_property
    def _output_names(self) -> list[str]:
        return [info.name for info in self.get_outputs()]

    def get_inputs(self) -> list[NodeArg]:
        """Return name, type and shape of each input, as the model file states them."""
        if self._model:
            return [_of_tensor(info) for info in self._model.inputs]
        return [_declared(info) for info in model_inputs(self._proto.graph)]

    def get_outputs(self) -> list[NodeArg]:
        """Return name, type and shape of each output, as the model file states them."""
        if self._model:
            return [_of_tensor(info) for info in self._model.outputs]
        return [_declared(info) for info in self._proto.graph.output]

    def get_providers(self) -> list[str]:
        """Return what the model runs on."""
        return [self._provider.name]

    def get_modelmeta(self) -> ModelMetadata:
        """Return what the model file says about itself; of a ``model.so``, its name."""
        if not hasattr(self, "_source"):
            assert self._model
            return ModelMetadata("dlc", self._model.path.stem)
        proto = self._proto
        return ModelMetadata(
            proto.producer_name,
            proto.graph.name,
            proto.domain,
            proto.doc_string,
            proto.graph.doc_string,
            proto.model_version,
            {entry.key: entry.value for entry in proto.metadata_props},
        )


@dataclass(frozen=True)
class _Provider:
    name: str
    device: int | None


def _provider_of(target: str | None) -> str | None:
    """Return what a target runs on. Raises CompileError for an unknown one."""
    return target and (CUDA if parse_targets(target)[0].is_gpu else CPU)


def _choose(providers: Sequence[Any] | None, fixed: str | None) -> _Provider:
    """Return the first provider that is available; raises CompileError when none of them is.

    fixed: the only one that will do, where the target is known.
    """
    available = [fixed] if fixed else get_available_providers()
    if not providers:
        return _Provider(available[0], None)
    names: list[str] = []
    for entry in providers:
        name, options = (entry, {}) if isinstance(entry, str) else entry
        if name in available:
            device = int(options.get("device_id", 0)) if name == CUDA else None
            return _Provider(name, device)
        names.append(name)
    what = "what the target runs on" if fixed else "available here"
    raise CompileError(
        f"none of the providers {', '.join(names)} is {what}; give {', '.join(available)}"
    )


def _is_artifact(source: object) -> bool:
    return isinstance(source, str | os.PathLike) and Path(source).suffix == ".so"


@cache
def _type_name(dtype: Any) -> str:
    name = np.dtype(dtype).name
    return f"tensor({_ELEMENT_NAMES.get(name, name)})"


def _of_tensor(info: TensorInfo) -> NodeArg:
    return NodeArg(info.name, _type_name(info.dtype), list(info.shape))


def _declared(info: onnx.ValueInfoProto) -> NodeArg:
    tensor = info.type.tensor_type
    sizes = [
        dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None
        for dim in tensor.shape.dim
    ]
    is_known = tensor.elem_type != onnx.TensorProto.UNDEFINED
    dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type) if is_known else None
    return NodeArg(info.name, _type_name(dtype) if dtype else "", sizes)


def _check_fits(info: NodeArg, array: Array) -> None:
    at = f"input {info.name!r}"
    if _type_name(array.dtype) != info.type:
        raise InputError(
            f"unexpected input data type: actual {_type_name(array.dtype)}, expected {info.type}",
            at=at,
        )
    if len(info.shape) != array.ndim:
        raise InputError(f"invalid rank: got {array.ndim}, expected {len(info.shape)}", at=at)
    for axis, (size, given) in enumerate(zip(info.shape, array.shape, strict=True)):
        if isinstance(size, int) and size != given:
            raise InputError(f"index {axis} has size {given}, expected {size}", at=at)
