"""What names of kernels say; the names are those that profiles of GPUs have shown."""

import pytest

from dlc.analyze.profiles.kernel_names import kernel_kind, on_tensor_cores

FPROP = "sm80_xmma_fprop_implicit_gemm_"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        (f"{FPROP}tf32f32_tf32f32_f32_nhwckcrs_nhwc_tilesize128x128x16_tensor16x8x8_k", True),
        (f"{FPROP}indexed_f32f32_f32f32_f32_nchwkcrs_tilesize32x32x8_ffma_aligna4_k", False),
        ("ampere_sgemm_32x128_tn", False),
        ("volta_h884gemm_64x64_ldg8_tn", True),
        ("turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn", True),
        ("void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_f16_128x64_tn_align8>(T)", True),
        ("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(Params)", False),
        ("sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_k", True),
        ("nvjet_hsh_128x64_64x8_2x1_v_bz_TNT", True),
        ("void gemv2T_kernel_val<int, int, float, float>(Params)", False),
        ("void at::native::vectorized_elementwise_kernel<4, AddFunctor>(int)", None),
    ],
)
def test_tensor_cores(name: str, wanted: bool | None) -> None:
    assert on_tensor_cores(name) is wanted


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (f"{FPROP}indexed_f32", "Conv"),
        ("void implicit_convolve_sgemm<float, float, 1024, 5>(int)", "Conv"),
        ("ampere_sgemm_32x128_tn", "Gemm"),
        ("nvjet_hsh_128x64_64x8_2x1_v_bz_TNT", "MatMul"),
        ("void cudnn::bn_fw_inf_1C11_kernel_NCHW<float>(T1)", "BatchNormalization"),
        ("void at::native::(anonymous namespace)::max_pool_forward_nchw<float>(int)", "MaxPool"),
        ("void at::native::(anonymous namespace)::CatArrayBatchedCopy_contig<O>(T*)", "Concat"),
        ("void (anonymous namespace)::softmax_warp_forward<float, float, 4>(T)", "Softmax"),
        ("void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>(int)", "Add"),
        ("void at::native::vectorized_elementwise_kernel<4, launch_clamp_scalar>(int)", "Relu"),
        (
            "void at::native::reduce_kernel<512, 1, ReduceOp<float, MeanOps<float>>>(T)",
            "ReduceMean",
        ),
        ("void at::native::vectorized_layer_norm_kernel<float, float>(int)", "LayerNormalization"),
    ],
)
def test_kinds(name: str, kind: str) -> None:
    assert kind in kernel_kind(name).operator.types


def test_kernels_that_nobody_asked_for() -> None:
    names = {
        "void cudnn::ops::nchwToNhwcKernel<float, float>(T)": "layout",
        "void at::native::unrolled_elementwise_kernel<direct_copy_kernel_cuda>(int)": "copy",
        "void at::native::(anonymous namespace)::constant_pad_nd(int)": "pad",
        "Memcpy DtoD (Device -> Device)": "copy",
        "void strange(int)": "",
    }
    assert {name: kernel_kind(name).extra for name in names} == names
    assert kernel_kind("void cublasLt::splitKreduce_kernel<32, 16>(T)").ends_another
