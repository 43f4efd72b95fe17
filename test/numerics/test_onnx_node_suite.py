"""ONNX's own node tests through importer, import check and oracle, without code generation."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import onnx
import pytest
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.frontends.onnx.import_record import ImportRecord
from dlc.frontends.onnx.importer import import_model
from dlc.onnx_backend import DlcBackend, Run
from dlc.oracle import run_reference
from dlc.registry import new_context
from dlc.verification.import_check import check_nodes
from dlc.verification.wiring import check_wiring

CASES = 1884
"""Of onnx 1.23."""

PASSING_AT_LEAST = 1590
"""It may only grow."""

COMPLETE = """
Abs Acos Acosh Add AffineGrid And ArgMax ArgMin Asin Asinh Atan Atanh Attention AveragePool
BatchNormalization BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor BlackmanWindow
CausalConvWithState Ceil Celu CenterCropPad Clip Col2Im Compress Concat Constant ConstantOfShape
Conv ConvInteger ConvTranspose Cos Cosh CumProd CumSum DeformConv DepthToSpace Div Einsum Elu Erf
Exp Expand EyeLike Flatten FlexAttention Floor GRU Gather GatherElements GatherND Gelu Gemm
GlobalAveragePool GlobalMaxPool Greater GreaterOrEqual GridSample GroupNormalization HammingWindow
HannWindow HardSigmoid HardSwish Hardmax InstanceNormalization IsInf IsNaN LRN LSTM
LayerNormalization LeakyRelu Less LessOrEqual LinearAttention Log LogSoftmax LpNormalization LpPool
MatMul MatMulInteger Max MaxPool Mean MeanVarianceNormalization Min Mish Mod Mul Neg
NegativeLogLikelihoodLoss OneHot Or PRelu Pad Pow QLinearConv QLinearMatMul RMSNormalization RNN
Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin
ReduceProd ReduceSum ReduceSumSquare Relu Reshape Resize ReverseSequence RotaryEmbedding Round STFT
Scatter ScatterElements ScatterND Selu Shape Shrink Sigmoid Sign Sin Sinh Size Slice Softmax
SoftmaxCrossEntropyLoss Softplus Softsign SpaceToDepth Split Sqrt Squeeze Sub Sum SwiGLU Swish Tan
Tanh TensorScatter ThresholdedRelu Tile TopK Transpose Trilu Unsqueeze Upsample Where Xor
""".split()  # noqa: SIM905  (a table is easier to read)
"""Operators all of whose cases pass."""

IN_PART = {
    **{"Cast": 16, "CastLike": 8, "DFT": 8, "DequantizeLinear": 5, "Dropout": 8},
    **{"DynamicQuantizeLinear": 3, "Equal": 8, "Identity": 3, "If": 1, "Loop": 1, "MaxUnpool": 2},
    **{"Not": 3, "OptionalGetElement": 1, "OptionalHasElement": 4, "QuantizeLinear": 6},
    **{"RoiAlign": 2, "Scan": 3, "several": 413},
}
"""How many cases of other operators pass at least. Several: the nodes of functions written out."""


def _interpret(
    model: onnx.ModelProto, shapes: Mapping[str, Sequence[int]], constants: Mapping[str, Array]
) -> Run:
    context, record = new_context(), ImportRecord()
    module = import_model(model, shapes, context, constants, record=record)
    module.verify()
    check_wiring(record, module, context.weights, constants)
    if len(model.graph.node) == 1:  # those of written-out functions have cases of their own
        check_nodes(record, "")  # what is right is not refused
    return lambda feeds: run_reference(module, feeds, context.weights)


class _OracleBackend(DlcBackend):
    COMPILE = staticmethod(_interpret)


def _array(item: object) -> object:
    """Return what a case gives as an array; some give messages."""
    return onnx.numpy_helper.to_array(item) if isinstance(item, onnx.TensorProto) else item


def _failure(case: TestCase) -> str | None:
    """Return why a case fails; the tolerances are the case's own."""
    assert case.model is not None
    assert case.data_sets is not None
    try:
        prepared = _OracleBackend.prepare(case.model)
        for inputs, expected in case.data_sets:
            outputs = prepared.run([_array(x) for x in inputs])
            wanted = [_array(x) for x in expected]
            Runner.assert_similar_outputs(wanted, outputs, case.rtol, case.atol)
    except (AssertionError, CompileError, ValueError) as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return None


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path))


@cache
def _cases() -> Mapping[str, Sequence[TestCase]]:
    """Return the cases by the operator that they are about."""
    found: dict[str, list[TestCase]] = defaultdict(list)
    for case in load_model_tests(kind="node"):
        assert case.model is not None
        nodes = case.model.graph.node
        found[nodes[0].op_type if len(nodes) == 1 else "several"].append(case)
    return found


@pytest.mark.filterwarnings("ignore")  # the suite makes some of its data with deprecated calls
def test_count_does_not_shrink():
    assert sum(map(len, _cases().values())) >= CASES
    complete = sum(len(_cases()[operator]) for operator in COMPLETE)
    assert complete + sum(IN_PART.values()) >= PASSING_AT_LEAST


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operator", COMPLETE)
def test_operator(operator: str):
    failures = {case.name: _failure(case) for case in _cases()[operator]}
    assert failures
    assert {name: why for name, why in failures.items() if why} == {}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("operator", "least"), IN_PART.items())
def test_operator_of_which_some_cases_pass(operator: str, least: int):
    assert sum(_failure(case) is None for case in _cases()[operator]) >= least
