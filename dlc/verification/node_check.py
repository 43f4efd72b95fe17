"""One kind of node: what the importer makes of it against the ONNX reference implementation."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import prod, sqrt

import numpy as np
from onnx import AttributeProto, ModelProto, NodeProto
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.analysis.entry import find_main, returned
from dlc.core.weights import WeightStore
from dlc.dialects.graph.computed import ReductionOp
from dlc.dialects.graph.recurrent import LOOPED_STEPS
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.errors import CompileError
from dlc.frontends.onnx.importer import import_model
from dlc.frontends.onnx.structure import subgraphs
from dlc.ir.tensor import element_type, is_float, shape_text
from dlc.verification.error_bound import EPSILON, SAFETY, unit_roundoff
from dlc.verification.function_body import as_function
from dlc.verification.integer_inputs import integer_inputs
from dlc.verification.judge import Judge
from dlc.verification.node_inputs import CASES, node_inputs
from dlc.verification.node_kind import NodeKind
from dlc.verification.onnx_faults import NoReferenceError
from dlc.verification.onnx_reference import run_onnx_reference
from dlc.verification.reference import Reference
from dlc.verification.single_precision import in_single, is_half

FEW_SIZES = 16
"""Sizes up to this one stay as they are where a node is made smaller."""

LEAST_SIZE = 4
"""What larger ones become at the least; those of a node that repeats its body stay so large that
its steps are still a loop, as they are in the model."""

TRIED_AGAIN = 4
"""Up to how many times as many elements as are cheap a node is tried again that the reference does
not know.
"""

_SIZES_AS_ATTRIBUTES = ("group", "hidden_size")


class ImportDiffersError(CompileError):
    """What the importer makes of a node is not what ONNX means."""


def check_node(kind: NodeKind, cheap_elements: float, most_elements: float) -> None:
    """Compare a kind of node with the reference on random inputs.

    cheap_elements: with more elements in its inputs, sizes are halved as long as that helps, if the
    node takes such sizes; below that only if the reference fails on more (arrays of more than 64
    elements along an axis). most_elements: how many a node that does not take them may have.
    Raises ImportDiffersError where they differ, NoReferenceError where nothing can be said.
    """
    if kind.has_open_sizes:
        raise NoReferenceError("a size is not fixed")
    sizes = _halvings(kind)
    cheap = [x for x in sizes if _elements(x) <= cheap_elements]
    larger = [x for x in sizes[1:] if _elements(x) > cheap_elements]
    smaller = [x for x in (*cheap[:1], *larger[::-1]) if x is not kind]
    try:
        _compare_first(kind, smaller, cheap_elements, most_elements)
    except NoReferenceError as error:
        for tiny in cheap[1:]:
            with suppress(NoReferenceError):
                return _compare_alone(tiny)
        raise error


def _compare_first(
    kind: NodeKind, smaller: Sequence[NodeKind], cheap_elements: float, most_elements: float
) -> None:
    """Compare the first of ``smaller`` of which the reference knows something, or the node."""
    for each in smaller:
        try:
            return _compare(each)
        except CompileError:
            continue  # not the same node in these sizes
        except NoReferenceError:
            if _elements(each) > TRIED_AGAIN * cheap_elements:
                raise  # it will not know larger ones either, which take it long
    if _elements(kind) > most_elements:
        raise NoReferenceError("it is too large")
    _compare_alone(kind)


def _compare_alone(kind: NodeKind) -> None:
    """Compare the node; that it cannot be imported alone is no fault."""
    try:
        _compare(kind)
    except ImportDiffersError:
        raise
    except CompileError as error:
        raise NoReferenceError(f"it cannot be imported alone: {error.message}") from error


def _compare(kind: NodeKind) -> None:
    """Import a node alone and compare it on inputs of each scale."""
    drawn = {case: node_inputs(kind, scale) for case, scale in CASES.items()}
    constants = {n: x for n, x in drawn["ordinary"].items() if kind.inputs[n].is_constant}
    model = kind.model(constants)
    store = WeightStore()
    module = import_model(model, None, registry.new_context(store))
    judge = Judge(Reference(module, store), "fp32")
    judge.bound = node_bound(module)
    generator = np.random.default_rng(0)
    known = integer_inputs(module, store) if kind.is_composed else {}
    for arrays in drawn.values():
        feeds = {n: x for n, x in arrays.items() if n not in constants}
        feeds |= {n: x.ordinary(generator).astype(x.dtype) for n, x in known.items()}
        difference = _difference(judge, feeds, run_onnx_reference(model, feeds))
        if difference and not (_is_body(judge, model, feeds) or _is_wide(judge, model, feeds)):
            raise _differs(kind, difference)
        if not feeds:
            return


def _is_body(judge: Judge, model: ModelProto, feeds: Mapping[str, Array]) -> bool:
    """Return whether the results are those of the operator's body, where ONNX gives it one."""
    body = as_function(model)
    if body is None:
        return False
    try:
        return not _difference(judge, feeds, run_onnx_reference(body, feeds))
    except NoReferenceError:
        return False


