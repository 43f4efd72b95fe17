"""Finds a smaller model that fails in the same way."""

from collections.abc import Callable, Iterator

import onnx
from child_process import Ending
from google.protobuf.message import DecodeError
from onnx import ModelProto

Check = Callable[[bytes], Ending]
TRIES = 150
"""How many models are tried at most."""


def shrink(data: bytes, ending: Ending, check: Check) -> bytes:
    """Return the bytes of a model that ends like ``ending``, as small as a greedy search finds."""
    tries = 0
    progress = True
    while progress and tries < TRIES:
        progress = False
        for smaller in _smaller(data):
            tries += 1
            if len(smaller) < len(data) and check(smaller).is_like(ending):
                data, progress = smaller, True
                break
            if tries >= TRIES:
                break
    return data


def _smaller(data: bytes) -> Iterator[bytes]:
    """Yield the bytes without one of the parts; a model is cut at its parts, else anywhere."""
    try:
        model = ModelProto.FromString(data)
    except DecodeError:
        size = max(1, len(data) // 8)
        yield from (data[:at] + data[at + size :] for at in range(0, len(data), size))
        return
    for remove in (_without_node, _without_end, _without_tensor, _without_attribute, _plain):
        yield from (m.SerializeToString() for m in remove(model))


def _copy(model: ModelProto) -> ModelProto:
    copy = ModelProto()
    copy.CopyFrom(model)
    return copy


def _without_node(model: ModelProto) -> Iterator[ModelProto]:
    """Yield the model without each node, the last one first, and without what it alone makes."""
    for number in reversed(range(len(model.graph.node))):
        copy = _copy(model)
        gone = set(copy.graph.node[number].output)
        del copy.graph.node[number]
        kept = [x for x in copy.graph.output if x.name not in gone]
        left = {name for node in copy.graph.node for name in node.input}
        kept += [onnx.ValueInfoProto(name=n) for n in _results(copy) if n not in left]
        unique = {x.name: x for x in reversed(kept)}
        del copy.graph.output[:]
        copy.graph.output.extend(reversed(unique.values()))
        yield copy


def _results(model: ModelProto) -> list[str]:
    return [name for node in model.graph.node for name in node.output if name]


def _without_end(model: ModelProto) -> Iterator[ModelProto]:
    for number in range(len(model.graph.output)):
        copy = _copy(model)
        del copy.graph.output[number]
        yield copy
    for number in range(len(model.graph.input)):
        copy = _copy(model)
        del copy.graph.input[number]
        yield copy


def _without_tensor(model: ModelProto) -> Iterator[ModelProto]:
    for number in range(len(model.graph.initializer)):
        copy = _copy(model)
        del copy.graph.initializer[number]
        yield copy


def _without_attribute(model: ModelProto) -> Iterator[ModelProto]:
    for number, node in enumerate(model.graph.node):
        for which in range(len(node.attribute)):
            copy = _copy(model)
            del copy.graph.node[number].attribute[which]
            yield copy


def _plain(model: ModelProto) -> Iterator[ModelProto]:
    """Yield the model without what only documents it, and without functions."""
    for name in ("doc_string", "producer_name", "producer_version", "metadata_props", "functions"):
        copy = _copy(model)
        copy.ClearField(name)
        yield copy
    copy = _copy(model)
    del copy.graph.value_info[:]
    yield copy
