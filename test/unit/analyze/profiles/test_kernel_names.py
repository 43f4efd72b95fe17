"""What names of kernels say, of those that no recording has (``test_recordings.py``)."""

import pytest

from dlc.analyze.profiles.kernel_names import kernel_kind, on_tensor_cores

FPROP = "sm80_xmma_fprop_implicit_gemm_"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        (f"{FPROP}tf32f32_tf32f32_f32_nhwckcrs_nhwc_tilesize128x128x16_tensor16x8x8_k", True),
        ("ampere_sgemm_32x128_tn", False),
        ("volta_h884gemm_64x64_ldg8_tn", True),
        ("turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn", True),
        ("void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_f16_128x64_tn_align8>(T)", True),
        ("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(Params)", False),
        ("sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_k", True),
        ("void gemv2T_kernel_val<int, int, float, float>(Params)", False),
        ("void at::native::vectorized_elementwise_kernel<4, AddFunctor>(int)", None),
    ],
)
def test_tensor_cores(name: str, wanted: bool | None) -> None:
    assert on_tensor_cores(name) is wanted


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ampere_sgemm_32x128_tn", "Gemm"),
        ("nvjet_hsh_128x64_64x8_2x1_v_bz_TNT", "MatMul"),
        ("void at::native::vectorized_layer_norm_kernel<float, float>(int)", "LayerNormalization"),
    ],
)
def test_kinds(name: str, kind: str) -> None:
    assert kind in kernel_kind(name).operator.types


def test_kernels_that_nobody_asked_for() -> None:
    names = {
        "void at::native::unrolled_elementwise_kernel<direct_copy_kernel_cuda>(int)": "copy",
        "void unrolled_elementwise_kernel<direct_copy_kernel_cuda, LoadWithoutCast>(int)": "copy",
        "void broadcast_copy(int)": "copy",
        "void at::native::(anonymous namespace)::constant_pad_nd(int)": "pad",
        "Memcpy DtoD (Device -> Device)": "copy",
        "void strange(int)": "",
    }
    assert {name: kernel_kind(name).extra for name in names} == names