def _is_wide(judge: Judge, model: ModelProto, feeds: Mapping[str, Array]) -> bool:
    """Return whether the results of a node of half precision are those of the node in single."""
    ours = judge.reference.outputs(feeds)
    if not any(map(is_half, (*ours.values(), *feeds.values()))):
        return False
    try:
        results = run_onnx_reference(*in_single(model, feeds))
    except NoReferenceError:
        return False
    pairs = zip(results, ours.values(), strict=True)
    return not _difference(judge, feeds, [x.astype(y.dtype) for x, y in pairs])


def _difference(judge: Judge, feeds: Mapping[str, Array], results: Sequence[Array]) -> str:
    """Return in what our results differ from those of the reference; empty: in nothing."""
    ours = judge.reference.outputs(feeds)
    wanted = dict(zip(ours, results, strict=True))
    for name, array in ours.items():
        got = f"{array.dtype}[{shape_text(array.shape)}]"
        meant = f"{wanted[name].dtype}[{shape_text(wanted[name].shape)}]"
        if got != meant:
            return f"output {name[1:]} is {got} instead of {meant}"
    for name, error in judge.errors(feeds, wanted).items():
        if not error <= judge.bound:
            bound = judge.bound
            return f"output {name[1:]} by {error:.1e} of its largest value, bound {bound:.1e}"
    return ""


def _differs(kind: NodeKind, how: str) -> ImportDiffersError:
    return ImportDiffersError(
        f"the import of this {kind.name} of opset {kind.opset} differs from the ONNX reference "
        f"implementation: {how}; this is a fault of dlc, please report the model",
        at=kind.place,
    )


def node_bound(module: ModuleOp) -> float:
    """Return how far the reference implementation may be off, relative to the largest value.

    ``16 * u * sqrt(n + sum K)``: it rounds each of n results, and each step of a reduction of K
    terms, to the narrowest float type of the node (unit roundoff u). A node of constants alone, of
    which the import leaves no op, is rounded once.
    """
    main = find_main(module)
    ops = [op for op in module.walk() if isinstance(op, GraphOp) and not op.moves_data]
    constants = [] if main.args else returned(main.body.block)
    steps = max(len(ops), len(constants))
    steps += sum(prod(op.domain.reduction) for op in ops if isinstance(op, ReductionOp))
    values = [*constants, *(x for op in ops for x in (*op.operands, *op.results))]
    elements = map(element_type, values)
    units = [unit_roundoff(e, "fp32") for e in elements if is_float(e)]
    return SAFETY * max(units, default=EPSILON["fp32"]) * sqrt(steps)


def _elements(kind: NodeKind) -> int:
    return sum(x.elements for x in kind.inputs.values())


def _halvings(kind: NodeKind) -> list[NodeKind]:
    """Return the node, and at sizes halved once, twice, ... as long as that helps."""
    sizes = [kind]
    while True:
        shrunk = _halved(kind, len(sizes))
        if _elements(shrunk) == _elements(sizes[-1]):
            return sizes
        sizes.append(shrunk)


def _halved(kind: NodeKind, times: int) -> NodeKind:
    """Return the node with all sizes above ``FEW_SIZES`` halved, down to ``LEAST_SIZE``; those of
    constants whose elements matter stay.
    """
    least = LOOPED_STEPS if any(True for _ in subgraphs(kind.node)) else LEAST_SIZE
    inputs = {
        name: x
        if x.array is not None
        else replace(x, shape=tuple(_half(s, times, least) for s in x.shape))
        for name, x in kind.inputs.items()
    }
    node = NodeProto()
    node.CopyFrom(kind.node)
    for attribute in node.attribute:
        if attribute.name in _SIZES_AS_ATTRIBUTES and attribute.type == AttributeProto.INT:
            attribute.i = _half(attribute.i, times, least)
    return replace(kind, node=node, inputs=inputs)


def _half(size: int, times: int, least: int) -> int:
    return size if size <= FEW_SIZES else max(size >> times, least)
