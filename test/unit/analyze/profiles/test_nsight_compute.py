"""What ``ncu --csv`` prints."""

from pathlib import Path

import pytest
from profile_files import DATA, NCU_HEADS, layer_us, profiled, write_ncu

from dlc.analyze.profiles import read_profile
from dlc.errors import CompileError

CONV = "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckcrs_nhwc_tensor16x8x8_kernel"


def test_the_long_form_has_a_row_for_each_kernel_and_metric(tmp_path: Path) -> None:
    path = write_ncu(
        tmp_path,
        (CONV, "us", "1,234.5"),
        ("void cudnn::bn_fw_inf_1C11_kernel_NCHW<float, float>(T1, T2)", "ns", "2500"),
        ("void at::native::elementwise<clamp>(int, Functor)", "nsecond", "1,500"),
        ("void strange(int)", "ms", "0.001"),
        ("max_pool_forward_nchw", "usecond", "4"),
        ("void other(int)", "msecond", "0.002"),
    )
    lines = path.read_text().splitlines()
    other = lines[2].replace("gpu__time_duration.sum", "sm__cycles.sum").replace("us", "cycle")
    path.write_text("\n".join([*lines[:3], other, *lines[3:]]))
    report = profiled(path)
    assert layer_us(report) == pytest.approx(
        {"stem_conv": 1234.5, "stem_norm": 2.5, "stem_relu": 1.5, "pool": 4}
    )
    assert report["profile"]["kind"] == "nsight-compute"
    assert "--clock-control none" in report["profile"]["remarks"][0]
    assert report["profile"]["unmatched"] == [
        {"name": "void other(int)", "us": pytest.approx(2), "count": 1},
        {"name": "void strange(int)", "us": pytest.approx(1), "count": 1},
    ]
    assert report["layers"][0]["profile_kernels"] == [CONV]


def test_the_page_of_details_calls_it_duration(tmp_path: Path) -> None:
    path = write_ncu(tmp_path, (CONV, "us", "5"))
    path.write_text(path.read_text().replace("gpu__time_duration.sum", "Duration"))
    assert [row.us for row in read_profile(path).rows] == [5]


def test_texts_of_several_lines_are_one_field(tmp_path: Path) -> None:
    path = write_ncu(tmp_path, (CONV, "us", "5"), ("relu", "us", "7"))
    path.write_text(path.read_text().replace("Command line", "two\nlines\n, of it"))
    assert [row.us for row in read_profile(path).rows] == [5, 7]


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (("k", "us", "-1"), "kernel k: the time is -1.0, which is no time"),
        (("k", "us", "nan"), "kernel k: the time is nan, which is no time"),
        (("k", "us", "x"), "kernel k: 'x' is no time; is the file whole?"),
        (("k", "us", ""), "kernel k: '' is no time; is the file whole?"),
        (("k", "cycle", "1"), "kernel k: 'cycle' is no unit of time"),
        (("", "us", "1"), "has a row without a kernel name"),
        (("k\x1b[2J", "us", "x"), r"kernel k\x1b[2J: 'x' is no time"),
    ],
)
def test_wrong_rows_are_named(tmp_path: Path, kernel: tuple[str, str, str], message: str) -> None:
    with pytest.raises(CompileError) as refused:
        read_profile(write_ncu(tmp_path, kernel))
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f'{NCU_HEADS}\n"0","7","python","k","s","sm__x","%","1"\n', "has no time of any kernel"),
        (f'{NCU_HEADS}\n"0","7","pyth', "has a row without a kernel name"),
        ('"Kernel Name","gpu__time_duration.sum"\n"k","1"\n', "has no row of units"),
        (f'"Kernel Name"\n"{"k" * 200_000}"\n', "is no table: field larger than"),
        ('"Kernel Name","sm__x"\n"","%"\n"k","1"\n', "has no column gpu__time_duration.sum"),
    ],
)
def test_other_tables_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "ncu.csv"
    path.write_text(text)
    with pytest.raises(CompileError, match=message):
        read_profile(path)


def test_a_first_line_that_is_not_that_of_the_heads_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text('x"Kernel Name","gpu__time_duration.sum"\n,"us"\nk,1\n')
    with pytest.raises(CompileError, match="has a row without a kernel name"):
        read_profile(path)


def test_a_profile_of_another_gpu_is_not_compared() -> None:
    other, own = (profiled(DATA / "ncu.csv.gz", target) for target in ("sm_70", "sm_90a"))
    assert "compute capability 9.0, and v100 has 7.0" in other["profile"]["remarks"][-1]
    assert "Q1" not in {each["question"] for each in other["advice"]}
    assert "Q1" in {each["question"] for each in own["advice"]}
