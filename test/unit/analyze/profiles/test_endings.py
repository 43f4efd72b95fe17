"""Kernels that end the work of the one before them, which only their names say."""

from pathlib import Path

from advised import asked, write_model
from profile_files import layer_us, profiled, write_ncu

BIAS = "void at::native::elementwise_kernel<128, 2, CUDAFunctor_add<float>>(int)"
SUM = "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>(int)"
RESIDUAL = """m (float[1, 4, 8, 8] x) => (float[1, 4, 8, 8] y) {
 a = Relu(x)
 b = Conv<kernel_shape = [3, 3], pads = [1, 1, 1, 1]>(a, w, bias)
 y = Add(b, a)
}"""


def test_a_bias_is_not_the_sum_behind_it(tmp_path: Path) -> None:
    model = write_model(tmp_path, RESIDUAL, {"w": (4, 4, 3, 3), "bias": (4,)})
    path = write_ncu(tmp_path, ("fprop", "us", "9"), (BIAS, "us", "2"), (SUM, "us", "3"))
    assert [*layer_us(asked(model, profile=path)).values()] == [11, 3]


def test_a_repeated_side_is_a_sum_where_no_other_is_one(tmp_path: Path) -> None:
    model = write_model(tmp_path, RESIDUAL, {"w": (4, 4, 3, 3), "bias": (4,)})
    path = write_ncu(tmp_path, ("fprop", "us", "9"), (BIAS, "us", "2"))
    assert [*layer_us(asked(model, profile=path)).values()] == [9, 2]


def test_what_nobody_asked_for_may_stand_between(tmp_path: Path) -> None:
    kernels = (("fprop", 9), ("nhwcToNchwKernel", 4), (BIAS, 2), ("clamp", 1))
    report = profiled(write_ncu(tmp_path, *((name, "us", f"{us}") for name, us in kernels)))
    assert layer_us(report) == {"stem_conv": 11, "stem_relu": 1}
    assert [each["us"] for each in report["profile"]["unmatched"]] == [4]


def test_what_they_cannot_end_is_not_theirs(tmp_path: Path) -> None:
    kernels = (("fprop", 9), ("clamp", 1), ("splitKreduce_kernel", 4))
    report = profiled(write_ncu(tmp_path, *((name, "us", f"{us}") for name, us in kernels)))
    assert layer_us(report) == {"stem_conv": 9, "stem_relu": 1}
    assert [each["us"] for each in report["profile"]["unmatched"]] == [4]
