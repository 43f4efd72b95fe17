"""Clusters from text."""

import re

from dlc import registry
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.entry import find_main
from dlc.core.parser import parse_module

SIGNATURE = "%x: tensor<4x8xf32>, %y: tensor<4x8xf32>"


def dataflow(body: str, results: str, signature: str = SIGNATURE) -> Dataflow:
    """Return the ops of a function. results: the values that it returns, with types:
    ``%a: tensor<4xf32>, %b: tensor<4xf32>``.

    In the body, ``%b = exp %a : 4x8`` is short for an op from one ``tensor<4x8xf32>`` to another,
    ``%c = add %a %b : 4x8`` for one from two.
    """
    pairs = [result.split(": ") for result in results.split(", ")]
    values, types = (", ".join(part) for part in zip(*pairs, strict=True))
    text = f"func.func @main({signature}) -> ({types}) {{\n{_long(body)}\n"
    text += f"func.return {values} : {types} }}"
    return Dataflow(find_main(parse_module(text, registry.new_context())).body.block)


def cluster(body: str, results: str, signature: str = SIGNATURE) -> Cluster:
    """Return all ops of a function as one cluster."""
    flow = dataflow(body, results, signature)
    return Cluster(flow, tuple(flow.ops))


def _long(body: str) -> str:
    body = re.sub(
        r"= (\w+) (%\w+) (%\w+) : ([\dx]+)$",
        r"= graph.\1 \2, \3 : (tensor<\4xf32>, tensor<\4xf32>) -> tensor<\4xf32>",
        body,
        flags=re.MULTILINE,
    )
    return re.sub(
        r"= (\w+) (%\w+) : ([\dx]+)$",
        r"= graph.\1 \2 : tensor<\3xf32> -> tensor<\3xf32>",
        body,
        flags=re.MULTILINE,
    )
