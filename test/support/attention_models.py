"""ONNX models of attention in the ways that exporters write it, and what becomes of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.core.context import DlcContext
from dlc.core.instrumentation import PassManager
from dlc.core.weights import WeightStore
from dlc.dialects.fused_group import GroupOp
from dlc.frontends.onnx.importer import import_model

Array = NDArray[Any]
Given = Mapping[str, Array | None]


def node_model(
    op_type: str,
    inputs: Given,
    outputs: Sequence[str],
    opset: int = 1,
    domain: str = "",
    constants: Sequence[str] = (),
    **attributes: Any,
) -> onnx.ModelProto:
    """Return a model of one node, called ``node``. inputs: in order, ``None`` for absent ones.
    constants: those that the file holds. outputs: the empty name for absent ones.
    """
    names = [name if x is not None else "" for name, x in inputs.items()]
    node = helper.make_node(op_type, names, outputs, "node", domain=domain, **attributes)
    given = {name: x for name, x in inputs.items() if x is not None}
    graph = helper.make_graph(
        [node],
        "model",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
            for n, x in given.items()
            if n not in constants
        ],
        [onnx.ValueInfoProto(name=name) for name in outputs if name],
        [onnx.numpy_helper.from_array(given[name], name) for name in constants],
    )
    imports = [helper.make_opsetid("", max(opset, 17))]
    if domain:
        imports.append(helper.make_opsetid(domain, opset))
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def imported(model: onnx.ModelProto) -> tuple[ModuleOp, DlcContext]:
    """Return a model at the level ``graph``, and the context that has its weights."""
    context = registry.new_context(WeightStore())
    module = import_model(model, None, context)
    module.verify()
    return module, context


def strategies(module: ModuleOp, context: DlcContext, arch: str = "sm_90a") -> list[str]:
    """Optimise a module in half precision and fuse it; return the strategies of its kernels."""
    pipeline = f"optimize-graph{{precision=fp16 inner=gpu arch={arch}}},fuse{{arch={arch}}}"
    PassManager(registry.build_passes(pipeline), verify_each=False).run(context, module)
    module.verify()
    groups = [op for op in module.walk() if isinstance(op, GroupOp)]
    return [str(dict(op.schedule.data)["strategy"]) for op in groups if op.schedule]


def eighths(generator: np.random.Generator, *sizes: int) -> Array:
    """Return multiples of 1/8 between -1 and 1: half precision has them all."""
    return (generator.integers(-8, 9, sizes) / 8).astype(np.float32)
