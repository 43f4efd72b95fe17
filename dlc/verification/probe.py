"""A program that gives every intermediate value of a model, from the kernels of its artifact."""

import ctypes
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from dlc import registry
from dlc.analysis.entry import find_main, launches
from dlc.core.context import DlcContext
from dlc.dialects.graph.structure import Array
from dlc.runtime.host_arrays import order_feeds
from dlc.runtime.library import Library


def probe_module(context: DlcContext, lowered: ModuleOp) -> ModuleOp:
    """Return a lowered module whose ``main`` gives the result of every launch, in order, and then
    what it gave before; none of them shares memory with another.
    """
    module = lowered.clone()
    main = find_main(module)
    last = main.body.block.last_op
    assert isinstance(last, ReturnOp)
    results = [x for launch in launches(main) for x in launch.results]
    _return(main, last, [*results, *last.arguments])
    for step in registry.build_passes("fused-group-plan-memory"):
        step.apply(context, module)
    return module


def _return(main: FuncOp, last: ReturnOp, values: Sequence[SSAValue]) -> None:
    last.operands = values
    main.update_function_type()
    main.res_attrs = ArrayAttr([DictionaryAttr({}) for _ in values])


class Probe:
    """A probe program on the weights and device code of the artifact that it belongs to."""

    def __init__(self, library: Path, artifact: Path):
        self.library = Library(library)
        self.artifact = artifact

    def run(self, feeds: Mapping[str, Array], device: int = 0) -> list[Array]:
        """Return the result of every launch, then the outputs of the model."""
        library = self.library
        handle = library.create(self.artifact, device)
        try:
            inputs = [np.ascontiguousarray(x) for x in order_feeds(library.inputs, feeds)]
            results: list[Array] = [np.empty(i.shape, i.dtype) for i in library.outputs]
            status = library.api.run_host(handle, _pointers(inputs), _pointers(results))
            library.check(status)
            return results
        finally:
            library.api.destroy(handle)


def _pointers(arrays: Sequence[Array]) -> "ctypes.Array[ctypes.c_void_p]":
    return (ctypes.c_void_p * max(1, len(arrays)))(*(x.ctypes.data for x in arrays))
