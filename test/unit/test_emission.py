"""The text of kernels, and the ONNX nodes that it names."""

import onnx
import pytest
from onnx import TensorProto, helper

from dlc.compiler import Options
from dlc.compiler.emission import emit

NAMES = ["plain", 'a\n#error "injected" */ ??/', "ü\\"]


def model() -> onnx.ModelProto:
    """Return three products of the same kernel, with names that would end a comment."""
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [64, 64]) for n in "xy"]
    nodes = [
        helper.make_node("MatMul", [a, a], [b], name)
        for a, b, name in zip("xpq", "pqy", NAMES, strict=True)
    ]
    return helper.make_model(helper.make_graph(nodes, "products", ends[:1], ends[1:]))


@pytest.mark.parametrize(("target", "level"), [("cpu", "c"), ("sm_90a", "cuda")])
def test_a_kernel_names_the_nodes_of_its_launches(target: str, level: str) -> None:
    text = emit(model(), Options(target), level)
    groups, comment, *code = text.splitlines()
    assert groups == '// groups: "g0", "g1", "g2"'
    assert comment.startswith('// nodes: "plain", "a\\134n#error \\042injected\\042 */ ')
    assert comment.isascii()
    assert comment.endswith('"')
    assert not any("injected" in line for line in code)
    assert sum(" g0(" in line for line in code) == 1  # the one kernel of all three
