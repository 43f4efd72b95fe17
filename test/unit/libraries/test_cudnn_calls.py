"""What a call of cuDNN says, and which edited ones are refused: what is refused leads nowhere."""

import re
from math import prod
from typing import Any

import pytest
from dnn_calls import (
    ADD,
    CONV,
    CONVOLVED,
    MUL,
    NUMBER,
    PRODUCT,
    RELU_OF_ALL,
    SIZES,
    SUM,
    VECTOR,
    WEIGHT,
    Edits,
    X,
    Y,
    buffers,
    convolution,
    edited,
    normalization,
    refused,
)
from dnn_clusters import F32, POOLINGS, RELU, attended, convolved
from xdsl.dialects.builtin import MemRefType, bf16, f16, f32

from dlc.dialects.loop.attributes import CallAttr
from dlc.errors import CompileError
from dlc.libraries.cudnn import LIBRARY


def test_a_call_says_all_that_the_code_needs() -> None:
    call = convolution()
    assert (call.library, call.function, call.count) == ("cudnn", "cudnnBackendExecute", 1)
    assert (call.buffers, call.workspace) == ((0, 1, 2, 4), 32 << 20)  # 3: nobody reads it


WRONG_KEYS = {
    "another function": ("not by cudnnDestroy", {"function": "cudnnDestroy"}),
    "two counts": ("counts 1", {"count": 2}),
    "less than no workspace": ("names a workspace", {"workspace": -1}),
    "a ninth algorithm": ("names no algorithm", {"algorithm": 8}),
    "an algorithm before the first": ("names no algorithm", {"algorithm": -1}),
    "half an algorithm": ("should be like 0", {"algorithm": 0.5}),
    "no tensors": ("tensors of a call are records", {"tensors": []}),
    "no operations": ("operations of a call are records", {"operations": []}),
    "a number for operations": ("operations = 3 should be like ()", {"operations": 3}),
    "a number beside tensors": (
        "tensors of a call are records",
        {"tensors": [*edited("tensors", {}), 1]},
    ),
    "rounding to f16": ("to tf32, or not at all", {"rounds": "f16"}),
    "numbers for tensors": ("tensors of a call are records", {"tensors": [1, 2]}),
}


@pytest.mark.parametrize(("reason", "keys"), WRONG_KEYS.values(), ids=WRONG_KEYS)
def test_wrong_keys_are_refused(reason: str, keys: dict[str, object]) -> None:
    refused(reason, **keys)


INTEGERS = "integers from 0 to 2147483647"
MOST = 1 << 31
WRONG_TENSORS = {
    "a buffer behind the last": ("has no buffer 4", {X: {"buffer": 4}}),
    "a buffer before the first": ("has no buffer -1", {X: {"buffer": -1}}),
    "a buffer that is no number": ("buffer of a record", {X: {"buffer": "0"}}),
    "one image more": ("leads out of buffer 0", {X: {"sizes": [3, 16, 9, 7]}}),
    "one column more": ("leads out of buffer 0", {X: {"sizes": [2, 16, 9, 8]}}),
    "a longer step": ("leads out of buffer 1", {WEIGHT: {"strides": [145, 1, 48, 16]}}),
    "a longer vector": ("leads out of buffer 2", {VECTOR: {"sizes": [1, 25, 1, 1]}}),
    "a larger result": ("leads out of buffer 3", {Y: {"sizes": [2, 24, 7, 6]}}),
    "a step back": (INTEGERS, {X: {"strides": [1008, 1, -112, 16]}}),
    "a step of 2 to the 31": (INTEGERS, {CONVOLVED: {"strides": [MOST, 1, 120, 24]}}),
    "a size of 2 to the 31": (INTEGERS, {CONVOLVED: {"sizes": [MOST, 24, 7, 5]}}),
    "no size": ("no tensor has sizes", {X: {"sizes": [0, 16, 9, 7]}}),
    "half a size": (INTEGERS, {X: {"sizes": [1.5, 16, 9, 7]}}),
    "a size that is true": (INTEGERS, {X: {"sizes": [True, 16, 9, 7]}}),
    "sizes that are no list": ("sizes of a record", {X: {"sizes": 4}}),
    "no strides": ("strides of a record", {X: {"strides": None}}),
    "no axes": ("as many strides as sizes", {X: {"sizes": [], "strides": []}}),
    "less strides": ("as many strides as sizes", {X: {"strides": [1008, 1, 112]}}),
    "six axes": ("at most 5", {X: {"sizes": [1] * 6, "strides": [1] * 6}}),
    "another type than the buffer": ("of bf16 is in buffer", {X: {"element": "bf16"}}),
    "a type that is no text": ("element of a record", {X: {"element": 2}}),
    "f64 between": ("no tensors of f64", {SUM: {"element": "f64"}}),
    "C for a type": ("no tensors of 0}; x()", {SUM: {"element": "0}; x()"}}),
    "numbers": ("a number is one element", {NUMBER: {"sizes": [1, 2, 1, 1]}}),
    "a number of f16": ("a number is one element of f32", {NUMBER: {"element": "f16"}}),
    "a number beyond f32": ("a number is one element of f32", {NUMBER: {"number": 1e39}}),
    "a number that is none": ("number of a record", {NUMBER: {"number": "0.5"}}),
    "nothing for a number": ("make what is between them", {NUMBER: {"number": None}}),
    "an input that is between": ("make what is between them", {X: {"buffer": None}}),
    "a result that is between": ("to the last buffer", {Y: {"buffer": None, "element": "f32"}}),
    "a result of two rows in one": ("has each element", {Y: {"strides": [840, 1, 0, 24]}}),
    "a result with gaps": (
        "has each element",
        {Y: {"sizes": [2, 24, 7, 5], "strides": [0, 1, 120, 24]}},
    ),
    "a result in an input": (
        "to the last buffer",
        {SUM: {"buffer": 0, "element": "f16"}},
    ),
    "an input in the result": ("to the last buffer", {VECTOR: {"buffer": 3}}),
}


