"""Calls of cuDNN, as cuDNN itself takes them: it describes and chooses without a GPU."""

import re
from pathlib import Path

import pytest
from cudnn_without_gpu import CudnnWithoutGpu, enumerators, find_cudnn
from dnn_cases import (
    ATTENTION,
    ELEMENTWISE,
    EXACT,
    FUNCTIONS,
    MEANS,
    NORMALIZATION,
    POOLED,
    ROUNDED,
    WEIGHTED,
    grouped,
    weights_of,
)
from dnn_clusters import ATTENTIONS, CONVOLUTIONS, F32, POOLINGS, RELU, convolved
from dnn_models import attention
from dnn_normalizations import NORMALIZATIONS

from dlc.analysis.dataflow import Cluster
from dlc.compiler.emission import emit
from dlc.compiler.options import Options
from dlc.core.parser import parse_module
from dlc.dialects.loop import KernelOp
from dlc.dialects.loop.attributes import CallAttr
from dlc.ir.record import Inner
from dlc.libraries.cudnn import LIBRARY
from dlc.registry import new_context


@pytest.fixture(scope="module")
def file() -> Path:
    found = find_cudnn()
    if found is None:
        pytest.skip("needs cuDNN: pip install nvidia-cudnn-cu13, or name its file as DLC_CUDNN")
    return found


@pytest.fixture(scope="module")
def cudnn(file: Path, tmp_path_factory: pytest.TempPathFactory) -> CudnnWithoutGpu:
    return CudnnWithoutGpu(file, tmp_path_factory.mktemp("cudnn"))


def call_of(text: str, folder: Path) -> CallAttr:
    """Return the call of a model of one group."""
    source = folder / "model.mlir"
    source.write_text(text)
    options = Options("sm_90a", weights_from=weights_of(text))
    lowered = parse_module(emit(source, options, "loop"), new_context())
    (kernel,) = (op for op in lowered.walk() if isinstance(op, KernelOp))
    assert kernel.call is not None
    return kernel.call


def test_what_runs_on_a_gpu_is_taken(cudnn: CudnnWithoutGpu, tmp_path: Path) -> None:
    whole = {"exact": EXACT, "rounded": ROUNDED, "weighted": WEIGHTED}
    texts = {f"{kind}, {name}": x for kind, each in whole.items() for name, x in each.items()}
    divided = {
        "attention": {name: attention(*x, scale=0.125) for name, x in ATTENTION.items()},
        "normalization": NORMALIZATION,
        "pooled": {**POOLED, **MEANS},
        "alone": {**ELEMENTWISE, **FUNCTIONS},
    }
    for kind, each in divided.items():
        texts |= {f"{kind}, {name}": grouped(x, tmp_path) for name, x in each.items()}
    answers = cudnn.answers([call_of(text, tmp_path) for text in texts.values()])
    assert dict(zip(texts, answers, strict=True)) == dict.fromkeys(texts, "ok")


def test_what_we_take_is_taken(cudnn: CudnnWithoutGpu) -> None:
    groups = {**CONVOLUTIONS, **ATTENTIONS, **NORMALIZATIONS, **POOLINGS}
    answers = cudnn.answers([LIBRARY.call(each) for each in groups.values()])
    assert dict(zip(groups, answers, strict=True)) == dict.fromkeys(groups, "ok")


def test_each_algorithm_is_another_configuration(cudnn: CudnnWithoutGpu) -> None:
    call = LIBRARY.call(convolved(RELU))
    calls = [call.replace(algorithm=n) for n in range(3)]
    assert cudnn.answers(calls) == ["ok"] * 3


def test_full_products_have_less_algorithms(cudnn: CudnnWithoutGpu) -> None:
    """Not all configurations for f32 are without tensor cores, but some are."""
    full = LIBRARY.call(convolved(RELU, **F32))
    calls = [full.replace(algorithm=7), full.replace(algorithm=7, rounds="tf32")]
    assert cudnn.answers(calls) == ["it has no algorithm", "ok"]


