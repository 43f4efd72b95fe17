"""A kernel that computes a product twice rounds it twice alike."""

import numpy as np
import pytest
from compiled_c import CompiledKernels, lower

from dlc.core.parser import parse_module
from dlc.registry import new_context

SOFTMAX = """
func.func @main(%x: tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32> {{
  %y = fused_group.group @g0(%x) : (tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32> {{
  ^bb0(%v: tensor<{m}x{n}xf32>):
    %c = graph.constant dense<3.1> : tensor<1xf32>
    %p = graph.mul %v, %c : (tensor<{m}x{n}xf32>, tensor<1xf32>) -> tensor<{m}x{n}xf32>
    %0 = graph.softmax %p axis 1 : tensor<{m}x{n}xf32> -> tensor<{m}x{n}xf32>
    fused_group.yield %0 : tensor<{m}x{n}xf32>
  }}
  func.return %y : tensor<{m}x{n}xf32>
}}
"""


@pytest.mark.parametrize("n", [7, 64, 197])
def test_exponentials_of_products_belong_to_their_sum(n: int) -> None:
    """A rounding error of 3000 is 1e-4: as much is a softmax off that rounds but one."""
    kernels = CompiledKernels(lower(parse_module(SOFTMAX.format(m=33, n=n), new_context())))
    x = np.random.default_rng(n).standard_normal((33, n)).astype(np.float32) * np.float32(1e3)
    (found,) = kernels.run("g0", [x])
    np.testing.assert_allclose(found.sum(1), 1, rtol=2e-6)
    product = x * np.float32(3.1)
    wanted = np.exp(product - product.max(1, keepdims=True))
    np.testing.assert_allclose(found, wanted / wanted.sum(1, keepdims=True), rtol=4e-6, atol=1e-30)
