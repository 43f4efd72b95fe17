"""A program that gives every intermediate value of a model, from the kernels of its artifact."""

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from dlc import registry
from dlc.analysis.entry import find_main, group_results, output_names
from dlc.core.context import DlcContext
from dlc.dialects.graph.overlay import holder
from dlc.dialects.graph.structure import Array
from dlc.runtime.artifact import read_trailer
from dlc.runtime.host_arrays import order_feeds
from dlc.runtime.library import Library


def probe_module(context: DlcContext, lowered: ModuleOp) -> ModuleOp:
    """Return a lowered module whose ``main`` gives the results of every group, and then what it
    gave before; none of them shares memory with another. A result that is stored as a part of a
    larger tensor is given as that.
    """
    module = lowered.clone()
    main = find_main(module)
    last = main.body.block.last_op
    assert isinstance(last, ReturnOp)
    named = {
        _name(group, number): holder(value)
        for group, results in group_results(main).items()
        for number, value in enumerate(results)
    }
    outputs = zip(output_names(main), last.arguments, strict=True)
    _return(main, last, [*named.items(), *((_output(name), value) for name, value in outputs)])
    for step in registry.build_passes("fused-group-plan-memory"):
        step.apply(context, module)
    return module


def _name(group: str, number: int) -> str:
    return f"result {number} of {group}"


def _output(name: str) -> str:
    return f"output {name}"


def _return(main: FuncOp, last: ReturnOp, values: Sequence[tuple[str, SSAValue]]) -> None:
    last.operands = [value for _, value in values]
    main.update_function_type()
    main.res_attrs = ArrayAttr(
        [DictionaryAttr({"graph.name": StringAttr(name)}) for name, _ in values]
    )


@dataclass(frozen=True)
class Probed:
    """The arrays of a run, by the names that a probe gives them."""

    arrays: Mapping[str, Array]

    def results(self, group: str) -> list[Array]:
        """Return the results of a group, or the larger tensors that they are stored in."""
        names = takewhile(self.arrays.__contains__, (_name(group, n) for n in count()))
        return [self.arrays[name] for name in names]

    def outputs(self, names: Iterable[str]) -> dict[str, Array]:
        """Return the outputs of the model with these names."""
        return {name: self.arrays[_output(name)] for name in names}


def run_probe(library: Path, artifact: Path, feeds: Mapping[str, Array], *, calls: bool) -> Probed:
    """Return the results of every group and the outputs of the model: those of a probe program, on
    the weights and device code of the artifact that it belongs to.

    calls: whether kernels may call libraries, else generated ones run. Raises ArtifactError.
    """
    return Probed(_run(Library(library), artifact, feeds, calls))


def generated_outputs(artifact: Path, feeds: Mapping[str, Array]) -> Mapping[str, Array]:
    """Return the outputs of an artifact by name, for which no library is called. Raises
    ArtifactError.
    """
    library = Library(artifact, read_trailer(artifact).device_code[0])  # whose models are its own
    return _run(library, artifact, feeds, calls=False)


def _run(
    library: Library, artifact: Path, feeds: Mapping[str, Array], calls: bool
) -> dict[str, Array]:
    handle = library.create(artifact, 0, calls=calls)
    try:
        inputs = [np.ascontiguousarray(x) for x in order_feeds(library.inputs, feeds)]
        results: list[Array] = [np.empty(i.shape, i.dtype) for i in library.outputs]
        status = library.api.run_host(handle, _pointers(inputs), _pointers(results))
        library.check(status)
        return dict(zip((info.name for info in library.outputs), results, strict=True))
    finally:
        library.destroy(handle)


def _pointers(arrays: Sequence[Array]) -> "ctypes.Array[ctypes.c_void_p]":
    return (ctypes.c_void_p * max(1, len(arrays)))(*(x.ctypes.data for x in arrays))