@pytest.mark.parametrize(("reason", "edits"), WRONG_TENSORS.values(), ids=WRONG_TENSORS)
def test_wrong_tensors_are_refused(reason: str, edits: Edits) -> None:
    refused(reason, tensors=edited("tensors", edits))


LISTS = {name: [1, 1, 1] for name in ("strides", "begins", "ends", "dilations")}
WRONG_OPERATIONS = {
    "an unknown one": ("no operation exp", {ADD: {"name": "exp"}}),
    "C for a name": ("no operation 0}; x()", {ADD: {"name": "0}; x()"}}),
    "no name": ("name of a record", {ADD: {"name": None}}),
    "a tensor behind the last": ("reads what no", {ADD: {"inputs": [CONVOLVED, 8]}}),
    "a tensor before the first": (INTEGERS, {ADD: {"inputs": [CONVOLVED, -1]}}),
    "what is made later": ("reads what no", {ADD: {"inputs": [PRODUCT, VECTOR]}}),
    "its own result": ("reads what no", {RELU_OF_ALL: {"inputs": [Y]}}),
    "the result, before it is there": ("reads what no", {ADD: {"inputs": [CONVOLVED, Y]}}),
    "no inputs": ("reads what no", {RELU_OF_ALL: {"inputs": []}}),
    "inputs that are no list": ("inputs of a record", {RELU_OF_ALL: {"inputs": 6}}),
    "an output behind the last": ("no tensor of its own", {RELU_OF_ALL: {"output": 8}}),
    "an output before the first": ("no tensor of its own", {RELU_OF_ALL: {"output": -1}}),
    "an output that is no number": ("output of a record", {RELU_OF_ALL: {"output": "7"}}),
    "an output of another": ("no tensor of its own", {MUL: {"output": SUM}}),
    "an output that is a number": (
        "make what is between them",
        {ADD: {"output": NUMBER}, MUL: {"inputs": [NUMBER, VECTOR]}},
    ),
    "a sum of one": ("add of cuDNN has 2 inputs", {ADD: {"inputs": [CONVOLVED]}}),
    "a relu of two": ("relu of cuDNN has 1 inputs", {RELU_OF_ALL: {"inputs": [PRODUCT, VECTOR]}}),
    "a convolution of three": ("has 2 inputs", {CONV: {"inputs": [X, WEIGHT, VECTOR]}}),
    "attention of two": ("attention of cuDNN has 4 inputs", {ADD: {"name": "attention"}}),
    "steps of one axis": ("has lists of", {CONV: {"strides": [1]}}),
    "no dilations": ("has lists of", {CONV: {"dilations": None}}),
    "another list": ("has lists of", {CONV: {"groups": [1, 1]}}),
    "a list of a sum": ("has lists of", {ADD: {"strides": [1, 1]}}),
    "three axes of four": ("has lists of", {CONV: LISTS}),
    "padding off": (INTEGERS, {CONV: {"begins": [-1, 0]}}),
    "a dilation of 2 to the 31": (INTEGERS, {CONV: {"dilations": [MOST, 1]}}),
    "C for a list": ("has lists of", {CONV: {"strides": None, "strides = {1}, .x": [1, 1]}}),
}


@pytest.mark.parametrize(("reason", "edits"), WRONG_OPERATIONS.values(), ids=WRONG_OPERATIONS)
def test_wrong_operations_are_refused(reason: str, edits: Edits) -> None:
    refused(reason, operations=edited("operations", edits))