HEADER = "cudnn_graph_v9.h"
OURS_ALONE = {
    *("CUDNN_NUMERICAL_NOTES", "CUDNN_BUFFER_ALIGNMENT", "CUDNN_NUMBER_ALIGNMENT"),
    *("CUDNN_MOST_AXES", "CUDNN_MOST_INPUTS", "CUDNN_MOST_ANSWERS"),
    *("CUDNN_IN_BUFFER", "CUDNN_BETWEEN", "CUDNN_NUMBER"),
    *(
        "CUDNN_POINTWISE",
        "CUDNN_ATTENTION",
        "CUDNN_NORMALIZATION",
        "CUDNN_POOLING",
    ),  # and CUDNN_CONVOLUTION, which is 0 there, too
}


@pytest.fixture(scope="module")
def header(file: Path) -> dict[str, int]:
    """The constants of its header."""
    found = file.parent.parent / "include" / HEADER
    if not found.is_file():
        pytest.skip(f"needs {HEADER} beside cuDNN, as its wheel has it")
    return enumerators(found.read_text())


def test_our_numbers_are_those_of_the_header(header: dict[str, int]) -> None:
    ours = enumerators(LIBRARY.text)
    named = {re.sub("_DESCRIPTOR_(.*)", r"_BACKEND_\1_DESCRIPTOR", name): name for name in ours}
    assert {named[n] for n in set(named) - set(header)} == OURS_ALONE
    wrong = {n: ours[named[n]] for n in set(named) & set(header) if ours[named[n]] != header[n]}
    assert wrong == {}


MODES = {
    "gelu": "GELU_FWD",
    "gelu_tanh": "GELU_APPROX_TANH_FWD",
    "relu": "RELU_FWD",
    "sigmoid": "SIGMOID_FWD",
    "tanh": "TANH_FWD",
}
OTHERS = "convolution", "attention"
POOLED_MODES = {
    "max_pool": "MAXPOOL",
    "average_pool": "AVGPOOL_EXCLUDE_PADDING",
    "padded_average_pool": "AVGPOOL_INCLUDE_PADDING",
}
NORMS = {"layer_norm": "CUDNN_LAYER_NORM", "rms_norm": "CUDNN_RMS_NORM"}
TYPES = {"f32": "FLOAT", "f16": "HALF", "bf16": "BFLOAT16"}


def values(call: CallAttr, records: str, name: str) -> list[str]:
    """Return what the records of a call have under a name."""
    given = call[records]
    assert isinstance(given, tuple)
    return [str(each.as_dict()[name]) for each in given if isinstance(each, Inner)]


@pytest.mark.parametrize(
    "group",
    [
        *CONVOLUTIONS.values(),
        ATTENTIONS["scaled"],
        *NORMALIZATIONS.values(),
        *POOLINGS.values(),
    ],
)
def test_the_numbers_of_a_call_are_those_of_the_header(
    group: Cluster, header: dict[str, int]
) -> None:
    call = LIBRARY.call(group)
    code = LIBRARY.code(call)
    types = [header[f"CUDNN_DATA_{TYPES[each]}"] for each in values(call, "tensors", "element")]
    names = [each for each in values(call, "operations", "name") if each not in OTHERS]
    norms = [header[NORMS[name]] for name in names if name in NORMS]
    pools = [header[f"CUDNN_RESAMPLE_{POOLED_MODES[x]}"] for x in names if x in POOLED_MODES]
    names = [name for name in names if name not in (*NORMS, *POOLED_MODES)]
    modes = [header[f"CUDNN_POINTWISE_{MODES.get(name, name.upper())}"] for name in names]
    assert re.findall(r"\.type = (\d+)", code) == list(map(str, types))
    assert re.findall(r"POINTWISE, \.mode = (\d+)", code) == list(map(str, modes))
    assert re.findall(r"POOLING, \.mode = (\d+)", code) == list(map(str, pools))
    assert re.findall(r"NORMALIZATION, \.mode = (\d+)", code) == list(map(str, norms))
