"""Long sums on a CPU are not added up one after the other."""

import numpy as np
from compiled_c import CompiledKernels, lower
from xdsl.ir import SSAValue

from dlc import registry
from dlc.analysis.entry import find_main
from dlc.core.parser import parse_module
from dlc.dialects.fused_group import LaunchOp
from dlc.dialects.graph.structure import Array

COUNT = 301000
LANES = 64
"""Sums that a row keeps beside each other (``dlc.lowering.lanes``)."""

NORM_OVER_LARGEST = f"""
func.func @main(%flat: tensor<{COUNT}xf32>, %x: tensor<1000x301xf32>) -> tensor<f32> {{
  %0 = graph.reduce_l2 %flat axes [0] : tensor<{COUNT}xf32> -> tensor<f32>
  %1 = graph.reduce_max %x axes [0, 1] : tensor<1000x301xf32> -> tensor<f32>
  %2 = graph.div %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return %2 : tensor<f32>
}}"""


def run(flat: Array, x: Array) -> Array:
    """Return the result of the function, kernel by kernel as it is launched."""
    module = parse_module(NORM_OVER_LARGEST, registry.new_context())
    kernels = CompiledKernels(lower(module, "fuse{arch=cpu-avx2},lower-to-loop"))
    body = find_main(module).body.block
    found: dict[SSAValue, Array] = dict(zip(body.args, (flat, x), strict=True))
    for op in body.ops:
        if isinstance(op, LaunchOp):
            results = kernels.run(op.kernel_name, [found[v] for v in op.operands])
            found.update(zip(op.results, results, strict=True))
    assert body.last_op is not None
    return found[body.last_op.operands[0]]


def test_a_large_element_swallows_the_small_ones_of_its_lane_only() -> None:
    """To 4096 * 4096 in 24 bits no 1 can be added. All other lanes keep their share."""
    x = np.ones((1000, 301), np.float32)
    x[0, 0] = 4096
    right = np.linalg.norm(x.astype(np.float64)) / 4096
    swallowed = (COUNT / LANES + 1) / 4096**2 / 2  # of a square root, half
    assert abs(run(x.reshape(-1), x) - right) <= right * (swallowed + 1e-6)