@pytest.mark.parametrize("number", range(len(SIZES)))
def test_smaller_buffers_are_refused(number: int) -> None:
    """A buffer that lacks one element, or is of another type."""
    call, given = convolution(), buffers()
    given[number] = MemRefType(f16, [prod(SIZES[number]) - 1])
    with pytest.raises(CompileError, match=f"leads out of buffer {number}"):
        LIBRARY.check(call, given)
    for type in (bf16, f32):
        given[number] = MemRefType(type, SIZES[number])
        with pytest.raises(CompileError, match="a tensor of f16 is in buffer"):
            LIBRARY.check(call, given)


NAME = r"[A-Za-z_]\w*"
OURS = {
    *("workspace", "tensor_count", "operation_count", "tensors", "operations"),
    *("const", "cudnn_tensor", "cudnn_operation", "place", "buffer", "number", "type", "rank"),
    *("sizes", "strides", "kind", "mode", "input_count", "inputs", "output", "axes"),
    *("begins", "ends", "dilations", "CUDNN_BETWEEN", "CUDNN_IN_BUFFER", "CUDNN_NUMBER"),
    *("CUDNN_CONVOLUTION", "CUDNN_POINTWISE", "CUDNN_ATTENTION"),
    *("CUDNN_NORMALIZATION", "CUDNN_POOLING", "taps", "is_full"),
}
ALL = [convolution(), LIBRARY.call(attended()), normalization()[0], LIBRARY.call(convolved(**F32))]


@pytest.mark.parametrize("call", [*ALL, *map(LIBRARY.call, POOLINGS.values())])
def test_the_code_is_numbers_and_names_of_ours(call: CallAttr) -> None:
    code = LIBRARY.code(call)
    plain = re.sub(r"0x1\.[0-9a-f]+p[+-]\d+|\b\d+u?\b", "0", code)
    assert set(re.findall(NAME, plain)) <= OURS
    assert set(re.sub(NAME, "", plain)) <= set("{}[]()., =0-")


def test_the_code_of_a_call() -> None:
    call = LIBRARY.call(convolved(RELU))
    window = ".strides = {1, 1}, .begins = {0, 0}, .ends = {0, 0}, .dilations = {1, 1}, .axes = 2"
    assert LIBRARY.code(call) == (
        "{.workspace = 33554432u, .tensor_count = 4, .operation_count = 2, "
        ".tensors = (const cudnn_tensor[]){"
        "{.place = CUDNN_IN_BUFFER, .buffer = 0, .type = 2, .rank = 4, "
        ".sizes = {2, 16, 9, 7}, .strides = {1008, 1, 112, 16}}, "
        "{.place = CUDNN_IN_BUFFER, .buffer = 1, .type = 2, .rank = 4, "
        ".sizes = {24, 16, 3, 3}, .strides = {144, 1, 48, 16}}, "
        "{.place = CUDNN_BETWEEN, .type = 0, .rank = 4, "
        ".sizes = {2, 24, 7, 5}, .strides = {840, 1, 120, 24}}, "
        "{.place = CUDNN_IN_BUFFER, .buffer = 2, .type = 2, .rank = 4, "
        ".sizes = {2, 24, 7, 5}, .strides = {840, 1, 120, 24}}}, "
        ".operations = (const cudnn_operation[]){"
        "{.kind = CUDNN_CONVOLUTION, .mode = 0, .input_count = 2, .inputs = {0, 1}, .output = 2, "
        f"{window}}}, "
        "{.kind = CUDNN_POINTWISE, .mode = 100, .input_count = 1, .inputs = {2}, .output = 3}}}"
    )


FIRST = "layout channels_first weight_layout oihw"
WIDE = {"x": "32x256x28x28xf32", "w": "256x256x3x3xf32", "z": "32x256x26x26xf32", "layout": FIRST}
WIDE_BYTES = 4 * (32 * 256 * (28**2 + 26**2) + 256 * 9 * 256)
HUGE = WIDE | {"x": "128x256x56x56xf32", "z": "128x256x54x54xf32"}
LEAST, GREATEST = 32 << 20, 2 << 30


@pytest.mark.parametrize(
    ("sizes", "scratch"),
    [
        (F32, LEAST),
        (WIDE, 16 * WIDE_BYTES),
        (HUGE, GREATEST),
        (HUGE | {"layout": f"{FIRST} precision tf32"}, LEAST),
        ({name: text.replace("f32", "f16") for name, text in HUGE.items()}, LEAST),
    ],
    ids=["small", "wide", "huge", "rounded to tf32", "of f16"],
)
def test_products_of_f32_have_scratch_for_spectra(sizes: dict[str, Any], scratch: int) -> None:
    assert LIBRARY.call(convolved(**sizes)).workspace == scratch
