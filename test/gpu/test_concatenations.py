"""What is computed of a concatenation, where the parts of it begin at vectors and where not."""

import numpy as np
import pytest
from lowered import lowered
from simulated import Runner
from test_rows_and_elements import group


@pytest.mark.parametrize(
    "parts", [(64, 32, 32), (8, 8), (24, 40, 8, 16), (20, 12), (7, 9), (8, 1, 7), (16,)]
)
@pytest.mark.parametrize("vector", [8, 4, 1])
def test_scaled_parts(runner: Runner, parts: tuple[int, ...], vector: int) -> None:
    types = [f"tensor<5x{n}xf16>" for n in parts]
    whole = f"tensor<5x{sum(parts)}xf16>"
    names = ", ".join(f"%g{n}" for n in range(len(parts)))
    body = (
        f"%c = graph.concat {names} {{axis = 1 : i64}} : ({', '.join(types)}) -> {whole}\n"
        f"%m = graph.mul %c, %g{len(parts)} : ({whole}, {whole}) -> {whole}\n"
        f"%r = graph.relu %m : {whole} -> {whole}"
    )
    schedule = f'strategy = "map", target = "gpu", threads = 32, vector = {vector}'
    text = group(", ".join([*types, whole]), whole, schedule, body)
    rng = np.random.default_rng(sum(parts))
    arrays = [rng.standard_normal((5, n)).astype(np.float16) for n in (*parts, sum(parts))]
    module = lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}")
    (y,) = runner.run(module, *arrays)
    whole_array = np.concatenate(arrays[:-1], 1).astype(np.float32)
    exact = np.maximum(whole_array * arrays[-1].astype(np.float32), 0).astype(np.float16)
    np.testing.assert_array_equal(y, exact)
