"""Places of elements that data decides, in loops that the C compiler makes SIMD."""

import numpy as np
import pytest
from compiled_c import CompiledKernels, lower

from dlc.core.parser import parse_module
from dlc.registry import new_context

GATHER = """
func.func @main(%table: tensor<2xf32>, %x: tensor<{n}xf32>) -> tensor<{n}xf32> {{
  %y = fused_group.group @g0(%table, %x) : (tensor<2xf32>, tensor<{n}xf32>) -> tensor<{n}xf32> {{
  ^bb0(%t: tensor<2xf32>, %v: tensor<{n}xf32>):
    %zero = graph.constant dense<0.0> : tensor<1xf32>
    %c = graph.compare %v, %zero {{predicate = "{predicate}"}}
        : (tensor<{n}xf32>, tensor<1xf32>) -> tensor<{n}xi1>
    %i = graph.cast %c {{to = i64}} : tensor<{n}xi1> -> tensor<{n}xi64>
    %0 = graph.gather %t, %i {{axis = 0 : i64}}
        : (tensor<2xf32>, tensor<{n}xi64>) -> tensor<{n}xf32>
    fused_group.yield %0 : tensor<{n}xf32>
  }}
  func.return %y : tensor<{n}xf32>
}}
"""


@pytest.mark.parametrize("n", [1, 7, 64, 131])
@pytest.mark.parametrize(("predicate", "right"), [("gt", np.greater), ("le", np.less_equal)])
def test_comparison_is_an_index(n: int, predicate: str, right: np.ufunc) -> None:
    text = GATHER.format(n=n, predicate=predicate)
    kernels = CompiledKernels(lower(parse_module(text, new_context())))
    x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
    table = np.array([3, 5], np.float32)
    (found,) = kernels.run("g0", [table, x])
    np.testing.assert_array_equal(found, table[right(x, 0).astype(int)])
